// SPDX-License-Identifier: BSD-3-Clause
// How ranks with their numbers on a device launch kernels: encodes of a row together, sums of all frames in one pass,
// decodes at once.
#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <utility>

#include "base/build.hpp"
#include "support/bench.hpp"
#include "support/seed.hpp"
#include "support/world.hpp"
#include "support/wrapped_kernels.hpp"
#if LACONIC_CUDA_EMULATED
#include "emulator/control.hpp"
#endif

#if LACONIC_HAS_CUDA

namespace laconic::test {
namespace {

constexpr int size = 5;

Operation operation(Collective collective, std::string_view name, std::size_t count, std::size_t chunk) {
  Operation o;
  o.algorithm = find_algorithm(collective, name);
  o.codec = find_codec("quant");
  o.bound = 1e-2;
  o.count = count;
  o.chunk = chunk;
  return o;
}

// Kernels that note on which queues they decode.
class NotingKernels final : public WrappedKernels {
 public:
  using WrappedKernels::WrappedKernels;
  Status decode(const DeviceFrame& f, void* x, std::size_t n, const Coding& c, Queue& q) const override {
    queues.insert(&q);
    return WrappedKernels::decode(f, x, n, c, q);
  }
  mutable std::set<const Queue*> queues;
};

#if LACONIC_CUDA_EMULATED
// The launches of all ranks, for each row of blocks of 600 numbers.
void count_launches(Collective collective, std::string_view name, int ranks, int expected) {
  const std::size_t blocks = collective == Collective::allreduce ? static_cast<std::size_t>(ranks) : 1;
  for (const int rows : {1, 2}) {
    World world(ranks, 1, base_seed(), std::chrono::microseconds(0), {}, Site::direct);
    Operation o = operation(collective, name, 600 * blocks, 600 / static_cast<std::size_t>(rows));
    o.checksum = false;  // which has kernels of its own
    Bench<float> bench(o, ranks, Kind::walk, 1, &world);
    const auto works = bench.works(world.next_sequence());
    const std::uint64_t before = emulator::calls("kernel");
    world.drive_in_turns(works);
    EXPECT_EQ(emulator::calls("kernel") - before, static_cast<std::uint64_t>(rows * expected)) << to_text(o, ranks);
    bench.check(world);
  }
}

// A rank encodes all blocks of a row that it sends in one launch, up to EncodeGroup::most of them.  Its decodes take
// one launch each.
TEST(Launches, EncodeTheBlocksOfARowTogether) {
  NEED_DEVICE();
  count_launches(Collective::scatter, "direct", size, 1 + size);
  count_launches(Collective::alltoall, "pairwise", size, size + size * size);
}

// The owner of a block combines all frames that arrive with its own numbers in one launch, up to most_combined - 1 of
// them.
TEST(Launches, CombineTheFramesOfAllRanksTogether) {
  NEED_DEVICE();
  constexpr int encode = 1, decode = 1;
  count_launches(Collective::reduce_scatter, "direct", size, size * (encode + 1 + decode));
  count_launches(Collective::allreduce, "direct", size, size * (encode + 1 + size * decode));
  const int arrivals = static_cast<int>(DeviceCodec::most_combined) - 1;
  count_launches(Collective::reduce_scatter, "direct", arrivals + 1, (arrivals + 1) * (encode + 1 + decode));
  count_launches(Collective::reduce_scatter, "direct", arrivals + 2, (arrivals + 2) * (encode + 2 + decode));
}
#endif

// Frames of other ranks are decoded while the row goes on, so that several are decoded at once.
TEST(Launches, DecodeFramesOfSeveralRanksAtOnce) {
  NEED_DEVICE();
  for (const auto& [collective, name] : {std::pair{Collective::allgather, "ring"},
                                         {Collective::allgather, "direct"},
                                         {Collective::alltoall, "pairwise"},
                                         {Collective::allreduce, "ring"}}) {
    // Staged frames need no jobs to read their headers, so that all queues but one are those of further decodes.
    World world(size, 1, base_seed(), std::chrono::microseconds(0), {}, Site::staged);
    // One row at a time, which the emulator may let finish early; ten of them.
    Operation o = operation(collective, name, 10000, 1000);
    o.depth = 1;
    Bench<float> bench(o, size, Kind::walk, 1, &world);
    auto works = bench.works(world.next_sequence());
    const WithKernels<NotingKernels> noting(*o.codec);
    works[1].codec = &noting;
    world.drive_in_turns(works);
    bench.check(world);
    EXPECT_GT(noting.kernels.queues.size(), 1u) << to_text(o, size);
  }
}

}  // namespace
}  // namespace laconic::test

#endif
