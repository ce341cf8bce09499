// SPDX-License-Identifier: BSD-3-Clause
// A failure on one rank must reach every rank that needed its numbers, and no rank may hang.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/bench.hpp"
#include "support/faults.hpp"
#include "support/seed.hpp"
#include "support/world.hpp"

namespace laconic::test {
namespace {

// One thread drives all ranks, so there is nothing for ThreadSanitizer to find.
#if !defined(__SANITIZE_THREAD__)

World::Wrap damaged_by(Fault& fault) {
  return [&](std::unique_ptr<Transport> inner) { return std::make_unique<FaultyTransport>(std::move(inner), fault); };
}

// Checks the ranks after a failure: a rank that reports success has the right results, and any other rank states the
// reason. Returns the count of ranks that report an error.
int check_all_know(World& world, Bench<float>& bench, const std::vector<std::vector<float>>& right, Code code) {
  int errors = 0;
  for (int r = 0; r < bench.size(); ++r) {
    const Status& s = world.run(r).status();
    EXPECT_TRUE(bench.intact(r));
    if (s.ok()) {
      const std::vector<float> found = bench.results(r);
      const auto& expected = right[static_cast<std::size_t>(r)];
      EXPECT_TRUE(found.empty() || std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)) == 0)
          << "rank " << r << " has a wrong result and does not know";
    } else {
      EXPECT_TRUE(s.code() == code || s.code() == Code::frame) << s.message();
      EXPECT_FALSE(s.message().empty());
      ++errors;
    }
  }
  return errors;
}

std::vector<std::vector<float>> results_of(Bench<float>& bench) {
  std::vector<std::vector<float>> all;
  for (int r = 0; r < bench.size(); ++r) all.push_back(bench.results(r));
  return all;
}

class DamagedMessage : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  Damage damage() const { return damages[std::get<0>(GetParam())].first; }
  const Algorithm& algorithm() const { return all_algorithms()[std::get<1>(GetParam())]; }
};

INSTANTIATE_TEST_SUITE_P(Loopback, DamagedMessage,
                         ::testing::Combine(::testing::Range(std::size_t{0}, damages.size()),
                                            ::testing::Range(std::size_t{0}, all_algorithms().size())),
                         [](const auto& i) {
                           return std::string(damages[std::get<0>(i.param)].second) + "_" +
                                  plain_name(all_algorithms()[std::get<1>(i.param)]);
                         });

// Damages each message of an operation in turn. All ranks end; a rank that reports success has the right result; at
// least one rank reports an error; and the same Runs then complete the operation.
TEST_P(DamagedMessage, IsNoticedByAllWhoNeedIt) {
  Random random(base_seed() + std::get<0>(GetParam()) * 100 + std::get<1>(GetParam()));
  for (const Codec* codec : all_codecs())
    for (const bool per_hop : {false, true})
      for (const int size : {2, 3, 4, 5}) {
        if (!algorithm().fits(ranks_of(size)) || left_out(random)) continue;
        Fault fault;
        fault.damage = damage();
        World world(size, 1, base_seed(), std::chrono::microseconds(0), damaged_by(fault));
        Operation o;
        o.algorithm = &algorithm();
        o.codec = codec;
        o.per_hop = per_hop;
        o.root = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
        o.bound = 1e-2;
        o.count = cuts_equally(o.collective()) ? 150 : 50;
        o.chunk = 40;
        o.depth = 2;
        o.in_place = random.below(2) == 0;
        o.checksum = needs_seal(damage()) || random.below(2) == 0;
        o.most = any_most(random);
        fault.sizes_differ = o.most > 1;
        SCOPED_TRACE(to_text(o, size) + ", " + seed_note());
        Bench<float> bench(o, size, Kind::walk, 3);
        world.drive_in_turns(bench.works(world.next_sequence()));
        bench.check(world);
        const std::size_t messages = fault.seen;
        const auto right = results_of(bench);
        const std::size_t leased = world.footprint();
        for (std::size_t k = 0; k < messages; ++k) {
          SCOPED_TRACE("message " + std::to_string(k));
          fault.at = k;
          fault.seen = 0;
          bench.scribble();
          world.drive_in_turns(bench.works(world.next_sequence()));
          fault.kept.clear();
          const int errors = check_all_know(world, bench, right, Code::frame);
          ASSERT_TRUE(errors > 0 || fault.harmless) << "nobody noticed";
          if (HasFailure()) return;
        }
        fault.at = Fault::never;
        bench.scribble();
        world.drive_in_turns(bench.works(world.next_sequence()));
        bench.check(world);
        EXPECT_EQ(world.footprint(), leased) << "frames were lost";
        if (HasFailure()) return;
      }
}

