// SPDX-License-Identifier: BSD-3-Clause
// Sums of contributions of which some hold NaN, infinities or fill values: what plain MPI would give where these are,
// and elsewhere what the lattice points give, whatever the algorithm.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "support/bench.hpp"
#include "support/seed.hpp"
#include "support/world.hpp"

namespace laconic::test {
namespace {

// The result has the same bits for every algorithm, codec, chunk, depth and kernel.  Up to eight ranks, at most three
// fill values meet in a sum, which have the same sum in any order, and no other number shows beside them.
template <class T>
void sums_with_exceptions() {
  constexpr std::size_t numbers = 840 * 5;  // divisible by 2, 3, 5 and 8
  Random random(base_seed());
  std::map<std::tuple<int, int, Kind, Op, bool, std::uint32_t>, std::vector<T>> results;
  std::size_t compared = 0;
  for (const int size : {2, 3, 5, 8}) {
    World world(size, 1, random.bits(), std::chrono::microseconds(50));
    for (const Algorithm& algorithm : all_algorithms()) {
      if (!reduces(algorithm.collective) || !algorithm.fits(ranks_of(size))) continue;
      for (const Kind kind : {Kind::land, Kind::special})
        for (const Op op : {Op::sum, Op::max, Op::min})
          for (const std::size_t chunk : {100, 1000, 100000}) {
            if (left_out(random, 3)) continue;
            const auto& variants = random.below(2) == 0 ? quant_variants() : dense_variants();
            Operation o;
            o.algorithm = &algorithm;
            o.codec = variants[random.below(variants.size())].get();
            o.op = op;
            o.mean = op == Op::sum && has_mean(o) && random.below(2) == 0;
            o.bound = 1e-2;
            o.root = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
            o.count = cuts_equally(o.collective()) ? numbers : numbers / static_cast<std::size_t>(size);
            o.chunk = chunk;
            o.depth = static_cast<int>(1 + random.below(4));
            o.most = any_most(random);
            SCOPED_TRACE(to_text(o, size) + ", " + name_of(kind) + ", " + seed_note());
            Bench<T> bench(o, size, kind, 1);
            ASSERT_FALSE(bench.on_lattice());
            world.drive_by_threads(bench.works(world.next_sequence()));
            bench.check(world);
            if (::testing::Test::HasFailure()) return;
            std::vector<T> result;
            if (o.collective() == Collective::reduce_scatter) {
              for (int r = 0; r < size; ++r) {
                const auto own = bench.results(r);
                result.insert(result.end(), own.begin(), own.end());
              }
            } else {
              // The last rank of a scan has the result of all.
              result = bench.results(o.collective() == Collective::reduce ? o.root : size - 1);
            }
            ASSERT_EQ(result.size(), numbers);
            const int contributions = contributions_of(o.collective(), {size - 1, size, o.root});
            const auto [known, fresh] =
                results.try_emplace({size, contributions, kind, op, o.mean, budget_of(o, size).coarser}, result);
            compared += fresh ? 0 : 1;
            for (std::size_t i = 0; i < numbers; ++i)
              ASSERT_EQ(bits_of(result[i]), bits_of(known->second[i])) << "number " << i << " depends on the algorithm";
          }
    }
  }
  EXPECT_GT(compared, 10u);
}
TEST(SumsWithExceptions, AreTheSameHoweverTheyAreFormedFloat) { sums_with_exceptions<float>(); }
TEST(SumsWithExceptions, AreTheSameHoweverTheyAreFormedDouble) { sums_with_exceptions<double>(); }

// A fill value of some ranks changes nothing about the numbers beside it.
TEST(SumsWithExceptions, LeaveOtherNumbersOnTheLattice) {
  constexpr int size = 5;
  World world(size, 1, base_seed(), std::chrono::microseconds(50));
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective != Collective::allreduce || !algorithm.fits(ranks_of(size))) continue;
    Operation o;
    o.algorithm = &algorithm;
    o.codec = find_codec(algorithm.id == AlgorithmName::ring ? "dense" : "quant");
    o.bound = 1e-2;
    o.count = 9000;
    o.chunk = 5000;
    SCOPED_TRACE(to_text(o, size) + ", " + seed_note());
    Bench<float> bench(o, size, Kind::land, base_seed());
    world.drive_by_threads(bench.works(world.next_sequence()));
    bench.check(world);
    if (::testing::Test::HasFailure()) return;
    const Budget budget = budget_of(o, size);
    std::size_t others = 0;
    for (std::int32_t b = 0; b < bench.cut(); ++b)
      for (std::size_t i = 0; i < bench.count(0, b); ++i) {
        const Exact e = reduce_exactly(Op::sum, size, [&](int r) { return bench.input(r, b)[i]; });
        if (e.nan || e.magnitude > 1e6L) continue;
        ++others;
        // Points are added without rounding; the last rounding is that of the result.
        const float found = bench.output(0, b)[i];
        ASSERT_LE(std::fabs(exactly(found) - e.value), budget.worst_case + half_ulp(found)) << "number " << i;
      }
    EXPECT_GT(others, o.count / 10);
  }
}

}  // namespace
}  // namespace laconic::test
