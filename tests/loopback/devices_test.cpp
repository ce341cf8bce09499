// SPDX-License-Identifier: BSD-3-Clause
// Ranks that have their numbers on a device: the operations are the same, and so are the resulting bits.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <tuple>
#include <vector>

#include "base/build.hpp"
#include "codec/device_codec.hpp"
#include "support/bench.hpp"
#include "support/faults.hpp"
#include "support/random_operation.hpp"
#include "support/seed.hpp"
#include "support/world.hpp"
#include "support/wrapped_kernels.hpp"

#if LACONIC_HAS_CUDA

namespace laconic::test {
namespace {

const std::vector<int> sizes = sanitized ? std::vector{1, 3, 4} : std::vector{1, 2, 3, 4, 7};
constexpr std::array<Site, 3> sites{Site::staged, Site::direct, Site::mixed};

// The codecs that keep a bound on the device.
std::vector<const Codec*> codecs_on_device() {
  std::vector<const Codec*> codecs;
  for (const Codec* codec : all_codecs())
    if (codec->on_device() != nullptr && codec->on_device()->supports(Coding{})) codecs.push_back(codec);
  return codecs;
}

class OnDevices : public ::testing::TestWithParam<std::tuple<Site, int, std::size_t>> {
 protected:
  Site site() const { return std::get<0>(GetParam()); }
  int size() const { return std::get<1>(GetParam()); }
  const Algorithm& algorithm() const { return all_algorithms()[std::get<2>(GetParam())]; }
  bool fits() const { return algorithm().fits(ranks_of(size())); }
  std::uint64_t seed() const {
    return base_seed() + static_cast<std::uint64_t>(size()) * 31 + std::get<2>(GetParam()) * 1009;
  }

  // Compares with ranks on the host: every bit of the result, and every byte sent, must be equal.
  template <class T>
  void compare(Bench<T>& bench, World& world, const Operation& o, Kind kind, std::uint64_t numbers) {
    World host(size(), 1, seed(), std::chrono::microseconds(0));
    Bench<T> expected(o, size(), kind, numbers);
    host.drive_in_turns(expected.works(host.next_sequence()));
    for (int r = 0; r < size(); ++r) {
      const auto found = bench.results(r);
      const auto right = expected.results(r);
      ASSERT_EQ(found.size(), right.size());
      EXPECT_TRUE(found.empty() || std::memcmp(found.data(), right.data(), right.size() * sizeof(T)) == 0)
          << "rank " << r << " has other bits than on the host";
      EXPECT_EQ(world.run(r).account().bytes_sent, host.run(r).account().bytes_sent);
      EXPECT_EQ(world.run(r).account().error, host.run(r).account().error);
    }
  }

