// SPDX-License-Identifier: BSD-3-Clause
// The frame: the unit that codecs write, transports carry and forward.  docs/wire-format.md is the
// specification; this room implements its header and nothing of any payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dtype.hpp"
#include "base/status.hpp"

namespace laconic::wire {

inline constexpr std::uint32_t magic = 0x4e4f434c;  // "LCON" as little-endian bytes
inline constexpr std::uint8_t version = 1;
inline constexpr std::size_t header_bytes = 32;

// Where the fields are that are known last: kernels fill them into a header that the host has written.
inline constexpr std::size_t count_offset = 8;
inline constexpr std::size_t payload_offset = 12;
inline constexpr std::size_t error_offset = 24;

// A frame that stands for "the numbers could not be produced".  It travels the rest of the schedule in place of
// numbers, so that every rank completes and every rank learns of the failure.
inline constexpr std::uint8_t flag_failed = 1;

// Blocks of numbers have steps of their own; `step` is what all of them are multiplied by.
inline constexpr std::uint8_t flag_scaled = 2;

inline constexpr std::uint8_t codec_none = 0;  // the codec of failed frames

struct Header {
  std::uint8_t codec = codec_none;
  Dtype dtype = Dtype::f32;
  std::uint8_t flags = 0;
  std::uint32_t count = 0;    // numbers in the frame
  std::uint32_t payload = 0;  // bytes after the header
  double step = 0;            // distance of lattice points; 0 when the codec has no lattice
  double error = 0;           // worst-case absolute error of the numbers held, against exact arithmetic

  bool failed() const { return (flags & flag_failed) != 0; }
  bool scaled() const { return (flags & flag_scaled) != 0; }
};

// Writes header_bytes bytes.  `out` must have room for them.
void write_header(const Header& header, std::span<std::byte> out);

// Reads and checks a header: magic, version, dtype, flags, finite step and error, that the payload it announces is
// exactly what follows it, and that a failed frame is nothing else.  Knows no codec: the caller checks that field.
Status read_header(std::span<const std::byte> frame, Header& header);

// The same of a frame of so many bytes, of which only the first are at hand: header_bytes of them, or all.
Status read_header(std::span<const std::byte> first, std::size_t frame_bytes, Header& header);

// Of the frame that `bytes` begin with, as its header announces it; an error where they end before it does.
Status frame_size(std::span<const std::byte> bytes, std::size_t& size);

// Writes a whole failed frame for `count` numbers; returns its size.
std::size_t write_failed_frame(std::uint32_t count, Dtype dtype, std::span<std::byte> out);

}  // namespace laconic::wire
