// lower(): whatever the schedule, frames are made before they are used, used while they are there, and let go once.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/plan.hpp"
#include "schedule/schedule.hpp"

namespace laconic::test {
namespace {

class Lower : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Algorithm& algorithm() const { return all_algorithms()[GetParam()]; }

  template <class F>
  void for_all_places(F&& test) {
    for (int size = 1; size <= 65; ++size)
      for (int rank = 0; rank < size && algorithm().fits(size); ++rank) {
        const Schedule schedule = algorithm().build({rank, size, 0});
        SCOPED_TRACE("rank " + std::to_string(rank) + " of " + std::to_string(size));
        test(schedule, lower(schedule, size), Place{rank, size, 0});
        if (HasFailure()) return;
      }
  }
};

INSTANTIATE_TEST_SUITE_P(Algorithms, Lower, ::testing::Range(std::size_t{0}, all_algorithms().size()),
                         [](const auto& i) {
                           std::string name(all_algorithms()[i.param].name);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

bool consumes_message(Act act) { return act == Act::take || act == Act::fold || act == Act::add; }

TEST_P(Lower, FramesAreThereWhenTheyAreUsed) {
  for_all_places([](const Schedule& schedule, const Plan& plan, Place) {
    ASSERT_EQ(plan.blocks, schedule.blocks);
    std::vector<bool> frame(static_cast<std::size_t>(plan.blocks), false);
    std::vector<int> results(static_cast<std::size_t>(plan.blocks), 0);
    std::vector<bool> touched(static_cast<std::size_t>(plan.blocks), false);
    for (const Action& a : plan.actions) {
      ASSERT_GE(a.block, 0);
      ASSERT_LT(a.block, plan.blocks);
      const auto b = static_cast<std::size_t>(a.block);
      ASSERT_EQ(results[b], 0) << name_of(a.act) << " of block " << b << " after its result was written";
      switch (a.act) {
        case Act::encode:
          ASSERT_FALSE(frame[b]) << "encoded again";
          ASSERT_FALSE(touched[b]) << "own numbers enter twice";
          frame[b] = true;
          break;
        case Act::fold:
          ASSERT_FALSE(frame[b]);
          ASSERT_FALSE(touched[b]) << "own numbers enter twice";
          frame[b] = true;
          break;
        case Act::take:
          ASSERT_FALSE(frame[b]) << "a frame is lost";
          frame[b] = true;
          break;
        case Act::add: ASSERT_TRUE(frame[b]); break;
        case Act::send: ASSERT_TRUE(frame[b]); break;
        case Act::drop:
          ASSERT_TRUE(frame[b]);
          frame[b] = false;
          break;
        case Act::decode:
          ASSERT_TRUE(frame[b]);
          frame[b] = false;
          ++results[b];
          break;
        case Act::copy:
          ASSERT_FALSE(touched[b]);
          ++results[b];
          break;
      }
      touched[b] = true;
    }
    for (std::size_t b = 0; b < results.size(); ++b) {
      EXPECT_EQ(results[b], 1) << "results of block " << b;
      EXPECT_FALSE(frame[b]) << "block " << b << " keeps a frame";
    }
  });
}

TEST_P(Lower, EveryMessageOfTheScheduleIsSentOrConsumedOnceInOrder) {
  for_all_places([](const Schedule& schedule, const Plan& plan, Place) {
    std::vector<std::tuple<bool, int, int>> planned;
    std::vector<std::size_t> receives;
    for (std::size_t i = 0; i < plan.actions.size(); ++i) {
      const Action& a = plan.actions[i];
      if (consumes_message(a.act)) receives.push_back(i);
      if (consumes_message(a.act) || a.act == Act::send)
        planned.emplace_back(a.act == Act::send, a.peer, a.block);
      else
        ASSERT_EQ(a.peer, -1);
    }
    std::vector<std::tuple<bool, int, int>> asked;
    for (const Step& s : schedule.steps) asked.emplace_back(s.verb == Verb::send, s.peer, s.block);
    EXPECT_EQ(planned, asked);
    EXPECT_EQ(plan.receives, receives);
  });
}

// The k-th message from a to b is the k-th that b takes from a, of the same block, under the same number.
TEST_P(Lower, BothEndsNumberMessagesAlike) {
  using Message = std::tuple<std::int32_t, std::uint32_t, std::uint32_t>;  // block, number, how many
  for (int size = 1; size <= 65; ++size) {
    if (!algorithm().fits(size)) continue;
    std::map<std::pair<int, int>, std::vector<Message>> sent;
    std::map<std::pair<int, int>, std::vector<Message>> received;
    for (int rank = 0; rank < size; ++rank) {
      const Plan plan = lower(algorithm().build({rank, size, 0}), size);
      for (const Action& a : plan.actions) {
        if (a.act == Act::send) sent[{rank, a.peer}].emplace_back(a.block, a.message, a.messages);
        if (consumes_message(a.act)) received[{a.peer, rank}].emplace_back(a.block, a.message, a.messages);
        if (a.peer >= 0) {
          EXPECT_LE(a.messages, plan.most_messages);
        }
      }
    }
    ASSERT_EQ(sent, received) << size << " ranks";
    for (const auto& [pair, messages] : sent)
      for (std::size_t k = 0; k < messages.size(); ++k) {
        ASSERT_EQ(std::get<1>(messages[k]), k);
        ASSERT_EQ(std::get<2>(messages[k]), messages.size());
      }
  }
}

// Forwarding instead of coding again: no rank encodes a block twice, and only what arrived uncombined is taken.
TEST_P(Lower, CodesNoMoreThanItMust) {
  for_all_places([](const Schedule& schedule, const Plan& plan, Place at) {
    std::size_t coded = 0;
    std::size_t decoded = 0;
    std::size_t reduces = 0;
    for (const Step& s : schedule.steps) reduces += s.verb == Verb::reduce;
    for (const Action& a : plan.actions) {
      coded += a.act == Act::encode;
      decoded += a.act == Act::decode;
      reduces -= a.act == Act::fold || a.act == Act::add;
    }
    EXPECT_EQ(reduces, 0u);
    EXPECT_LE(coded, static_cast<std::size_t>(plan.blocks));
    EXPECT_EQ(decoded, at.size == 1 ? 0u : static_cast<std::size_t>(plan.blocks));
  });
}

TEST(LowerByHand, RingOfThree) {
  const Plan plan = lower(find_algorithm("ring")->build({0, 3, 0}), 3);
  std::string text;
  for (const Action& a : plan.actions)
    text +=
        std::string(name_of(a.act)) + std::to_string(a.block) + (a.peer < 0 ? "" : "@" + std::to_string(a.peer)) + " ";
  EXPECT_EQ(text,
            "encode2 send2@1 drop2 fold1@2 send1@1 drop1 fold0@2 send0@1 decode0 take2@2 send2@1 decode2 take1@2 "
            "decode1 ");
}

TEST(LowerByHand, OneRankCopies) {
  for (const Algorithm& algorithm : all_algorithms()) {
    const Plan plan = lower(algorithm.build({0, 1, 0}), 1);
    ASSERT_EQ(plan.actions.size(), 1u);
    EXPECT_EQ(plan.actions[0].act, Act::copy);
  }
}

TEST(LowerByHand, EveryActHasAName) {
  for (const Act act : {Act::encode, Act::send, Act::take, Act::fold, Act::add, Act::drop, Act::decode, Act::copy})
    EXPECT_NE(name_of(act), "?");
}

}  // namespace
}  // namespace laconic::test
