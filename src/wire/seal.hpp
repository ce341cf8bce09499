// SPDX-License-Identifier: BSD-3-Clause
// The seal: what stands behind a frame while it travels between ranks.  It says who made the frame and how many
// contributions it holds, and carries a checksum of all of that, of the frame, and of the place in the operation that
// the frame is for.  docs/wire-format.md is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/checksum.hpp"

namespace laconic::wire {

inline constexpr std::size_t seal_bytes = 16;

// What every rank knows of a frame before it comes.  It is not sent, but it is part of the checksum: a frame of another
// operation, row or block is not taken for this one.
struct SealPlace {
  std::uint64_t operation = 0;
  std::uint64_t row = 0;
  std::uint32_t block = 0;
};

struct Seal {
  std::uint32_t maker = 0;          // the rank that made the frame
  std::uint32_t contributions = 0;  // of how many ranks it holds the sum; 1 where nothing is reduced
};

// Writes seal_bytes bytes.  header: of the frame, header_bytes of it; payload_sum: checksum::sum() of its payload.
void write_seal(const Seal& seal, const SealPlace& place, std::span<const std::byte> header, std::uint64_t payload_sum,
                std::span<std::byte> out);

// Reads a seal; false when its checksum is not that of the frame and place.
bool read_seal(std::span<const std::byte> in, const SealPlace& place, std::span<const std::byte> header,
               std::uint64_t payload_sum, Seal& seal);

// The operation in the seals of its frames.  salt: what tells it from those of other communicators with the same
// number.
constexpr std::uint64_t operation_in_seals(std::uint64_t sequence, std::uint64_t salt) {
  return checksum::key(sequence) ^ salt;
}

}  // namespace laconic::wire
