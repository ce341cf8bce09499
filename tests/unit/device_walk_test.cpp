// SPDX-License-Identifier: BSD-3-Clause
// The simulated walk along a plan gives the known cost formula of each algorithm. c(n), x(n): seconds to encode, and
// to decode or decode and add, n bytes; w(n): seconds that n bytes, compressed, take on the wire; a: latency; s: the
// sender's time for each message; p = (N-1)/N.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "schedule/audit.hpp"
#include "schedule/messages.hpp"
#include "tune/choose_device.hpp"
#include "tune/hops.hpp"

namespace laconic::test {
namespace {

struct Setting {
  double floor, encode, decode;  // seconds, bytes/s, bytes/s
  Path path;
  double ratio;
  double bytes;

  double c(double n) const { return floor + n / encode; }
  double x(double n) const { return floor + n / decode; }
  double w(double n) const { return n / ratio / path.bytes_per_second; }

  Coder coder() const {
    Coder coder;
    for (const Kernel kernel : all_kernels) {
      coder[kernel] = Curve::modelled(floor, kernel == Kernel::encode ? encode : decode, "");
      coder.together[static_cast<std::size_t>(kernel)] = true;
    }
    return coder;
  }
};

// The codec is slow enough that kernels do not hide behind the wire, nor messages behind kernels.
const Setting theirs{150e-6, 330e9, 390e9, {5e-6, 12.5e9, 1e-6}, 40, 600e6};
const Setting ours{8e-6, 2.5e12, 1.7e12, {5e-6, 12.5e9, 1e-6}, 40, 600e6};
const Setting fast_wire{8e-6, 2.5e12, 1.7e12, {5e-6, 50e9, 1e-6}, 4, 600e6};

double seconds(const char* algorithm, const Setting& s, int size, Travel travel, int rows = 1) {
  const Algorithm* a = find_algorithm(Collective::allreduce, algorithm);
  const auto t = time_of(*a, {s.bytes, size, 0, travel, s.ratio, rows}, s.coder(), s.path);
  if (!t) throw std::runtime_error(std::string(algorithm) + " was not walked");
  EXPECT_NEAR(t->seconds, t->codec + t->wire + t->latency, 1e-12);
  return t->seconds;
}

double ring(const Setting& s, int n) {
  const double piece = s.bytes / n, hop = s.path.per_message + s.path.latency + s.w(piece);
  return (n - 1) * (s.c(piece) + hop + s.x(piece)) + s.c(piece) + (n - 1) * hop + s.x(piece);
}

double doubling(const Setting& s, int n) {
  const double hop = s.path.per_message + s.path.latency + s.w(s.bytes);
  return std::log2(n) * (s.c(s.bytes) + hop + s.x(s.bytes));
}

// The owner's own part is not encoded. The owner decodes its sum while the others are on the way, hence p D where D is
// often written.
double direct(const Setting& s, int n) {
  const double others = s.bytes * (n - 1) / n;
  const double hop = (n - 1) * s.path.per_message + s.path.latency + s.w(others);
  const double own = s.bytes / n / s.decode;
  return s.c(others) + hop + s.x(others) + s.c(s.bytes / n) + std::max(hop, own) + s.x(others);
}

TEST(DeviceWalk, OfARingIsTheFormula) {
  for (const Setting& s : {theirs, ours, fast_wire})
    for (const int n : {2, 3, 8, 64}) {
      // A piece is decoded while the next one is on the wire, unless decoding takes longer.
      const double piece = s.bytes / n, hop = s.path.per_message + s.path.latency + s.w(piece);
      if (piece / s.decode > hop) continue;
      EXPECT_NEAR(seconds("ring", s, n, Travel::reencoding), ring(s, n), 1e-9 * ring(s, n)) << n;
    }
  // Otherwise decoding is the bottleneck: N pieces, one after the other.
  Setting slow = theirs;
  slow.decode = 100e9;
  const double piece = slow.bytes / 64, hop = 1e-6 + 5e-6 + slow.w(piece);
  ASSERT_GT(piece / slow.decode, hop);
  EXPECT_NEAR(seconds("ring", slow, 64, Travel::reencoding), ring(slow, 64) + 63 * (piece / slow.decode - hop), 1e-9);
}

TEST(DeviceWalk, OfRecursiveDoublingIsTheFormula) {
  for (const Setting& s : {theirs, ours, fast_wire})
    for (const int n : {2, 4, 64, 512})
      EXPECT_NEAR(seconds("recursive-doubling", s, n, Travel::per_hop), doubling(s, n), 1e-9 * doubling(s, n)) << n;
  // Travel::per_hop leaves different bits on different ranks. To hold the numbers that were sent, each rank must also
  // decode its own frame.
  for (const int n : {2, 4, 64})
    EXPECT_NEAR(seconds("recursive-doubling", ours, n, Travel::reencoding),
                doubling(ours, n) + std::log2(n) * ours.x(ours.bytes), 1e-9);
}

// The remainder needs one more exchange of all data. The ranks that stand aside get both halves of the last exchange,
// not the result, so a rank that has a half sends it up to three times.
TEST(DeviceWalk, OfRecursiveDoublingHasStagesForTheRemainder) {
  for (const Setting& s : {theirs, ours, fast_wire})
    for (const int n : {3, 6, 65, 100}) {
      const double hop = s.path.per_message + s.path.latency + s.w(s.bytes);
      const double stages = (1 + std::floor(std::log2(n))) * (s.c(s.bytes) + hop + s.x(s.bytes));
      const double returned = s.c(s.bytes) + s.x(s.bytes) + s.path.per_message + s.w(s.bytes);
      const double walked = seconds("recursive-doubling", s, n, Travel::per_hop);
      EXPECT_GE(walked, stages * (1 - 1e-9)) << n;
      EXPECT_LE(walked, (stages + 2 * returned) * (1 + 1e-9)) << n;
    }
}

TEST(DeviceWalk, OfDirectIsTheFormula) {
  for (const Setting& s : {theirs, ours, fast_wire})
    for (const int n : {2, 3, 8, 64, 512})
      EXPECT_NEAR(seconds("direct", s, n, Travel::reencoding), direct(s, n), 1e-9 * direct(s, n)) << n;
}

// Kernels share one device, and both exchanges share one link. However much they overlap, neither the device nor the
// link can take less time than all of its work. (The pipeline formula, sum of the stages / K + (1 - 1/K) of the
// longest, gives less than that.)
TEST(DeviceWalk, OfRowsOverlapsThem) {
  for (const Setting& s : {theirs, ours, fast_wire})
    for (const int n : {8, 64}) {
      const double whole = direct(s, n), others = s.bytes * (n - 1) / n;
      const double kernels = s.c(others) + s.x(others) + s.c(s.bytes / n) + s.x(others);
      const double wires = 2 * s.w(others) + 8 * (n - 1) * s.path.per_message;
      const double launches = 4 * 4 * s.floor;
      const double walked = seconds("direct", s, n, Travel::reencoding, 4);
      EXPECT_LT(walked, whole);
      EXPECT_GE(walked, std::max(kernels - 4 * s.floor, wires));
      EXPECT_LE(walked, whole / 4 + std::max(kernels, wires) + launches);
    }
}

// The owner of a block folds one frame and adds n - 2, each in a launch, or all in one that costs as much as a fold and
// an add.
TEST(DeviceWalk, CombinesTheFramesOfABlockInOneLaunch) {
  constexpr int n = 8;
  const Algorithm& direct = *find_algorithm(Collective::reduce_scatter, "direct");
  const Path free{0, 1e300, 0};
  Coder coder = ours.coder();
  coder.together = {};
  const Journey journey{1e3, n, 0, Travel::homomorphic, ours.ratio, 1};
  const double apart = time_of(direct, journey, coder, free)->seconds;
  coder.combines = true;
  EXPECT_NEAR(apart - time_of(direct, journey, coder, free)->seconds, (n - 3) * ours.floor, 1e-9);
}

// Two ranks exchange two messages a row.  A row begins when a place is free, so latencies overlap in `depth` rows.
TEST(DeviceWalk, LimitsTheRowsUnderWay) {
  Coder nothing;
  for (const Kernel kernel : all_kernels) nothing[kernel] = Curve::modelled(0, 1e300, "");
  for (const int depth : {1, 2, 4, 8}) {
    Journey journey{1, 2, 0, Travel::homomorphic, 1, 8};
    journey.depth = depth;
    const auto t = time_of(*find_algorithm(Collective::allreduce, "ring"), journey, nothing, {1, 1e300, 0});
    EXPECT_NEAR(t->seconds, 2.0 * 8 / depth, 1e-9) << depth;
    EXPECT_NEAR(t->latency, t->seconds, 1e-9);
  }
}

// The engine's order and its limits keep no rank waiting for ever, as the audit proves of every schedule.  With one row
// at a time, rows follow one another.
TEST(DeviceWalk, EndsInTheOrderOfTheEngine) {
  Coder coder;
  for (const Kernel kernel : all_kernels) coder[kernel] = Curve::modelled(0, 3, "");
  for (const Algorithm& a : all_algorithms())
    for (const int size : {2, 3, 4, 5, 8, 13, 16})
      for (const std::uint32_t most : {1u, 4u, all_blocks})
        for (const Travel travel : {Travel::homomorphic, Travel::per_hop}) {
          if (!a.fits(size)) continue;
          const auto hops = Hops::find(a, size, 0, travel, true, most);
          ASSERT_TRUE(hops);
          const auto seconds = [&](int rows, int depth) {
            Journey journey{static_cast<double>(rows), size, 0, travel, 1, rows, most, depth, true};
            const auto t = time_of(a.collective, *hops, journey, coder, {0.1, 2, 0.01});
            EXPECT_TRUE(t) << a.name() << " of " << name_of(a.collective) << " on " << size << ", " << rows << " rows";
            return t ? t->seconds : 0;
          };
          const double one = seconds(1, 1), four = seconds(4, 1);
          EXPECT_GT(one, 0);
          if (hops->ranks() == 1) {
            EXPECT_NEAR(four, 4 * one, 1e-9) << a.name() << " of " << size;
          }
          EXPECT_GT(seconds(4, 4), one);
        }
}

// The table of the design, in ms. It counts no time for each message in rings.
TEST(DeviceWalk, ReproducesTheTableOfTheDesign) {
  struct Row {
    const Setting& setting;
    int size;
    double ring, doubling, direct;
  };
  for (const Row& row :
       {Row{theirs, 64, 25.5, 29.1, 7.9}, Row{theirs, 512, 164, 43.7, 8.8}, Row{ours, 64, 4.6, 10.9, 3.5},
        Row{ours, 512, 16.3, 16.3, 4.4}, Row{fast_wire, 64, 8.2, 21.7, 7.0}, Row{fast_wire, 512, 19.9, 32.5, 8.0}}) {
    const auto is = [&](const char* algorithm, Travel travel, double ms) {
      const double walked = 1e3 * seconds(algorithm, row.setting, row.size, travel);
      EXPECT_NEAR(walked / ms, 1, 0.07) << algorithm << " of " << row.size << ": " << walked;
      return walked;
    };
    const double ring = is("ring", Travel::reencoding, row.ring);
    const double doubling = is("recursive-doubling", Travel::per_hop, row.doubling);
    EXPECT_LT(is("direct", Travel::reencoding, row.direct), std::min(ring, doubling));
  }
}

TEST(DeviceWalk, OfOneRankIsThatOfAllWhereAllDoTheSame) {
  for (const Algorithm& a : all_algorithms())
    for (const int size : {2, 3, 4, 6, 8, 13, 16, 24})
      for (const Travel travel : {Travel::homomorphic, Travel::reencoding, Travel::per_hop}) {
        if (!a.fits(size)) continue;
        const std::uint32_t most = size % 3 == 0 ? 1 : size == 16 ? 4 : all_blocks;
        const auto one = Hops::find(a, size, 0, travel, true, most), all = Hops::find(a, size, 0, travel, false, most);
        ASSERT_TRUE(one && all) << a.name() << " of " << size;
        ASSERT_EQ(all->ranks(), static_cast<std::size_t>(size));
        if (one->ranks() != 1) continue;
        for (std::size_t r = 0; r < all->ranks(); ++r) {
          const auto& actions = all->plan(r).actions;
          ASSERT_EQ(actions.size(), one->plan(0).actions.size()) << a.name() << " of " << size << ", rank " << r;
          for (std::size_t i = 0; i < actions.size(); ++i) {
            EXPECT_EQ(all->hop(r, i), one->hop(0, i))
                << a.name() << " of " << size << ", rank " << r << ", action " << i;
            if (waits_for_message(actions[i].act)) {
              EXPECT_EQ(all->sender_of(r, actions[i]).second, one->sender_of(0, one->plan(0).actions[i]).second);
            }
          }
        }
      }
}

TEST(DeviceWalk, KnowsWhichAlgorithmsAreSymmetric) {
  const auto ranks = [](const char* name, Collective c, int size) {
    return Hops::find(*find_algorithm(c, name), size, 0, Travel::homomorphic)->ranks();
  };
  EXPECT_EQ(ranks("ring", Collective::allreduce, 100), 1u);
  EXPECT_EQ(ranks("direct", Collective::allreduce, 100), 1u);
  EXPECT_EQ(ranks("recursive-doubling", Collective::allreduce, 64), 1u);
  EXPECT_EQ(ranks("recursive-doubling", Collective::allreduce, 100), 100u);
  EXPECT_EQ(ranks("binomial", Collective::bcast, 64), 64u);
}

// The hop counts of the audit equal the number of latencies in a walk in which
// everything else is free.
TEST(DeviceWalk, CountsTheHopsOfEveryAlgorithm) {
  Coder nothing;
  for (const Kernel kernel : all_kernels) nothing[kernel] = Curve::modelled(0, 1e300, "");
  for (const Algorithm& a : all_algorithms())
    for (const int size : {2, 3, 8, 13, 32, 65}) {
      if (!a.fits(size)) continue;
      for (const std::uint32_t most : {std::uint32_t{1}, std::uint32_t{3}, all_blocks}) {
        const auto t = time_of(a, {1, size, 0, Travel::homomorphic, 1, 1, most}, nothing, {1, 1e300, 0});
        ASSERT_TRUE(t) << a.name();
        EXPECT_NEAR(t->seconds, audit(a, size, 0, {}, most).cost.hops, 1e-9)
            << name_of(a.collective) << " " << a.name() << " of " << size << ", " << most << " blocks in a message";
      }
    }
}

// Where a rank pays for each message that it sends, it pays once for all blocks of a hop.
TEST(DeviceWalk, ChargesMessagesAndNotBlocks) {
  Coder nothing;
  for (const Kernel kernel : all_kernels) nothing[kernel] = Curve::modelled(0, 1e300, "");
  const Algorithm& halving = *find_algorithm(Collective::allreduce, "recursive-halving");
  for (const int size : {2, 8, 64}) {
    const auto seconds = [&](std::uint32_t most) {
      return time_of(halving, {1, size, 0, Travel::homomorphic, 1, 1, most}, nothing, {0, 1e300, 1})->seconds;
    };
    EXPECT_NEAR(seconds(all_blocks), audit(halving, size, 0, {}, all_blocks).cost.messages, 1e-9);
    EXPECT_NEAR(seconds(1), audit(halving, size).cost.messages, 1e-9);
  }
}

// So it is with the posting of messages, which the coding of their frames shares.
TEST(DeviceWalk, SharesThePostingOfAMessageAmongItsFrames) {
  Coder nothing;
  for (const Kernel kernel : all_kernels) nothing[kernel] = Curve::modelled(0, 1e300, "");
  Path path{0, 1e300, 0};
  path.posting = 1;
  const Algorithm& bruck = *find_algorithm(Collective::allgather, "bruck");
  const auto seconds = [&](std::uint32_t most) {
    return time_of(bruck, {1, 8, 0, Travel::homomorphic, 1, 1, most}, nothing, path)->seconds;
  };
  // The own block is encoded and decoded.  Then 7 blocks are decoded, which came in 3 messages.
  EXPECT_NEAR(seconds(1), 2 + 7, 1e-9);
  EXPECT_NEAR(seconds(all_blocks), 2 + 3, 1e-9);
}

// The shares of the audit equal the time on the wire where everything else is free, unless a rank has to wait its
// turn.
TEST(DeviceWalk, TakesNoLessThanTheShareOfEveryAlgorithm) {
  Coder nothing;
  for (const Kernel kernel : all_kernels) nothing[kernel] = Curve::modelled(0, 1e300, "");
  for (const Algorithm& a : all_algorithms())
    for (const int size : {2, 3, 8, 13, 32, 65}) {
      // In the assumed grid of a neighborhood collective some neighbors may be the rank itself.
      if (!a.fits(size) || traits_of(a.collective).neighborhood()) continue;
      const auto t = time_of(a, {1, size, 0, Travel::homomorphic, 1, 1}, nothing, {0, 1, 0});
      ASSERT_TRUE(t) << a.name();
      EXPECT_GE(t->wire, audit(a, size).cost.share * (1 - 1e-9))
          << name_of(a.collective) << " " << a.name() << " of " << size;
    }
}

// Congestion makes an algorithm slower in which many peers send to a rank at the same time, and no other.
TEST(DeviceWalk, SlowsDownWhereManySendToOne) {
  Coder nothing;
  for (const Kernel kernel : all_kernels) nothing[kernel] = Curve::modelled(0, 1e300, "");
  const auto wire = [&](const char* name, Collective c, double congestion) {
    Path path{0, 1, 0};
    path.congestion = congestion;
    return time_of(*find_algorithm(c, name), {1, 9, 0, Travel::homomorphic, 1, 1}, nothing, path)->wire;
  };
  const double share = 8.0 / 9;
  EXPECT_NEAR(wire("ring", Collective::reduce_scatter, 0.02), share, 1e-9);
  EXPECT_NEAR(wire("ring", Collective::allgather, 0.02), share, 1e-9);
  EXPECT_NEAR(wire("direct", Collective::reduce_scatter, 0), share, 1e-9);
  EXPECT_NEAR(wire("direct", Collective::reduce_scatter, 0.02), share * 1.14, 1e-9);
  EXPECT_NEAR(wire("direct", Collective::gather, 0.02), share * 1.14, 1e-9);
  // Half of the rate is left at least.
  EXPECT_NEAR(wire("direct", Collective::reduce_scatter, 0.5), share * 2, 1e-9);
}

TEST(DeviceWalk, GivesUpOnWhatIsTooLarge) {
  const Algorithm* a = find_algorithm(Collective::alltoall, "pairwise");
  EXPECT_FALSE(time_of(*a, {1e9, 4096, 0, Travel::homomorphic, 4, 1}, ours.coder(), ours.path));
  EXPECT_TRUE(time_of(*a, {1e9, 64, 0, Travel::homomorphic, 4, 1}, ours.coder(), ours.path));
}

}  // namespace
}  // namespace laconic::test
