// SPDX-License-Identifier: BSD-3-Clause
#include "wire/seal.hpp"

#include <array>
#include <cstring>

#include "wire/bytes.hpp"
#include "wire/frame.hpp"

namespace laconic::wire {
namespace {

constexpr std::size_t sum_offset = 8;

// The weight of the data in front of the payload, which count as a block at an index that no payload reaches.
constexpr std::uint64_t weight_of_front = checksum::weight(std::uint64_t{1} << 32);

// The header, the place and the seal form one additional block in front of the payload.
std::uint64_t sum_of_all(const Seal& seal, const SealPlace& place, std::span<const std::byte> header,
                         std::uint64_t payload_sum) {
  std::array<std::byte, 64> front{};
  static_assert(header_bytes == 32);
  std::memcpy(front.data(), header.data(), header_bytes);
  put(front, 32, place.operation);
  put(front, 40, place.row);
  put(front, 48, place.block);
  put(front, 52, seal.maker);
  put(front, 56, seal.contributions);
  return weight_of_front * checksum::sum(front) + payload_sum;
}

}  // namespace

void write_seal(const Seal& seal, const SealPlace& place, std::span<const std::byte> header, std::uint64_t payload_sum,
                std::span<std::byte> out) {
  put(out, 0, seal.maker);
  put(out, 4, seal.contributions);
  put(out, sum_offset, sum_of_all(seal, place, header, payload_sum));
}

bool read_seal(std::span<const std::byte> in, const SealPlace& place, std::span<const std::byte> header,
               std::uint64_t payload_sum, Seal& seal) {
  seal.maker = get<std::uint32_t>(in, 0);
  seal.contributions = get<std::uint32_t>(in, 4);
  return get<std::uint64_t>(in, sum_offset) == sum_of_all(seal, place, header, payload_sum);
}

}  // namespace laconic::wire
