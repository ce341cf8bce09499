// SPDX-License-Identifier: BSD-3-Clause
// The header of a compressed message of an unmodified program.  docs/wire-format.md is the specification.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "wire/mark.hpp"

namespace laconic::wire {

struct DropinHeader {
  Mark mark;                // drawn at random when the job begins, the same on all ranks
  std::uint64_t bytes;      // length of the program's message
  std::uint64_t frames;     // length of the frames in bytes
  std::uint32_t kind;       // of the numbers
  std::uint32_t unchecked;  // has_no_checksum, or anything else
  std::uint64_t checksum;   // of this header with the checksum of the frames in this field, source and tag
};
static_assert(sizeof(DropinHeader) == 48 && std::endian::native == std::endian::little);

// The minimum length of an envelope.  Receives into smaller buffers need no inspection.
inline constexpr std::size_t least_dropin_envelope = 256;

// Any other value means that there is a checksum.  Thus a single damaged bit cannot disable the check.
inline constexpr std::uint32_t has_no_checksum = 0x6f6e6f6e;

// Envelopes have certain lengths.  They are multiples of the size of every number type, because some MPI libraries
// reject receives that end within an item.
constexpr bool is_dropin_length(std::size_t bytes) { return bytes >= least_dropin_envelope && bytes % 256 == 48; }

// The smallest length of an envelope that holds this many bytes.
constexpr std::size_t dropin_length_for(std::size_t bytes) {
  const std::size_t least = bytes > least_dropin_envelope ? bytes : least_dropin_envelope;
  return least + (256 + 48 - least % 256) % 256;
}

constexpr bool is_marked(const DropinHeader& header, const Mark& mark) { return is_like(header.mark, mark); }

}  // namespace laconic::wire
