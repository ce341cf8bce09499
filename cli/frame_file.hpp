// SPDX-License-Identifier: BSD-3-Clause
// Files of frames: frames one after the other (docs/wire-format.md), then an end that tells a whole file from one cut
// between two frames, and right bytes from wrong ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "codec/codec.hpp"
#include "field.hpp"

namespace laconic::cli {

// The end: this word, the CRC-32 of all bytes before the end (uint32), and how many numbers the frames hold (uint64).
inline constexpr std::uint32_t end_word = 0x444e454c;  // "LEND"
inline constexpr std::size_t end_bytes = 16;

// Most numbers in a frame of a file, so that a damaged count cannot make a reader ask for all the memory there is.
inline constexpr std::size_t largest_frame = std::size_t{1} << 26;

struct FileSummary {
  std::size_t numbers = 0;
  std::size_t frames = 0;
  std::size_t bytes = 0;  // of the file of frames
  double error = 0;       // the largest that a frame states
};

// CRC-32 as zlib and PNG have it; begin with 0, then pass what came out.
std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes);

FileSummary write_frames(const Codec& codec, const Coding& coding, const Field& field, std::size_t chunk,
                         const std::string& file);

// Writes the numbers of all frames of `file` to `out`.
FileSummary read_frames(const std::string& file, const std::string& out);

}  // namespace laconic::cli
