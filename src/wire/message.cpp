// SPDX-License-Identifier: BSD-3-Clause
#include "wire/message.hpp"

#include <cstring>

#include "wire/bytes.hpp"

namespace laconic::wire {
namespace {

constexpr std::size_t size_bytes = sizeof(std::uint32_t);

}  // namespace

void Packer::begin(std::span<std::byte> room, std::uint32_t frames) {
  room_ = room;
  used_ = frames * size_bytes;
  added_ = 0;
}

void Packer::add(std::span<const std::byte> frame) {
  put(room_, added_++ * size_bytes, static_cast<std::uint32_t>(frame.size()));
  if (!frame.empty()) std::memcpy(room_.data() + used_, frame.data(), frame.size());
  used_ += frame.size();
}

void Unpacker::begin(std::span<const std::byte> message, std::uint32_t frames) {
  message_ = {};
  taken_ = 0;
  read_ = frames * size_bytes;
  if (message.size() < read_) return;
  std::uint64_t all = read_;
  for (std::size_t k = 0; k < frames; ++k) all += get<std::uint32_t>(message, k * size_bytes);
  if (all == message.size()) message_ = message;
}

std::span<const std::byte> Unpacker::next() {
  if (message_.empty()) return {};
  const std::size_t size = get<std::uint32_t>(message_, taken_++ * size_bytes);
  const auto frame = message_.subspan(read_, size);
  read_ += size;
  return frame;
}

}  // namespace laconic::wire