  template <class T>
  void everything() {
    if (!fits()) return;
    Random random(seed() + sizeof(T));
    World world(size(), 1, random.bits(), std::chrono::microseconds(random.below(2) * 50), {}, site());
    for (const Codec* codec : codecs_on_device())
      for (int k = 0; k < (size() > 3 ? 1 : 2); ++k) {
        if (left_out(random)) continue;
        Operation o;
        o.algorithm = &algorithm();
        o.codec = codec;
        o.per_hop = random.below(3) == 0;
        choose(o, size(), random);
        const Kind kind = all_kinds[random.below(all_kinds.size())].kind;
        const std::uint64_t numbers = random.bits();
        const bool reduce_on_host = random.below(4) == 0;
        if (!codec->supports(dtype_of<T>) || !codec->on_device()->supports(coding_of<T>(o, size()))) continue;
        SCOPED_TRACE(to_text(o, size()) + ", " + name_of(kind) + (reduce_on_host ? ", reduced on the host, " : ", ") +
                     seed_note());
        Bench<T> bench(o, size(), kind, numbers, &world);
        auto works = bench.works(world.next_sequence());
        for (Work& work : works) work.reduce_on_host = reduce_on_host;
        if (random.below(3) == 0)
          world.drive_by_threads(works);
        else
          world.drive_at_random(works, random);
        bench.check(world);
        compare(bench, world, o, kind, numbers);
        if (HasFailure()) return;
      }
  }
};

INSTANTIATE_TEST_SUITE_P(Loopback, OnDevices,
                         ::testing::Combine(::testing::ValuesIn(sites), ::testing::ValuesIn(sizes),
                                            ::testing::Range(std::size_t{0}, all_algorithms().size())),
                         [](const auto& i) {
                           return plain_name(all_algorithms()[std::get<2>(i.param)]) + "_" +
                                  std::to_string(std::get<1>(i.param)) + "_" +
                                  std::string(name_of(std::get<0>(i.param)));
                         });

TEST_P(OnDevices, Float) {
  NEED_DEVICE();
  everything<float>();
}
TEST_P(OnDevices, Double) {
  NEED_DEVICE();
  everything<double>();
}
TEST_P(OnDevices, HalfPrecision) {
  NEED_DEVICE();
  everything<Float16>();
  if (!HasFailure()) everything<Bfloat16>();
}

std::vector<std::vector<float>> results_of(Bench<float>& bench) {
  std::vector<std::vector<float>> all;
  for (int r = 0; r < bench.size(); ++r) all.push_back(bench.results(r));
  return all;
}

// A fixed rate has no bound, but the bits are the same as on the host.
TEST_P(OnDevices, FixedRate) {
  NEED_DEVICE();
  const Codec* zfp = find_codec("zfp");
  if (zfp == nullptr || zfp->on_device() == nullptr || !fits() || size() > 3) return;
  Random random(seed());
  if (left_out(random)) return;
  World world(size(), 1, random.bits(), std::chrono::microseconds(0), {}, site());
  World host(size(), 1, random.bits(), std::chrono::microseconds(0));
  Operation o;
  o.algorithm = &algorithm();
  o.codec = zfp;
  o.per_hop = random.below(3) == 0;
  choose(o, size(), random);
  const double rate = static_cast<double>(4 + random.below(20));
  const std::uint64_t numbers = random.bits();
  SCOPED_TRACE(to_text(o, size()) + ", rate " + std::to_string(rate) + ", " + seed_note());
  Bench<float> bench(o, size(), Kind::walk, numbers, &world);
  Bench<float> expected(o, size(), Kind::walk, numbers);
  const auto at_rate = [&](std::vector<Work> works) {
    for (Work& work : works) {
      work.coding.rate = rate;
      work.coding.allowance = work.last_allowance = 0;
    }
    return works;
  };
  world.drive_at_random(at_rate(bench.works(world.next_sequence())), random);
  host.drive_in_turns(at_rate(expected.works(host.next_sequence())));
  for (int r = 0; r < size(); ++r) {
    ASSERT_TRUE(world.run(r).status().ok()) << world.run(r).status().message();
    ASSERT_TRUE(bench.intact(r));
    const auto found = bench.results(r);
    const auto right = expected.results(r);
    ASSERT_EQ(found.size(), right.size());
    EXPECT_TRUE(found.empty() || std::memcmp(found.data(), right.data(), right.size() * sizeof(float)) == 0)
        << "rank " << r << " has other bits than on the host";
    EXPECT_EQ(world.run(r).account().bytes_sent, host.run(r).account().bytes_sent);
  }
}

// Checks that every rank that reports success has the right results; returns the count of ranks that report an error.
int check_all_know(World& world, Bench<float>& bench, const std::vector<std::vector<float>>& right) {
  int errors = 0;
  for (int r = 0; r < bench.size(); ++r) {
    EXPECT_TRUE(bench.intact(r));
    if (!world.run(r).status().ok()) {
      ++errors;
      continue;
    }
    const std::vector<float> found = bench.results(r);
    const auto& expected = right[static_cast<std::size_t>(r)];
    EXPECT_TRUE(found.empty() || std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)) == 0)
        << "rank " << r << " has a wrong result and does not know";
  }
  return errors;
}

class FailuresOnDevices : public ::testing::TestWithParam<std::tuple<Site, std::size_t>> {
 protected:
  Site site() const { return std::get<0>(GetParam()); }
  const Algorithm& algorithm() const { return all_algorithms()[std::get<1>(GetParam())]; }
};

