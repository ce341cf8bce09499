// SPDX-License-Identifier: BSD-3-Clause
// N ranks as N threads: every algorithm of every collective, with every codec, way to travel, operation and type, with
// messages that arrive late and out of order.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

#include "support/bench.hpp"
#include "support/random_operation.hpp"
#include "support/seed.hpp"
#include "support/world.hpp"

namespace laconic::test {
namespace {

constexpr std::array<int, 8> sizes{1, 2, 3, 4, 5, 7, 8, 16};

class EveryCollective : public ::testing::TestWithParam<std::tuple<int, std::size_t>> {
 protected:
  int size() const { return std::get<0>(GetParam()); }
  const Algorithm& algorithm() const { return all_algorithms()[std::get<1>(GetParam())]; }
  bool fits() const { return algorithm().fits(ranks_of(size())); }
  std::uint64_t seed() const {
    return base_seed() + static_cast<std::uint64_t>(size()) * 31 + std::get<1>(GetParam()) * 1009;
  }

  template <class T>
  void everything() {
    if (!fits()) return;
    Random random(seed() + sizeof(T));
    // Each Run is reused, as communicators do: with and without delays, with and without worker threads.
    World calm(size(), 1, random.bits(), std::chrono::microseconds(0));
    World delayed(size(), 1, random.bits(), std::chrono::microseconds(100));
    World threaded(size(), size() > 8 ? 2 : 3, random.bits(), std::chrono::microseconds(50));
    const std::array<World*, 3> worlds{&calm, &delayed, &threaded};
    for (const Codec* codec : all_codecs()) {
      if (!codec->supports(dtype_of<T>)) continue;
      for (int k = 0; k < (sizeof(T) > 2 ? tries() : (tries() + 3) / 4); ++k) {
        if (left_out(random)) continue;
        Operation o;
        o.algorithm = &algorithm();
        // Any instruction set will do: the conformance tests show that all give the same results.
        o.codec = codec->name() == "quant" ? quant_variants()[random.below(quant_variants().size())].get() : codec;
        o.per_hop = random.below(3) == 0;
        choose(o, size(), random);
        const NamedKind kind = all_kinds[random.below(all_kinds.size())];
        World& world = *worlds[random.below(worlds.size())];
        SCOPED_TRACE(to_text(o, size()) + ", " + std::string(kind.name) + ", " + seed_note());
        Bench<T> bench(o, size(), kind.kind, random.bits());
        const auto works = bench.works(world.next_sequence());
        // One thread per rank exposes races, but is slow where there are few cores.
        if (random.below(size() > 4 ? 4 : 2) == 0)
          world.drive_by_threads(works);
        else
          world.drive_at_random(works, random);
        bench.check(world);
        if (HasFailure()) return;
      }
    }
  }

  // Fewer tries for many ranks, which are slow on few cores.
  int tries() const { return slow_build || size() > 8 ? 1 : size() > 4 ? 2 : 3; }
};

INSTANTIATE_TEST_SUITE_P(Loopback, EveryCollective,
                         ::testing::Combine(::testing::ValuesIn(sizes),
                                            ::testing::Range(std::size_t{0}, all_algorithms().size())),
                         [](const auto& i) {
                           return plain_name(all_algorithms()[std::get<1>(i.param)]) + "_" +
                                  std::to_string(std::get<0>(i.param));
                         });

TEST_P(EveryCollective, Float) { everything<float>(); }
TEST_P(EveryCollective, Double) { everything<double>(); }
TEST_P(EveryCollective, HalfPrecision) {
  everything<Float16>();
  if (!HasFailure()) everything<Bfloat16>();
}

// One rank starts every operation late; the others wait without harm, and may already be in the next operation.
TEST_P(EveryCollective, OneRankIsSlow) {
  if (!fits() || size() > (sanitized ? 4 : 8)) return;
  World world(size(), 1, seed(), std::chrono::microseconds(20));
  Operation o;
  o.algorithm = &algorithm();
  o.codec = find_codec("quant");
  o.bound = 1e-2;
  o.count = cuts_equally(o.collective()) ? 3000 : 400;
  o.chunk = 100;
  o.depth = 4;
  constexpr int rounds = 3;
  std::vector<std::unique_ptr<Bench<float>>> benches;
  std::vector<std::vector<Work>> works;
  for (int k = 0; k < rounds; ++k) {
    o.root = k % size();
    benches.push_back(std::make_unique<Bench<float>>(o, size(), Kind::walk, static_cast<std::uint64_t>(k)));
    works.push_back(benches.back()->works(world.next_sequence()));
  }
  const Watchdog watchdog(std::chrono::seconds(60), [&] { return world.describe(); });
  std::vector<std::thread> threads;
  for (int r = 0; r < size(); ++r)
    threads.emplace_back([&, r] {
      for (auto& work : works) {
        if (r == size() / 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        world.run(r).start(work[static_cast<std::size_t>(r)]);
        while (!world.run(r).poll()) {
          if (r == size() / 2) std::this_thread::sleep_for(std::chrono::microseconds(100));
          std::this_thread::yield();
        }
        EXPECT_TRUE(world.run(r).status().ok());
      }
    });
  for (std::thread& t : threads) t.join();
  for (auto& bench : benches) bench->check_results();
}

// More rows at a time than the transport has message tags for: the depth is reduced. One thread drives all ranks, so
// there is nothing for ThreadSanitizer to find.
#if !defined(__SANITIZE_THREAD__)
TEST_P(EveryCollective, DepthBeyondTheNamesOfMessages) {
  if (!fits() || size() > (sanitized ? 3 : 5)) return;
  World world(size(), 1, seed(), std::chrono::microseconds(0));
  Operation o;
  o.algorithm = &algorithm();
  o.codec = find_codec("quant");
  o.bound = 1e-2;
  o.depth = 100000;
  o.chunk = 1;
  const auto blocks = static_cast<std::size_t>(o.algorithm->build(place_at(0, size())).blocks);
  o.count = 600 * (cuts_equally(o.collective()) ? blocks : 1);
  Bench<float> bench(o, size(), Kind::sparse, base_seed());
  world.drive_in_turns(bench.works(world.next_sequence()));
  bench.check(world);
}
#endif

}  // namespace
}  // namespace laconic::test
