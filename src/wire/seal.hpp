// SPDX-License-Identifier: BSD-3-Clause
// The seal: a trailer that follows a frame while it travels between ranks.  It names the rank that made the frame and
// the number of contributions in it.  Its checksum covers these two, the frame, and the place in the operation that the
// frame is for.  docs/wire-format.md is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/checksum.hpp"

namespace laconic::wire {

inline constexpr std::size_t seal_bytes = 16;

// The place of a frame in the operation, which every rank knows before the frame arrives.  It is not sent, but the
// checksum covers it, so a frame of another operation, row or block is not mistaken for this one.
struct SealPlace {
  std::uint64_t operation = 0;
  std::uint64_t row = 0;
  std::uint32_t block = 0;
};

struct Seal {
  std::uint32_t maker = 0;          // the rank that made the frame
  std::uint32_t contributions = 0;  // number of ranks whose numbers are reduced in it; 1 where nothing is reduced
};

// Writes seal_bytes bytes.  header: the header_bytes bytes of the frame's header; payload_sum: checksum::sum() of its
// payload.
void write_seal(const Seal& seal, const SealPlace& place, std::span<const std::byte> header, std::uint64_t payload_sum,
                std::span<std::byte> out);

// Reads a seal.  Returns false when its checksum does not match the frame and the place.
bool read_seal(std::span<const std::byte> in, const SealPlace& place, std::span<const std::byte> header,
               std::uint64_t payload_sum, Seal& seal);

// SealPlace::operation of an operation's frames.  salt: a value that differs between communicators, whose operations
// may have the same sequence numbers.
constexpr std::uint64_t operation_in_seals(std::uint64_t sequence, std::uint64_t salt) {
  return checksum::key(sequence) ^ salt;
}

}  // namespace laconic::wire