INSTANTIATE_TEST_SUITE_P(Loopback, FailuresOnDevices,
                         ::testing::Combine(::testing::Values(Site::staged, Site::mixed),
                                            ::testing::Range(std::size_t{0}, all_algorithms().size())),
                         [](const auto& i) {
                           return plain_name(all_algorithms()[std::get<1>(i.param)]) + "_" +
                                  std::string(name_of(std::get<0>(i.param)));
                         });

// Damages messages of an operation. All ranks end; each rank that reports success has the right result; at least one
// reports an error; and the same Runs then complete the operation, in the memory that they already had.
TEST_P(FailuresOnDevices, DamagedMessagesAreNoticed) {
  NEED_DEVICE();
  Random random(base_seed() + std::get<1>(GetParam()));
  for (const Codec* codec : codecs_on_device())
    for (const bool per_hop : {false, true})
      for (const auto& [damage, name] : damages) {
        const int size = static_cast<int>(2 + random.below(3));
        if (!algorithm().fits(ranks_of(size)) || left_out(random, 2)) continue;
        Fault fault;
        fault.damage = damage;
        World world(
            size, 1, base_seed(), std::chrono::microseconds(0),
            [&](std::unique_ptr<Transport> inner) {
              return std::make_unique<FaultyTransport>(std::move(inner), fault);
            },
            site());
        Operation o;
        o.algorithm = &algorithm();
        o.codec = codec;
        o.per_hop = per_hop;
        o.root = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
        o.bound = 1e-2;
        o.count = cuts_equally(o.collective()) ? 150 : 50;
        o.chunk = 40;
        o.checksum = needs_seal(damage) || random.below(2) == 0;
        o.most = any_most(random);
        fault.sizes_differ = o.most > 1;
        SCOPED_TRACE(to_text(o, size) + ", " + name + ", " + seed_note());
        Bench<float> bench(o, size, Kind::walk, 3, &world);
        world.drive_in_turns(bench.works(world.next_sequence()));
        bench.check(world);
        const auto right = results_of(bench);
        const std::size_t leased = world.footprint();
        const std::size_t messages = fault.seen;
        for (int k = 0; k < 3; ++k) {
          fault.at = random.below(messages);
          fault.seen = 0;
          SCOPED_TRACE("message " + std::to_string(fault.at));
          bench.scribble();
          world.drive_in_turns(bench.works(world.next_sequence()));
          fault.kept.clear();
          const int errors = check_all_know(world, bench, right);
          ASSERT_TRUE(errors > 0 || fault.harmless) << "nobody noticed";
        }
        fault.at = Fault::never;
        bench.scribble();
        world.drive_in_turns(bench.works(world.next_sequence()));
        bench.check(world);
        EXPECT_EQ(world.footprint(), leased) << "frames were lost";
        if (HasFailure()) return;
      }
}

// Kernels that cannot encode numbers.
class MuteKernels final : public WrappedKernels {
 public:
  using WrappedKernels::WrappedKernels;
  Status encode(const void*, std::size_t, const Coding&, std::byte*, Queue&) const override { return refused(); }
  Status fold(const DeviceFrame&, const void*, std::size_t, const Coding&, std::byte*, Queue&) const override {
    return refused();
  }
  Status add(const DeviceFrame&, const DeviceFrame&, std::size_t, const Coding&, std::byte*,
             Queue& queue) const override {
    // Reports the fault as a kernel does.
    report_of(queue)->fault = 7;
    return {};
  }
  Status encode_pieces(std::span<const Piece>, const Coding&, Queue&) const override { return refused(); }
  Status status(std::uint32_t fault) const override {
    return fault == 7 ? refused() : Status(Code::frame, "another fault");
  }

 private:
  static Status refused() { return {Code::memory, "no room to think"}; }
};

