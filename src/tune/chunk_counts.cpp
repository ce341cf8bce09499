// SPDX-License-Identifier: BSD-3-Clause
#include "tune/chunk_counts.hpp"

#include <algorithm>
#include <bit>

namespace laconic {
namespace {

// Codecs work in blocks of this many numbers, so a chunk should not end within a block.
constexpr std::size_t block = 1024;

// Message times vary by more than the best times of the candidates differ.  Another candidate replaces the usual one
// only if its time is below this fraction of the usual candidate's time.
constexpr double clearly_better = 0.95;

}  // namespace

std::uint64_t ChunkCounts::key(int peer, std::size_t bytes) {
  return static_cast<std::uint64_t>(peer) << 8 | static_cast<std::uint64_t>(std::bit_width(bytes));
}

int ChunkCounts::usable(std::size_t bytes) {
  int k = 1;
  while (k < candidates && bytes / (fewest(bytes) << k) >= least_chunk_bytes) ++k;
  return k;
}

std::size_t ChunkCounts::chunk_of(std::size_t count, std::size_t width, int candidate) {
  const std::size_t chunks = fewest(count * width) << candidate;
  const std::size_t exact = (count + chunks - 1) / chunks;
  return (exact + block - 1) / block * block;
}

std::size_t ChunkCounts::usual_chunk(std::size_t count, std::size_t width) {
  return chunk_of(count, width, std::min(usual, usable(count * width) - 1));
}

ChunkCounts::Choice ChunkCounts::next(int peer, std::size_t count, std::size_t width) {
  const std::size_t bytes = count * width;
  const int among = usable(bytes);
  int candidate = 0;
  if (among > 1) {
    Class& c = classes_[key(peer, bytes)];
    // The least tried candidate is next, so that changes over time affect all candidates alike.
    const auto least_begun = std::min_element(c.begun.begin(), c.begun.begin() + among);
    if (c.settled >= 0)
      candidate = c.settled;
    else if (*least_begun < rounds)
      ++c.begun[static_cast<std::size_t>(candidate = static_cast<int>(least_begun - c.begun.begin()))];
    else
      candidate = usual;  // until the last trial messages have been sent
    candidate = std::min(candidate, among - 1);
  }
  return {chunk_of(count, width, candidate), candidate};
}

void ChunkCounts::record(int peer, std::size_t bytes, int candidate, double seconds, double encoding) {
  const int among = usable(bytes);
  if (among == 1) return;
  Class& c = classes_[key(peer, bytes)];
  const auto k = static_cast<std::size_t>(candidate);
  if (c.settled >= 0 || c.ended[k] >= rounds) return;
  ++c.ended[k];
  // When the sender has finished, the receiver still has to decode the last chunk, which takes about as long as
  // encoding one.
  const double whole = seconds + encoding / static_cast<double>(fewest(bytes) << candidate);
  const double per_byte = whole / static_cast<double>(bytes);
  if (c.ended[k] == 2 || (c.ended[k] > 2 && per_byte < c.least[k])) c.least[k] = per_byte;
  if (*std::min_element(c.ended.begin(), c.ended.begin() + among) == rounds) settle(c, among);
}

void ChunkCounts::settle(Class& c, int among) {
  const auto best = std::min_element(c.least.begin(), c.least.begin() + among);
  const int otherwise = std::min(usual, among - 1);
  const bool clear = *best < clearly_better * c.least[static_cast<std::size_t>(otherwise)];
  c.settled = clear ? static_cast<int>(best - c.least.begin()) : otherwise;
}

}  // namespace laconic
