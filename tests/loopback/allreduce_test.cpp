// N ranks as N threads: every algorithm, codec, operation and type over messages that are late and out of order.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "support/seed.hpp"
#include "support/world.hpp"

namespace laconic::test {
namespace {

constexpr std::array<int, 8> sizes{1, 2, 3, 4, 5, 7, 8, 16};

std::string plain_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

class Allreduce : public ::testing::TestWithParam<std::tuple<int, std::size_t>> {
 protected:
  int size() const { return std::get<0>(GetParam()); }
  const Algorithm& algorithm() const { return all_algorithms()[std::get<1>(GetParam())]; }

  template <class T>
  void everything() {
    Random random(base_seed() + static_cast<std::uint64_t>(size()) * 31 + std::get<1>(GetParam()));
    // Runs are used again and again, as communicators do: with and without delays, with and without worker threads.
    World calm(size(), 1, random.bits(), std::chrono::microseconds(0));
    World delayed(size(), 1, random.bits(), std::chrono::microseconds(200));
    World threaded(size(), size() > 8 ? 2 : 3, random.bits(), std::chrono::microseconds(50));
    const std::array<World*, 4> worlds{&calm, &delayed, &calm, &threaded};
    std::size_t turn = 0;
    for (const Codec* codec : all_codecs())
      for (const NamedKind& k : all_kinds) {
        if (slow_build && random.below(4) != 0) continue;
        for (int what = static_cast<int>(random.below(static_cast<std::uint64_t>(stride()))); what < 4;
             what += stride()) {
          Operation o;
          o.algorithm = &algorithm();
          // Any instruction set: conformance shows that they do the same.
          o.codec = codec->name() == "quant" ? quant_variants()[random.below(quant_variants().size())].get() : codec;
          o.op = what == 2 ? Op::max : what == 3 ? Op::min : Op::sum;
          o.mean = what == 1;
          choose(o, random);
          World& world = *worlds[turn++ % worlds.size()];
          SCOPED_TRACE(to_text(o, size()) + ", " + std::string(k.name) + ", " + seed_note());
          Bench<T> bench(o, size(), k.kind, random.bits());
          world.drive_by_threads(bench.works(world.next_sequence()));
          bench.check(world);
          if (HasFailure()) return;
        }
      }
  }

  std::size_t blocks() const { return static_cast<std::size_t>(algorithm().build({0, size(), 0}).blocks); }

  // Many ranks on few cores are slow: of the four operations they try some.
  int stride() const { return slow_build || size() > 8 ? 4 : size() > 4 ? 2 : 1; }