TEST_P(FailuresOnDevices, ARankThatCannotEncodeIsHeard) {
  NEED_DEVICE();
  Random random(base_seed() + std::get<1>(GetParam()));
  for (const Codec* codec : codecs_on_device())
    for (const bool per_hop : {false, true})
      for (const int size : {2, 3, 4})
        for (int mute = 0; mute < size; ++mute) {
          if (!algorithm().fits(ranks_of(size)) || (site() == Site::mixed && mute % 2 != 0)) continue;
          if (left_out(random)) continue;
          World world(size, 1, base_seed(), std::chrono::microseconds(0), {}, site());
          Operation o;
          o.algorithm = &algorithm();
          o.codec = codec;
          o.per_hop = per_hop;
          o.root = size / 2;
          o.bound = 1e-2;
          o.count = cuts_equally(o.collective()) ? 150 : 50;
          o.chunk = 40;
          o.most = mute % 2 == 0 ? all_blocks : 1;
          SCOPED_TRACE(to_text(o, size) + ", rank " + std::to_string(mute) + " is mute");
          Bench<float> bench(o, size, Kind::walk, 3, &world);
          world.drive_in_turns(bench.works(world.next_sequence()));
          bench.check(world);
          const auto right = results_of(bench);
          bench.scribble();
          auto works = bench.works(world.next_sequence());
          const WithKernels<MuteKernels> refuses(*codec);
          works[static_cast<std::size_t>(mute)].codec = &refuses;
          world.drive_in_turns(works);
          check_all_know(world, bench, right);
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

// A failed transport ends the operation, and no work that uses its memory is left running on the device.
TEST_P(FailuresOnDevices, AFailedTransportEndsTheOperation) {
  NEED_DEVICE();
  for (const std::size_t polls : {0, 1, 3, 10}) {
    Fault fault;
    const int size = algorithm().fits(ranks_of(2)) ? 2 : 4;
    World world(
        size, 1, base_seed(), std::chrono::microseconds(0),
        [&](std::unique_ptr<Transport> inner) { return std::make_unique<FaultyTransport>(std::move(inner), fault); },
        site());
    Operation o;
    o.algorithm = &algorithm();
    o.codec = find_codec("raw");
    o.count = 400;
    o.chunk = 10;
    Bench<float> bench(o, size, Kind::walk, 1, &world);
    const auto works = bench.works(0);
    fault.polls_left = polls;
    for (int r = 0; r < size; ++r) world.run(r).start(works[static_cast<std::size_t>(r)]);
    const Watchdog watchdog(std::chrono::seconds(60), [&] { return world.describe(); });
    for (int r = 0; r < size; ++r) {
      while (!world.run(r).poll()) {
      }
      EXPECT_EQ(world.run(r).status().code(), Code::transport) << "rank " << r;
    }
  }
}

// All memory of a collective is leased before it starts; without that memory the operation does not start.
TEST(OutOfDeviceMemory, IsKnownBeforeAnythingIsSent) {
  NEED_DEVICE();
  for (const Algorithm& algorithm : all_algorithms())
    for (const bool staged : {false, true})
      for (int leases = 0;; leases += 3) {
        Fault fault;
        LoopbackHub hub(
            4, base_seed(), std::chrono::microseconds(0),
            staged ? LoopbackHub::Copy{} : [](void*, const void*, std::size_t) { return Status{}; });
        FaultyTransport transport(hub.transport(0), fault);
        Operation o;
        o.algorithm = &algorithm;
        o.codec = find_codec("raw");
        o.count = 100;
        o.chunk = 10;
        Bench<float> bench(o, 4, Kind::walk, 1);
        LimitedDevice scarce(open_first_device(), leases);
        {
          laconic::Run run(transport, scarce);
          const Work work = bench.work(0, 0);
          const Status reserved = run.reserve(work);
          if (reserved.ok()) break;
          ASSERT_LT(leases, 400) << to_text(o, 4);
          EXPECT_EQ(reserved.code(), Code::memory);
          run.start(work);
          EXPECT_TRUE(run.poll());
          EXPECT_EQ(run.status().code(), Code::memory);
          EXPECT_EQ(fault.seen, 0u);
        }
        EXPECT_EQ(scarce.leased, 0) << "memory was not given back";
      }
}

}  // namespace
}  // namespace laconic::test

#endif
