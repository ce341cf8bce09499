// SPDX-License-Identifier: BSD-3-Clause
// Files of frames: a sequence of frames (docs/wire-format.md) and an end record. The end record reveals a file that was
// cut off between two frames, and damaged bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "codec/codec.hpp"
#include "field.hpp"

namespace laconic::cli {

// The end record: this word, the CRC-32 of all bytes before it (uint32), and the number count of all frames (uint64).
inline constexpr std::uint32_t end_word = 0x444e454c;  // "LEND"
inline constexpr std::size_t end_bytes = 16;

// The most numbers in a frame of a file. The limit keeps a damaged count from making a reader allocate all memory.
inline constexpr std::size_t largest_frame = std::size_t{1} << 26;

struct FileSummary {
  std::size_t numbers = 0;
  std::size_t frames = 0;
  std::size_t bytes = 0;  // size of the file
  double error = 0;       // the largest error that a frame states
};

// The CRC-32 of zlib and PNG. Begin with 0, then pass the previous result.
std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes);

FileSummary write_frames(const Codec& codec, const Coding& coding, const Field& field, std::size_t chunk,
                         const std::string& file);

// Writes the numbers of all frames of `file` to `out`.
FileSummary read_frames(const std::string& file, const std::string& out);

}  // namespace laconic::cli
