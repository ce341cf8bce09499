// SPDX-License-Identifier: BSD-3-Clause
// The frame: the unit that codecs write, and that transports carry and forward.  docs/wire-format.md is the
// specification; this folder implements the header only, not the payloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dtype.hpp"
#include "base/status.hpp"

namespace laconic::wire {

inline constexpr std::uint32_t magic = 0x4e4f434c;  // "LCON" as little-endian bytes
inline constexpr std::uint8_t version = 2;          // changes where an older reader would misread a frame
inline constexpr int format_major = 1;              // of the wire format, which also counts what older readers refuse
inline constexpr int format_minor = 1;
inline constexpr std::size_t header_bytes = 32;

// Offsets of the fields that kernels read, or fill into a header that the host has written.
inline constexpr std::size_t count_offset = 8;
inline constexpr std::size_t payload_offset = 12;
inline constexpr std::size_t step_offset = 16;
inline constexpr std::size_t error_offset = 24;

// A frame that stands for "the numbers could not be produced".  It travels the rest of the schedule in place of
// numbers, so that every rank completes and every rank learns of the failure.
inline constexpr std::uint8_t flag_failed = 1;

// Blocks of numbers have steps of their own; `step` is a factor that all of them are multiplied by.
inline constexpr std::uint8_t flag_scaled = 2;

// The most numbers in a frame.
inline constexpr std::int64_t largest_chunk = std::int64_t{1} << 26;

inline constexpr std::uint8_t codec_none = 0;  // the codec of failed frames

struct Header {
  std::uint8_t codec = codec_none;
  Dtype dtype = Dtype::f32;
  std::uint8_t flags = 0;
  std::uint32_t count = 0;    // numbers in the frame
  std::uint32_t payload = 0;  // bytes after the header
  double step = 0;            // distance of lattice points; 0 when the codec has no lattice
  double error = 0;           // worst-case absolute error of the frame's numbers, against exact arithmetic

  bool failed() const { return (flags & flag_failed) != 0; }
  bool scaled() const { return (flags & flag_scaled) != 0; }
};

// Writes header_bytes bytes.  `out` must have room for them.
void write_header(const Header& header, std::span<std::byte> out);

// Reads and checks a header: magic, version, dtype, flags, and finite step and error.  The payload that it announces
// must be exactly the bytes that follow, and a failed frame must be empty.  The caller checks the codec field, because
// this function knows no codecs.
Status read_header(std::span<const std::byte> frame, Header& header);

// The same for a frame of frame_bytes bytes of which only the first are at hand: header_bytes of them, or all.
Status read_header(std::span<const std::byte> first, std::size_t frame_bytes, Header& header);

// The size of the frame at the beginning of `bytes`, as its header announces it.  An error when `bytes` end before the
// frame does.
Status frame_size(std::span<const std::byte> bytes, std::size_t& size);

// Writes a whole failed frame for `count` numbers; returns its size.
std::size_t write_failed_frame(std::uint32_t count, Dtype dtype, std::span<std::byte> out);

}  // namespace laconic::wire
