// SPDX-License-Identifier: BSD-3-Clause
// Properties of sums and of moved blocks that hold for every algorithm.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "support/bench.hpp"
#include "support/seed.hpp"
#include "support/world.hpp"

namespace laconic::test {
namespace {

// Without raw blocks the result is the same to the bit for every algorithm, chunk, depth, number of threads and
// kernel. A reduce and a reduce_scatter give the same bits as the allreduce, unless that rounds its results once more.
// check() compares with the sum of the lattice points, so this test only makes sure that it does so.
TEST(LatticeSums, AreTheSameHoweverTheyAreFormed) {
  constexpr std::size_t numbers = 840 * 5;  // divisible by 2, 3, 5 and 8
  Random random(base_seed());
  // Keyed by size, contributions, data, whether it is a mean, and how it is rounded once more.
  std::map<std::tuple<int, int, int, bool, std::uint32_t>, std::vector<float>> results;
  for (const int size : {2, 3, 5, 8}) {
    World one(size, 1, 1, std::chrono::microseconds(100));
    World three(size, 3, 2, std::chrono::microseconds(100));
    for (const Algorithm& algorithm : all_algorithms()) {
      if (!reduces(algorithm.collective) || !algorithm.fits(ranks_of(size))) continue;
      for (const auto& codec : quant_variants())
        for (int data = 0; data < 3; ++data)
          for (const std::size_t chunk : {100, 1000, 100000}) {
            if (left_out(random, 2)) continue;
            Operation o;
            o.algorithm = &algorithm;
            o.codec = codec.get();
            o.mean = data == 1 && has_mean(o);
            o.bound = 1e-2;
            o.root = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
            o.count = cuts_equally(o.collective()) ? numbers : numbers / static_cast<std::size_t>(size);
            o.chunk = chunk;
            o.depth = static_cast<int>(1 + random.below(4));
            o.most = any_most(random);
            SCOPED_TRACE(to_text(o, size) + ", " + seed_note());
            World& world = random.below(2) ? one : three;
            Bench<float> bench(o, size, data == 2 ? Kind::real : Kind::walk, static_cast<std::uint64_t>(data));
            ASSERT_TRUE(bench.on_lattice());
            world.drive_by_threads(bench.works(world.next_sequence()));
            bench.check(world);
            if (::testing::Test::HasFailure()) return;
            std::vector<float> result;
            if (o.collective() == Collective::reduce_scatter) {
              for (int r = 0; r < size; ++r) {
                const auto own = bench.results(r);
                result.insert(result.end(), own.begin(), own.end());
              }
            } else {
              // The last rank of a scan has the sum of all.
              result = bench.results(o.collective() == Collective::reduce ? o.root : size - 1);
            }
            ASSERT_EQ(result.size(), numbers);
            const int contributions = contributions_of(o.collective(), {size - 1, size, o.root});
            const auto [known, fresh] =
                results.try_emplace({size, contributions, data, o.mean, budget_of(o, size).coarser}, result);
            ASSERT_EQ(std::memcmp(known->second.data(), result.data(), numbers * sizeof(float)), 0);
          }
    }
  }
}

// With many ranks and small bounds the points need more than 32 bits: blocks stay on the lattice all the same, so that
// the bits do not depend on the algorithm, the chunk or the kernel.  Random bits hold NaN and infinities, which stay
// off the lattice; there all ranks hold the same bits.
template <class T>
void sums_of_64_ranks() {
  constexpr int size = 64;
  constexpr std::size_t numbers = size * 40;
  Random random(base_seed());
  World world(size, 1, random.bits(), std::chrono::microseconds(20));
  std::map<std::tuple<Kind, double>, std::vector<T>> results;
  for (const Kind kind : {Kind::real, Kind::outliers, Kind::huge_range, Kind::sparse, Kind::random_bits})
    for (const double relative : {1e-2, 1e-4, 1e-6})
      for (const Algorithm& algorithm : all_algorithms()) {
        if (algorithm.collective != Collective::allreduce || !algorithm.fits(ranks_of(size))) continue;
        if (left_out(random, 2)) continue;
        const auto& variants = quant_variants();
        Operation o;
        o.algorithm = &algorithm;
        o.codec = variants[random.below(variants.size())].get();
        o.count = numbers;
        o.chunk = random.below(2) ? 100000 : 30;
        o.depth = static_cast<int>(1 + random.below(4));
        o.bound = 1;
        const auto seed = static_cast<std::uint64_t>(relative * 1e6);
        o.bound = relative * Bench<T>(o, size, kind, seed).range();
        SCOPED_TRACE(to_text(o, size) + ", " + name_of(kind) + ", " + seed_note());
        Bench<T> bench(o, size, kind, seed);
        ASSERT_EQ(bench.on_lattice(), kind != Kind::random_bits);
        world.drive_by_threads(bench.works(world.next_sequence()));
        bench.check(world);
        if (::testing::Test::HasFailure()) return;
        if (kind == Kind::random_bits) continue;
        const auto [known, fresh] = results.try_emplace({kind, relative}, bench.results(0));
        ASSERT_EQ(std::memcmp(known->second.data(), bench.results(0).data(), numbers * sizeof(T)), 0);
      }
}
TEST(LatticeSums, Of64RanksFloat) { sums_of_64_ranks<float>(); }
TEST(LatticeSums, Of64RanksDouble) { sums_of_64_ranks<double>(); }

// A block that is only moved has one error, up to the whole bound, however many hops it takes: its bits are those of
// one round trip through the codec, whatever the algorithm.
TEST(MovedBlocks, AreEncodedOnceHoweverFarTheyGo) {
  Random random(base_seed());
  for (const int size : {2, 3, 5, 8, 9}) {
    World world(size, 1, random.bits(), std::chrono::microseconds(50));
    for (const Algorithm& algorithm : all_algorithms()) {
      if (reduces(algorithm.collective) || !algorithm.fits(ranks_of(size))) continue;
      for (const Codec* codec : all_codecs())
        for (const Kind kind : {Kind::walk, Kind::special}) {
          if (left_out(random)) continue;
          Operation o;
          o.algorithm = &algorithm;
          o.codec = codec;
          o.bound = 1e-3;
          o.root = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
          o.count = cuts_equally(o.collective()) ? 1700 : 300;
          o.chunk = 70;
          SCOPED_TRACE(to_text(o, size) + ", " + name_of(kind) + ", " + seed_note());
          const Budget budget = budget_of(o, size);
          ASSERT_EQ(budget.terms, 1u);
          ASSERT_GE(budget.last_allowance, o.bound * (1 - 1e-9));
          Bench<float> bench(o, size, kind, random.bits());
          world.drive_by_threads(bench.works(world.next_sequence()));
          bench.check(world);
          Coding coding = coding_of<float>(o, size);
          coding.allowance = budget.last_allowance;
          for (std::int32_t b = 0; b < bench.cut(); ++b)
            for (int r = 0; r < size; ++r)
              for (std::size_t begin = 0; bench.wants(r, b) && begin < bench.count(r, b); begin += o.chunk) {
                const std::size_t n = std::min(o.chunk, bench.count(r, b) - begin);
                const float* from = bench.input(sources_of(o, size, r, b)[0]).data() + begin;
                const auto expected =
                    decode<float>(*codec, encode(*codec, std::vector<float>(from, from + n), coding), n, coding);
                ASSERT_EQ(std::memcmp(bench.output(r, b) + begin, expected.data(), n * sizeof(float)), 0)
                    << "block " << b << " at rank " << r;
              }
          if (::testing::Test::HasFailure()) return;
        }
    }
  }
}

// Codecs that encode sums again at every hop, and per-hop travel with any codec, make as many errors as the algorithm
// states and the ledger assumes. Where frames are forwarded, all ranks still hold the same bits.
TEST(ReencodedSums, KeepTheBound) {
  Random random(base_seed());
  for (const int size : {2, 3, 5, 8}) {
    World world(size, 1, random.bits(), std::chrono::microseconds(20));
    for (const Codec* codec : all_codecs())
      for (const bool per_hop : {false, true}) {
        if (travel_of(*codec, per_hop) == Travel::homomorphic) continue;
        for (const Algorithm& algorithm : all_algorithms())
          for (const Kind kind : {Kind::walk, Kind::real, Kind::special}) {
            if (!algorithm.fits(ranks_of(size)) || left_out(random, 2)) continue;
            constexpr std::array<double, 3> bounds{1.0, 1e-2, 1e-5};
            Operation o;
            o.algorithm = &algorithm;
            o.codec = codec;
            o.per_hop = per_hop;
            o.root = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
            if (o.reduction()) o.op = static_cast<Op>(random.below(3));
            o.mean = has_mean(o) && o.op == Op::sum && random.below(2) == 0;
            o.bound = bounds[random.below(3)];
            o.count = cuts_equally(o.collective()) ? static_cast<std::size_t>(size) * 700 + 13 : 513;
            o.chunk = random.below(2) == 0 ? 5200 : 300;
            o.in_place = random.below(2) == 0;
            SCOPED_TRACE(to_text(o, size) + ", " + name_of(kind) + ", " + seed_note());
            Bench<float> bench(o, size, kind, random.bits());
            world.drive_by_threads(bench.works(world.next_sequence()));
            bench.check(world);
            if (::testing::Test::HasFailure()) return;
          }
      }
  }
}

TEST(ManyOperations, NeedNoMoreMemoryThanTheFirst) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const bool per_hop : {false, true}) {
      constexpr int size = 4;
      World world(size, 1, base_seed(), std::chrono::microseconds(0));
      Operation o;
      o.algorithm = &algorithm;
      o.codec = find_codec("quant");
      o.per_hop = per_hop;
      o.bound = 1e-2;
      o.root = 1;
      o.count = cuts_equally(o.collective()) ? 2000 : 300;
      o.chunk = 100;
      SCOPED_TRACE(to_text(o, size));
      Bench<float> bench(o, size, Kind::normal, 1);
      std::size_t after_first = 0;
      for (int k = 0; k < (sanitized ? 30 : 150); ++k) {
        world.drive_in_turns(bench.works(world.next_sequence()));
        if (k == 0) after_first = world.footprint();
      }
      bench.check(world);
      EXPECT_EQ(world.footprint(), after_first);
      if (::testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace laconic::test
