// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>

#include "tune/chunk_counts.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t width = 4;
constexpr std::size_t count = std::size_t{1} << 19;  // 2 MiB: one chunk is possible, and so are all candidates
constexpr std::size_t bytes = count * width;

int chunks_of(std::size_t numbers, std::size_t chunk) { return static_cast<int>((numbers + chunk - 1) / chunk); }

// Sends messages to one peer, each taking f(chunks) seconds, until the choice has settled; returns the chosen number.
template <class Seconds>
int settle(ChunkCounts& counts, Seconds&& seconds, int peer = 1) {
  int chunks = 0;
  for (int k = 0; k < 30; ++k) {
    const auto choice = counts.next(peer, count, width);
    chunks = chunks_of(count, choice.chunk);
    counts.record(peer, bytes, choice.candidate, seconds(chunks, k), 0);
  }
  return chunks;
}

TEST(ChunkCounts, TriesAllInTurn) {
  ChunkCounts counts;
  std::map<int, int> tried;
  for (int k = 0; k < 20; ++k) {
    const auto choice = counts.next(1, count, width);
    ++tried[chunks_of(count, choice.chunk)];
    counts.record(1, bytes, choice.candidate, 1, 0);
  }
  EXPECT_EQ(tried, (std::map<int, int>{{1, 4}, {2, 4}, {4, 4}, {8, 4}, {16, 4}}));
}

TEST(ChunkCounts, KeepsTheFastest) {
  for (const int best : {1, 2, 4, 8, 16}) {
    ChunkCounts counts;
    EXPECT_EQ(settle(counts, [&](int chunks, int) { return chunks == best ? 0.8 : 1.0; }), best);
  }
}

// If the times hardly differ, the usual number of chunks is as good as any.
TEST(ChunkCounts, IsNotMisledByNoise) {
  ChunkCounts counts;
  EXPECT_EQ(settle(counts, [](int chunks, int) { return chunks == 16 ? 0.97 : 1.0; }), 4);
}

TEST(ChunkCounts, DoesNotCountTheFirstRound) {
  ChunkCounts counts;
  EXPECT_EQ(settle(counts, [](int chunks, int k) { return k < 5 && chunks == 2 ? 0.1 : chunks == 8 ? 0.5 : 1.0; }), 8);
}

// A message that had to wait for its receiver says nothing against its number of chunks.
TEST(ChunkCounts, CountsTheBestOfSeveral) {
  ChunkCounts counts;
  EXPECT_EQ(settle(counts, [](int chunks, int k) { return k > 10 ? 50.0 : chunks == 2 ? 0.5 : 1.0; }), 2);
}

// With many chunks, less is left for the receiver to decode when the sender has finished.
TEST(ChunkCounts, CountsWhatTheReceiverHasLeft) {
  ChunkCounts counts;
  int chunks = 0;
  for (int k = 0; k < 30; ++k) {
    const auto choice = counts.next(1, count, width);
    chunks = chunks_of(count, choice.chunk);
    counts.record(1, bytes, choice.candidate, 1.0, 1.0);
  }
  EXPECT_EQ(chunks, 16);
}

TEST(ChunkCounts, LearnsForEachPeerAndSize) {
  ChunkCounts counts;
  EXPECT_EQ(settle(
                counts, [](int chunks, int) { return chunks; }, 1),
            1);
  EXPECT_EQ(settle(
                counts, [](int chunks, int) { return 1.0 / chunks; }, 2),
            16);
  EXPECT_EQ(chunks_of(count, counts.next(1, count, width).chunk), 1);
  EXPECT_EQ(chunks_of(count / 4, counts.next(1, count / 4, width).chunk), 1) << "the first candidate of another size";
  EXPECT_EQ(chunks_of(count / 4, counts.next(1, count / 4, width).chunk), 2);
}

// Many messages may begin before the first one has been sent.
TEST(ChunkCounts, TakesRecordsLate) {
  ChunkCounts counts;
  std::vector<ChunkCounts::Choice> choices;
  for (int k = 0; k < 40; ++k) choices.push_back(counts.next(1, count, width));
  for (const auto& c : choices) counts.record(1, bytes, c.candidate, chunks_of(count, c.chunk) == 8 ? 0.5 : 1.0, 0);
  EXPECT_EQ(chunks_of(count, counts.next(1, count, width).chunk), 8);
}

TEST(ChunkCounts, BoundsTheSizeOfAChunk) {
  for (const std::size_t w : {std::size_t{1}, std::size_t{4}, std::size_t{8}})
    for (std::size_t n = 1; n < std::size_t{1} << 34; n = n * 3 + 1) {
      ChunkCounts counts;
      for (int k = 0; k < 10; ++k) {
        const auto choice = counts.next(1, n, w);
        EXPECT_LE((choice.chunk - 1023) * w, greatest_chunk_bytes) << n;
        EXPECT_GE(choice.chunk, 1u);
        if (choice.candidate > 0) {
          EXPECT_GE(choice.chunk * w, least_chunk_bytes) << n;
        }
      }
    }
}

}  // namespace
}  // namespace laconic::test
