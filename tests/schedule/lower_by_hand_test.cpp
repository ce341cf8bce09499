// SPDX-License-Identifier: BSD-3-Clause
// Expected plans, written by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/plan.hpp"
#include "schedule/schedule.hpp"
#include "support/place.hpp"
#include "support/plans.hpp"

namespace laconic::test {
namespace {

std::string plan_of(Collective collective, std::string_view name, Place at, Travel travel) {
  return to_text(lower(find_algorithm(collective, name)->build(at), collective, at, travel));
}

TEST(LowerByHand, RingAllreduceOfThree) {
  const auto rank0 = [](Travel travel) { return plan_of(Collective::allreduce, "ring", {0, 3, 0}, travel); };
  EXPECT_EQ(rank0(Travel::homomorphic),
            "encode2(input) send2@1 drop2 fold1@2(input) send1@1 drop1 fold!0@2(input) send0@1 decode0 take2@2 send2@1 "
            "decode2 take1@2 decode1");
  // A partial sum is encoded again before it is sent on, and its numbers are kept in the place of the result.
  EXPECT_EQ(rank0(Travel::reencoding),
            "encode2(input) send2@1 drop2 merge1@2(input,output) encode1(output) send1@1 drop1 merge0@2(input,output) "
            "encode!0(output) send0@1 decode0 take2@2 send2@1 decode2 take1@2 decode1");
  EXPECT_EQ(rank0(Travel::per_hop),
            "encode2(input) send2@1 drop2 merge1@2(input,output) encode1(output) send1@1 drop1 merge0@2(input,output) "
            "encode0(output) send0@1 drop0 copy0(output) take2@2 unpack2(output) encode2(output) send2@1 drop2 "
            "copy2(output) take1@2 unpack1(output) copy1(output)");
}

TEST(LowerByHand, ChainBcastOfThree) {
  const auto plan = [](int rank, Travel travel) { return plan_of(Collective::bcast, "chain", {rank, 3, 1}, travel); };
  for (const Travel travel : {Travel::homomorphic, Travel::reencoding}) {
    EXPECT_EQ(plan(1, travel), "encode!0(input) send0@2 decode0") << "the root keeps what the others get";
    EXPECT_EQ(plan(2, travel), "take0@1 send0@0 decode0");
    EXPECT_EQ(plan(0, travel), "take0@2 decode0");
  }
  EXPECT_EQ(plan(1, Travel::per_hop), "encode0(input) send0@2 drop0 copy0(input)");
  EXPECT_EQ(plan(2, Travel::per_hop), "take0@1 unpack0(output) encode0(output) send0@0 drop0 copy0(output)");
  EXPECT_EQ(plan(0, Travel::per_hop), "take0@2 unpack0(output) copy0(output)");
}

// Rank 0 sends to rank 2, which forwards the block of rank 3, and to rank 1.
TEST(LowerByHand, BinomialScatterOfFour) {
  const auto plan = [](int rank, Travel travel) {
    return plan_of(Collective::scatter, "binomial", {rank, 4, 0}, travel);
  };
  for (const Travel travel : {Travel::homomorphic, Travel::reencoding}) {
    EXPECT_EQ(plan(0, travel),
              "encode!3(input) send3@2 drop3 encode!2(input) send2@2 drop2 encode!1(input) send1@1 drop1 "
              "encode!0(input) decode0");
    EXPECT_EQ(plan(2, travel), "take3@0 send3@3 drop3 take2@0 decode2");
    EXPECT_EQ(plan(3, travel), "take3@2 decode3");
  }
  EXPECT_EQ(plan(0, Travel::per_hop),
            "encode3(input) send3@2 drop3 encode2(input) send2@2 drop2 encode1(input) send1@1 drop1 copy0(input)");
  EXPECT_EQ(plan(2, Travel::per_hop),
            "take3@0 unpack3(spare) encode3(spare) send3@3 drop3 forget3 take2@0 unpack2(output) copy2(output)");
}

// Frames of sums that only the next sum reads (+) need not be made, where one launch adds several frames.
TEST(LowerByHand, DirectReduceScatterOfFour) {
  EXPECT_EQ(plan_of(Collective::reduce_scatter, "direct", {1, 4, 0}, Travel::homomorphic),
            "encode2(input) send2@2 drop2 fold+1@0(input) encode3(input) send3@3 drop3 add+1@3 "
            "encode0(input) send0@0 drop0 add1@2 decode1");
}

// The blocks of the other ranks are sums in spare memory until they are sent on.
TEST(LowerByHand, RingReduceScatterOfThree) {
  const auto plan = [](Travel travel) { return plan_of(Collective::reduce_scatter, "ring", {1, 3, 0}, travel); };
  EXPECT_EQ(plan(Travel::homomorphic),
            "encode0(input) send0@2 drop0 fold2@0(input) send2@2 drop2 fold1@0(input) decode1");
  EXPECT_EQ(plan(Travel::reencoding),
            "encode0(input) send0@2 drop0 merge2@0(input,spare) encode2(spare) forget2 send2@2 drop2 "
            "merge1@0(input,output) copy1(output)");
  EXPECT_EQ(plan(Travel::per_hop),
            "encode0(input) send0@2 drop0 merge2@0(input,spare) encode2(spare) send2@2 drop2 forget2 "
            "merge1@0(input,output) copy1(output)");
}

// Both partners add the frames that both sent, so that both get the same bits.
TEST(LowerByHand, RecursiveDoublingOfTwo) {
  const auto plan = [](Travel travel) {
    return plan_of(Collective::allreduce, "recursive-doubling", {1, 2, 0}, travel);
  };
  EXPECT_EQ(plan(Travel::homomorphic), "encode0(input) send0@0 add!0@0 decode0");
  EXPECT_EQ(plan(Travel::reencoding), "encode0(input) send0@0 merge0@0(frame,output) copy0(output)");
  EXPECT_EQ(plan(Travel::per_hop), "encode0(input) send0@0 drop0 merge0@0(input,output) copy0(output)");
}

// gZCCL's recursive doubling: one encode in each of the log2(4) steps, and a rank's own operand stays exact.
TEST(LowerByHand, RecursiveDoublingOfFourPerHop) {
  EXPECT_EQ(plan_of(Collective::allreduce, "recursive-doubling", {1, 4, 0}, Travel::per_hop),
            "encode0(input) send0@0 drop0 merge0@0(input,output) encode0(output) send0@3 drop0 "
            "merge0@3(output,output) copy0(output)");
}

TEST(LowerByHand, OneRankCopies) {
  for (const Algorithm& algorithm : all_algorithms()) {
    if (!algorithm.fits(1)) continue;
    for (const Travel travel : {Travel::homomorphic, Travel::reencoding, Travel::per_hop}) {
      const Plan plan = lower(algorithm.build(place_at(0, 1)), algorithm.collective, place_at(0, 1), travel);
      // The first rank of an exclusive scan has no result; in a periodic grid a rank is its own neighbor.
      const CollectiveTraits& t = traits_of(algorithm.collective);
      const int results = t.neighborhood() ? assumed_neighbors : contributions_of(algorithm.collective, place_at(0, 1));
      ASSERT_EQ(plan.actions.size(), static_cast<std::size_t>(results));
      for (const Action& action : plan.actions) {
        EXPECT_EQ(action.act, Act::copy);
        EXPECT_EQ(action.from, Location::input);
      }
      EXPECT_EQ(plan.most_held, 0u);
    }
  }
}

// The number of frames held does not grow with the number of ranks.
TEST(LowerByHand, FewFramesAreHeldAtATime) {
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.name() != "ring" && algorithm.name() != "chain" && algorithm.name() != "direct" &&
        algorithm.name() != "pairwise")
      continue;
    for (const Travel travel : {Travel::homomorphic, Travel::reencoding, Travel::per_hop})
      for (const int size : {2, 8, 33})
        for (int rank = 0; rank < size; ++rank) {
          const Place at = place_at(rank, size, size / 2);
          EXPECT_LE(lower(algorithm.build(at), algorithm.collective, at, travel).most_held, 2u)
              << algorithm.name() << " " << name_of(algorithm.collective) << " of " << size << ", " << text_of(travel);
        }
  }
}

// A frame that is made, sent and then not needed takes one slot; so does one that arrives and is read.
TEST(LowerByHand, AMessageTakesOneFrameAtEachEnd) {
  const auto slots = [](Collective collective, std::string_view name, int rank, Travel travel) {
    const Place at{rank, 2, 1};
    return lower(find_algorithm(collective, name)->build(at), collective, at, travel).slots;
  };
  for (const Travel travel : {Travel::homomorphic, Travel::reencoding}) {
    EXPECT_EQ(slots(Collective::gather, "direct", 0, travel), 1u);
    EXPECT_EQ(slots(Collective::bcast, "binomial", 0, travel), 1u);
  }
  // An addition needs three slots: the frame that arrives, the sum, and the frame that is still being sent.
  EXPECT_EQ(slots(Collective::allreduce, "recursive-doubling", 0, Travel::homomorphic), 3u);
}

TEST(LowerByHand, EveryActHasAName) {
  for (const Act act : {Act::encode, Act::send, Act::take, Act::fold, Act::add, Act::merge, Act::unpack, Act::drop,
                        Act::forget, Act::decode, Act::copy})
    EXPECT_NE(name_of(act), "?");
}

}  // namespace
}  // namespace laconic::test
