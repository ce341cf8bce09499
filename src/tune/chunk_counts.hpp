// SPDX-License-Identifier: BSD-3-Clause
// The number of chunks that a message is cut into, learnt from the times of earlier messages of similar size to the
// same rank (as Ramesh et al. do, "Designing efficient pipelined communication schemes using compression in MPI
// libraries", 2023).  Only the sender chooses, and its envelope tells the receiver, so this state may differ between
// ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace laconic {

// Bytes of numbers in a frame: the greatest bounds the memory of a message; below the least, a frame is hardly worth
// sending.
inline constexpr std::size_t greatest_chunk_bytes = std::size_t{4} << 20;
inline constexpr std::size_t least_chunk_bytes = std::size_t{16} << 10;

class ChunkCounts {
 public:
  struct Choice {
    std::size_t chunk;  // numbers in a frame
    int candidate;      // for record()
  };

  // The numbers in a frame of the candidate that others have to beat.
  static std::size_t usual_chunk(std::size_t count, std::size_t width);

  // The choice for the next message to `peer`, of count > 0 numbers of `width` bytes.
  Choice next(int peer, std::size_t count, std::size_t width);

  // Records the time of a sent message with this size and candidate.  encoding: the part of `seconds` that the sender
  // spent on encoding.
  void record(int peer, std::size_t bytes, int candidate, double seconds, double encoding);

 private:
  static constexpr int candidates = 5;  // the fewest possible chunks, and 2, 4, 8, 16 times as many
  static constexpr int usual = 2;
  static constexpr unsigned rounds = 4;  // the first is not counted: it sets up memory and connections

  struct Class {
    std::array<unsigned, candidates> begun{};
    std::array<unsigned, candidates> ended{};
    std::array<double, candidates> least{};  // seconds per byte
    int settled = -1;
  };

  static std::uint64_t key(int peer, std::size_t bytes);
  static std::size_t fewest(std::size_t bytes) { return (bytes + greatest_chunk_bytes - 1) / greatest_chunk_bytes; }
  static int usable(std::size_t bytes);
  static std::size_t chunk_of(std::size_t count, std::size_t width, int candidate);
  static void settle(Class& c, int among);

  std::unordered_map<std::uint64_t, Class> classes_;
};

}  // namespace laconic