  void choose(Operation& o, Random& random) const {
    const auto p = static_cast<std::size_t>(size());
    const std::array<std::size_t, 10> counts{0, 1, p - 1, p, p + 1, 17, 300, blocks() * 1025, 700, 4099};
    constexpr std::array<std::size_t, 6> chunks{1, 7, 64, 500, 1024, 100000};
    constexpr std::array<int, 5> depths{1, 2, 3, 8, 1000};
    constexpr std::array<double, 6> bounds{1e-2, 1e-1, 1e-4, 0, 1e-41, 10};
    o.count = counts[random.below(counts.size())];
    o.chunk = chunks[random.below(chunks.size())];
    if (o.count / p > 40 * o.chunk) o.chunk = o.count / p / 40;
    o.depth = depths[random.below(depths.size())];
    o.bound = bounds[random.below(bounds.size())];
    o.in_place = random.below(3) == 0;
  }
};

INSTANTIATE_TEST_SUITE_P(Loopback, Allreduce,
                         ::testing::Combine(::testing::ValuesIn(sizes),
                                            ::testing::Range(std::size_t{0}, all_algorithms().size())),
                         [](const auto& i) {
                           return plain_name(all_algorithms()[std::get<1>(i.param)].name) + "_" +
                                  std::to_string(std::get<0>(i.param));
                         });

TEST_P(Allreduce, Float) { everything<float>(); }
TEST_P(Allreduce, Double) { everything<double>(); }

// One rank comes late to every operation; the others wait without harm and may already be in the next one.
TEST_P(Allreduce, OneRankIsSlow) {
  World world(size(), 1, base_seed(), std::chrono::microseconds(20));
  Operation o;
  o.algorithm = &algorithm();
  o.codec = find_codec("quant");
  o.bound = 1e-2;
  o.count = 3000;
  o.chunk = 100;
  o.depth = 4;
  constexpr int rounds = 4;
  std::vector<std::unique_ptr<Bench<float>>> benches;
  std::vector<std::vector<Work>> works;
  for (int k = 0; k < rounds; ++k) {
    benches.push_back(std::make_unique<Bench<float>>(o, size(), Kind::walk, static_cast<std::uint64_t>(k)));
    works.push_back(benches.back()->works(world.next_sequence()));
  }
  const Watchdog watchdog(std::chrono::seconds(60), [&] { return world.describe(); });
  std::vector<std::thread> threads;
  for (int r = 0; r < size(); ++r)
    threads.emplace_back([&, r] {
      for (auto& work : works) {
        if (r == size() / 2) std::this_thread::sleep_for(std::chrono::milliseconds(3));
        world.run(r).start(work[static_cast<std::size_t>(r)]);
        while (!world.run(r).poll()) {
          if (r == size() / 2) std::this_thread::sleep_for(std::chrono::microseconds(100));
          std::this_thread::yield();
        }
        EXPECT_TRUE(world.run(r).status().ok());
      }
    });
  for (std::thread& t : threads) t.join();
  for (auto& bench : benches)
    for (int r = 0; r < size(); ++r)
      for (std::size_t i = 0; i < o.count; ++i)
        ASSERT_EQ(bits_of(bench->output(r)[i]), bits_of(bench->output(0)[i])) << "rank " << r << ", number " << i;
}

// More rows at a time than the transport can tell apart: the depth gives way.
TEST_P(Allreduce, DepthBeyondTheNamesOfMessages) {
  if (size() > (slow_build ? 3 : 8)) return;
  World world(size(), 1, base_seed(), std::chrono::microseconds(0));
  Operation o;
  o.algorithm = &algorithm();
  o.codec = find_codec("quant");
  o.bound = 1e-2;
  o.depth = 100000;
  o.chunk = 1;
  const auto blocks = static_cast<std::size_t>(o.algorithm->build({0, size(), 0}).blocks);
  o.count = 700 * blocks;
  Bench<float> bench(o, size(), Kind::sparse, base_seed());
  world.drive_in_turns(bench.works(world.next_sequence()));
  bench.check(world);
}

// Without raw blocks the result is the same to the bit whatever the algorithm, chunk, depth, threads and kernels.
// check() compares with the sum of the lattice points, so here it is only made sure that it does.
TEST(LatticeSums, AreTheSameHoweverTheyAreFormed) {
  Random random(base_seed());
  std::map<std::pair<int, int>, std::vector<float>> results;  // by size and data
  for (const int size : {2, 3, 5, 8}) {
    World one(size, 1, 1, std::chrono::microseconds(100));
    World three(size, 3, 2, std::chrono::microseconds(100));
    for (const Algorithm& algorithm : all_algorithms())
      for (const auto& codec : quant_variants())
        for (int data = 0; data < 3; ++data)
          for (const std::size_t chunk : {100, 1000, 100000}) {
            Operation o;
            o.algorithm = &algorithm;
            o.codec = codec.get();
            o.mean = data == 1;
            o.bound = 1e-2;
            o.count = 5000;
            o.chunk = chunk;
            o.depth = static_cast<int>(1 + random.below(4));
            SCOPED_TRACE(to_text(o, size));
            World& world = random.below(2) ? one : three;
            Bench<float> bench(o, size, data == 2 ? Kind::real : Kind::walk, static_cast<std::uint64_t>(data));
            ASSERT_TRUE(bench.on_lattice());
            world.drive_by_threads(bench.works(world.next_sequence()));
            bench.check(world);
            if (::testing::Test::HasFailure()) return;
            const std::vector<float> result(bench.output(0), bench.output(0) + o.count);
            const auto [known, fresh] = results.try_emplace({size, data}, result);
            ASSERT_EQ(std::memcmp(known->second.data(), result.data(), o.count * sizeof(float)), 0);
          }
  }
}

// Codecs that encode sums again at every hop make as many errors as the algorithm has hops: the ledger knows how many,
// and all ranks hold the same bits all the same.
TEST(ReencodedSums, KeepTheBound) {
  Random random(base_seed());
  for (const int size : {2, 3, 5, 8}) {
    World world(size, 1, random.bits(), std::chrono::microseconds(20));
    for (const Codec* codec : all_codecs()) {
      if (codec->exact_sums()) continue;
      for (const Algorithm& algorithm : all_algorithms())
        for (const Kind kind : {Kind::walk, Kind::real, Kind::special})
          for (const double bound : {1.0, 1e-2, 1e-5}) {
            Operation o;
            o.algorithm = &algorithm;
            o.codec = codec;
            o.op = static_cast<Op>(random.below(3));
            o.mean = o.op == Op::sum && random.below(2) == 0;
            o.bound = bound;
            o.count = static_cast<std::size_t>(size) * 700 + 13;
            o.chunk = 5200;
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
  for (const Algorithm& algorithm : all_algorithms()) {
    World world(4, 1, base_seed(), std::chrono::microseconds(0));
    Operation o;
    o.algorithm = &algorithm;
    o.codec = find_codec("quant");
    o.bound = 1e-2;
    o.count = 2000;
    o.chunk = 100;
    Bench<float> bench(o, 4, Kind::normal, 1);
    std::size_t after_first = 0;
    for (int k = 0; k < 300; ++k) {
      world.drive_in_turns(bench.works(world.next_sequence()));
      if (k == 0) after_first = world.footprint();
    }
    bench.check(world);
    EXPECT_EQ(world.footprint(), after_first) << algorithm.name;
  }
}

}  // namespace
}  // namespace laconic::test