// Damage while numbers are being reduced reaches every rank: no rank has a result then. (Recursive doubling among a
// power of two differs: both partners add, and only one of them adds the damaged message.)
TEST(DamagedReduction, IsHeardByEveryRank) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const Codec* codec : all_codecs())
      for (const bool per_hop : {false, true})
        for (const int size : {2, 3, 4, 8}) {
          if (algorithm.collective != Collective::allreduce || !algorithm.fits(ranks_of(size))) continue;
          if (algorithm.name() == "recursive-doubling" && (size & (size - 1)) == 0) continue;
          Fault fault;
          fault.at = 0;
          World world(size, 1, base_seed(), std::chrono::microseconds(0), damaged_by(fault));
          Operation o;
          o.algorithm = &algorithm;
          o.codec = codec;
          o.per_hop = per_hop;
          o.bound = 1e-2;
          o.count = 500;
          o.chunk = 1000;
          o.most = per_hop ? 1 : all_blocks;
          Bench<float> bench(o, size, Kind::walk, 3);
          world.drive_in_turns(bench.works(world.next_sequence()));
          for (int r = 0; r < size; ++r) EXPECT_FALSE(world.run(r).status().ok()) << to_text(o, size) << ", rank " << r;
        }
}

class MuteRank : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Loopback, MuteRank, ::testing::Range(std::size_t{0}, all_algorithms().size()),
                         [](const auto& i) { return plain_name(all_algorithms()[i.param]); });

// A rank that cannot encode sends failed frames. They pass through additions, merges and hops to all ranks that need
// its numbers.
TEST_P(MuteRank, IsHeardByAllWhoNeedItsNumbers) {
  const Algorithm& algorithm = all_algorithms()[GetParam()];
  for (const Codec* codec : all_codecs())
    for (const bool per_hop : {false, true})
      for (const int size : {2, 3, 4, 7})
        for (int mute = 0; mute < size; ++mute) {
          if (!algorithm.fits(ranks_of(size))) continue;
          World world(size, 1, base_seed(), std::chrono::microseconds(0));
          Operation o;
          o.algorithm = &algorithm;
          o.codec = codec;
          o.per_hop = per_hop;
          o.root = size / 2;
          o.bound = 1e-2;
          o.count = cuts_equally(o.collective()) ? 150 : 50;
          o.chunk = 40;
          o.most = mute % 2 == 0 ? all_blocks : 1;
          SCOPED_TRACE(to_text(o, size) + ", rank " + std::to_string(mute) + " is mute");
          Bench<float> bench(o, size, Kind::walk, 3);
          world.drive_in_turns(bench.works(world.next_sequence()));
          bench.check(world);
          const auto right = results_of(bench);
          bench.scribble();
          auto works = bench.works(world.next_sequence());
          const MuteCodec refuses(*codec);
          works[static_cast<std::size_t>(mute)].codec = &refuses;
          world.drive_in_turns(works);
          check_all_know(world, bench, right, Code::memory);
          for (int r = 0; r < size; ++r) {
            bool needs = false;
            for (std::int32_t b = 0; b < bench.cut() && r != mute; ++b) needs = needs || bench.needs(r, b, mute);
            if (needs) {
              EXPECT_FALSE(world.run(r).status().ok()) << "rank " << r;
            }
          }
          bench.scribble();
          world.drive_in_turns(bench.works(world.next_sequence()));
          bench.check(world);
          if (HasFailure()) return;
        }
}

#endif

// The rank on which memory runs out reports it, and once it has ended, none of its threads touches the user's numbers.
TEST(OutOfMemory, EndsWithAnErrorAndNothingRunning) {
  for (const int threads : {1, 3})
    for (const int leases : {0, 1000}) {
      LoopbackHub hub(2, base_seed(), std::chrono::microseconds(0));
      const SlowCodec codec(*find_codec("quant"));
      Operation o;
      o.algorithm = find_algorithm(Collective::allreduce, "ring");
      o.codec = &codec;
      o.bound = 1e-2;
      o.count = 2000;
      o.chunk = 100;
      o.depth = 4;
      Bench<float> bench(o, 2, Kind::walk, 1);
      const auto works = bench.works(0);
      LimitedDevice scarce(threads, leases);
      HostDevice plenty(1);
      const auto transport0 = hub.transport(0);
      const auto transport1 = hub.transport(1);
      {
        laconic::Run run0(*transport0, scarce);
        laconic::Run run1(*transport1, plenty);
        const Watchdog watchdog(std::chrono::seconds(60), [&] { return run0.describe() + "\n" + run1.describe(); });
        run0.start(works[0]);
        run1.start(works[1]);
        while (!run0.poll()) run1.poll();
        EXPECT_TRUE(run0.status().code() == (leases < 100 ? Code::memory : Code::ok)) << leases << " leases";
        EXPECT_EQ(codec.running, 0) << "coding goes on although the operation has ended";
        EXPECT_TRUE(run0.poll());
        while (leases >= 100 && !run1.poll()) {
        }
      }
      EXPECT_EQ(scarce.leased, 0) << "memory was not given back";
    }
}

// All memory of a collective is leased before it starts; without that memory the operation does not start.
TEST(OutOfMemory, IsKnownBeforeAnythingIsSent) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const bool per_hop : {false, true})
      for (int leases = 0;; leases += 3) {
        Fault fault;
        LoopbackHub hub(4, base_seed(), std::chrono::microseconds(0));
        FaultyTransport transport(hub.transport(0), fault);
        Operation o;
        o.algorithm = &algorithm;
        o.codec = find_codec("quant");
        o.per_hop = per_hop;
        o.bound = 1e-2;
        o.count = 100;
        o.chunk = 10;
        o.most = 2;
        Bench<float> bench(o, 4, Kind::walk, 1);
        LimitedDevice scarce(1, leases);
        laconic::Run run(transport, scarce);
        run.start(bench.work(0, 0));
        if (run.status().ok()) break;
        ASSERT_LT(leases, 200) << to_text(o, 4);
        EXPECT_EQ(run.status().code(), Code::memory);
        EXPECT_TRUE(run.poll());
        EXPECT_EQ(fault.seen, 0u);
      }
}

// A failed transport ends the operation on its rank, and every later operation at once.
TEST(FailedTransport, EndsThisOperationAndLaterOnes) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const int threads : {1, 2})
      for (const std::size_t polls : {0, 1, 3, 10}) {
        if (!algorithm.fits(2)) continue;
        Fault fault;
        LoopbackHub hub(2, base_seed(), std::chrono::microseconds(0));
        FaultyTransport transport0(hub.transport(0), fault);
        const auto transport1 = hub.transport(1);
        const WrappedCodec codec(*find_codec("quant"));
        Operation o;
        o.algorithm = &algorithm;
        o.codec = &codec;
        o.bound = 1e-2;
        o.count = 400;
        o.chunk = 10;
        o.most = threads == 1 ? all_blocks : 1;
        Bench<float> bench(o, 2, Kind::walk, 1);
        HostDevice device0(threads);
        HostDevice device1(1);
        laconic::Run run0(transport0, device0);
        laconic::Run run1(*transport1, device1);
        const Watchdog watchdog(std::chrono::seconds(60), [&] { return run0.describe() + "\n" + run1.describe(); });
        fault.polls_left = polls;
        run0.start(bench.work(0, 0));
        run1.start(bench.work(1, 0));
        while (!run0.poll()) run1.poll();
        SCOPED_TRACE(to_text(o, 2) + ", " + std::to_string(polls) + " polls");
        ASSERT_EQ(run0.status().code(), Code::transport);
        run0.start(bench.work(0, 1));
        EXPECT_TRUE(run0.poll());
        EXPECT_EQ(run0.status().code(), Code::transport);
        EXPECT_EQ(run0.status().message(), "the cable is out");
      }
}

}  // namespace
}  // namespace laconic::test
