// SPDX-License-Identifier: BSD-3-Clause
// lower(): for every schedule and every way to travel, frames and numbers are made before they are used, used only
// while they exist, and released once; and every result is the expected one.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/plan.hpp"
#include "schedule/schedule.hpp"
#include "support/place.hpp"
#include "support/plans.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr Travel travels[] = {Travel::homomorphic, Travel::reencoding, Travel::per_hop};

class Lower : public ::testing::TestWithParam<std::tuple<std::size_t, Travel>> {
 protected:
  const Algorithm& algorithm() const { return all_algorithms()[std::get<0>(GetParam())]; }
  Collective collective() const { return algorithm().collective; }
  Travel travel() const { return std::get<1>(GetParam()); }

  Plan plan(Place at) const { return lower(algorithm().build(at), collective(), at, travel()); }

  // Calls test(size, root) for all sizes and some roots.
  template <class F>
  void for_all_worlds(F&& test) {
    for (int size = 1; size <= most_ranks; ++size) {
      if (!algorithm().fits(ranks_of(size))) continue;
      for (const int root : some_roots(collective(), size)) {
        SCOPED_TRACE(std::to_string(size) + " ranks, root " + std::to_string(root));
        test(size, root);
        if (HasFailure()) return;
      }
    }
  }

  template <class F>
  void for_all_places(F&& test) {
    for_all_worlds([&](int size, int root) {
      for (int rank = 0; rank < size && !HasFailure(); ++rank) {
        SCOPED_TRACE("rank " + std::to_string(rank));
        const Place at = place_at(rank, size, root);
        const Schedule schedule = algorithm().build(at);
        test(schedule, lower(schedule, collective(), at, travel()), at);
      }
    });
  }
};

INSTANTIATE_TEST_SUITE_P(Algorithms, Lower,
                         ::testing::Combine(::testing::Range(std::size_t{0}, all_algorithms().size()),
                                            ::testing::ValuesIn(travels)),
                         [](const auto& i) {
                           const Algorithm& a = all_algorithms()[std::get<0>(i.param)];
                           std::string name = std::string(name_of(a.collective)) + "_" + std::string(a.name()) + "_" +
                                              std::string(text_of(std::get<1>(i.param)));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Executes the plan for one block and tracks where its value is held.
class Held {
 public:
  explicit Held(Ownership ownership) : ownership_(ownership), input_(ownership.has) {}

  void run(const Action& a, Travel travel) {
    ASSERT_FALSE(result_) << name_of(a.act) << " after the result was written";
    switch (a.act) {
      case Act::encode:
        ASSERT_FALSE(frame_) << "a frame is lost";
        ASSERT_TRUE(there(a.from));
        frame_ = true;
        // Except in Travel::per_hop, a value is in its frame from now on, so that nothing is encoded twice.
        if (travel != Travel::per_hop) input_ = output_ = false;
        break;
      case Act::send: ASSERT_TRUE(frame_); break;
      case Act::take:
        ASSERT_FALSE(frame_) << "a frame is lost";
        ASSERT_FALSE(spare_) << "numbers are lost";
        frame_ = true;
        input_ = output_ = false;  // they hold a value that is no longer current
        break;
      case Act::fold:
        ASSERT_EQ(travel, Travel::homomorphic);
        ASSERT_FALSE(frame_) << "a frame is lost";
        ASSERT_TRUE(there(a.from));
        input_ = false;  // the value is in the frame
        frame_ = true;
        break;
      case Act::add:
        ASSERT_EQ(travel, Travel::homomorphic);
        ASSERT_TRUE(frame_);
        break;
      case Act::merge:
        ASSERT_NE(travel, Travel::homomorphic);
        if (a.from == Location::none) {
          ASSERT_TRUE(frame_);
          ASSERT_FALSE(spare_) << "there are numbers besides the frame";
        } else {
          ASSERT_FALSE(frame_) << "a frame is lost";
          ASSERT_TRUE(there(a.from));
        }
        frame_ = false;
        ASSERT_TRUE(put(a.to));
        break;
      case Act::unpack:
        ASSERT_EQ(travel, Travel::per_hop);
        ASSERT_TRUE(frame_);
        frame_ = false;
        ASSERT_TRUE(put(a.to));
        break;
      case Act::drop:
        ASSERT_TRUE(frame_);
        frame_ = false;
        break;
      case Act::forget:
        ASSERT_TRUE(spare_);
        spare_ = false;
        break;
      case Act::decode:
        ASSERT_TRUE(frame_);
        ASSERT_TRUE(ownership_.wants);
        frame_ = false;
        result_ = true;
        break;
      case Act::copy:
        ASSERT_TRUE(ownership_.wants);
        ASSERT_TRUE(there(a.from));
        result_ = true;
        break;
    }
  }

  void end() const {
    EXPECT_EQ(result_, ownership_.wants);
    EXPECT_FALSE(frame_) << "a frame is left";
    EXPECT_FALSE(spare_) << "numbers are left";
  }

  bool frame() const { return frame_; }
  bool spare() const { return spare_; }
  bool done() const { return result_; }

 private:
  bool there(Location from) const {
    switch (from) {
      case Location::none: return false;
      case Location::input: return input_;
      case Location::output: return output_;
      case Location::spare: return spare_;
    }
    return false;
  }

  // False when `to` is not a valid place for numbers of the block.
  bool put(Location to) {
    if (to != (ownership_.wants ? Location::output : Location::spare) || (ownership_.wants && spare_)) return false;
    (ownership_.wants ? output_ : spare_) = true;
    input_ = false;
    return true;
  }

  Ownership ownership_;
  bool input_;
  bool output_ = false;
  bool spare_ = false;
  bool frame_ = false;
  bool result_ = false;
};

TEST_P(Lower, FramesAndNumbersAreThereWhenTheyAreUsedAndLetGoOnce) {
  for_all_places([&](const Schedule& schedule, const Plan& plan, Place at) {
    ASSERT_EQ(plan.cut, schedule.blocks);
    ASSERT_EQ(plan.travel, travel());
    std::vector<Held> held;
    for (const std::int32_t b : plan.blocks) {
      ASSERT_GE(b, 0);
      ASSERT_LT(b, schedule.blocks);
      held.emplace_back(ownership_of(collective(), at, b));
    }
    std::size_t most = 0;
    std::size_t now = 0;
    for (const Action& a : plan.actions) {
      ASSERT_GE(a.block, 0);
      ASSERT_LT(static_cast<std::size_t>(a.block), held.size());
      Held& h = held[static_cast<std::size_t>(a.block)];
      now -= h.frame() + h.spare();
      h.run(a, travel());
      ASSERT_FALSE(HasFatalFailure()) << "action " << &a - plan.actions.data() << " of " << to_text(plan);
      now += h.frame() + h.spare();
      most = std::max(most, now);
    }
    for (std::size_t k = 0; k < held.size(); ++k) {
      held[k].end();
      ASSERT_FALSE(HasFailure()) << "block " << plan.blocks[k] << " of " << to_text(plan);
    }
    EXPECT_EQ(plan.most_held, most);
  });
}

// Every rank handles each block that it wants, and no block that the schedule does not give it.
TEST_P(Lower, DealsWithEveryBlockThatIsWanted) {
  for_all_places([&](const Schedule& schedule, const Plan& plan, Place at) {
    std::vector<std::int32_t> blocks = plan.blocks;
    std::sort(blocks.begin(), blocks.end());
    ASSERT_EQ(std::adjacent_find(blocks.begin(), blocks.end()), blocks.end()) << "a block has two places";
    std::vector<bool> named(static_cast<std::size_t>(schedule.blocks), false);
    for (const Step& s : schedule.steps) named[static_cast<std::size_t>(s.block)] = true;
    for (std::int32_t b = 0; b < schedule.blocks; ++b) {
      const bool dealt_with = std::binary_search(blocks.begin(), blocks.end(), b);
      const Ownership ownership = ownership_of(collective(), at, b);
      EXPECT_EQ(dealt_with, named[static_cast<std::size_t>(b)] || ownership.wants) << "block " << b;
    }
  });
}

TEST_P(Lower, EveryMessageOfTheScheduleIsSentOrConsumedOnceInOrder) {
  for_all_places([](const Schedule& schedule, const Plan& plan, Place) {
    std::vector<std::tuple<bool, int, int>> planned;
    std::vector<std::size_t> receives;
    std::size_t reduced = 0;
    for (std::size_t i = 0; i < plan.actions.size(); ++i) {
      const Action& a = plan.actions[i];
      if (takes_message(a.act)) receives.push_back(i);
      if (takes_message(a.act) && a.act != Act::take) reduced = i + 1;
      if (takes_message(a.act) || a.act == Act::send)
        planned.emplace_back(a.act == Act::send, a.peer, plan.blocks[static_cast<std::size_t>(a.block)]);
      else
        ASSERT_EQ(a.peer, -1);
    }
    std::vector<std::tuple<bool, int, int>> asked;
    for (const Step& s : schedule.steps) asked.emplace_back(s.verb == Verb::send, s.peer, s.block);
    EXPECT_EQ(planned, asked);
    EXPECT_EQ(plan.receives, receives);
    EXPECT_EQ(plan.reduced, reduced);
  });
}

// The k-th message from a to b is the k-th that b receives from a, for the same block and with the same number.
TEST_P(Lower, BothEndsNumberMessagesAlike) {
  using Message = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // label of the block, number, count
  for_all_worlds([&](int size, int root) {
    std::map<std::pair<int, int>, std::vector<Message>> sent;
    std::map<std::pair<int, int>, std::vector<Message>> received;
    for (int rank = 0; rank < size; ++rank) {
      const Plan mine = plan(place_at(rank, size, root));
      std::uint32_t most = 1;
      for (const Action& a : mine.actions) {
        const std::uint32_t block = mine.labels[static_cast<std::size_t>(a.block)];
        if (a.act == Act::send) sent[{rank, a.peer}].emplace_back(block, a.message, a.messages);
        if (takes_message(a.act)) received[{a.peer, rank}].emplace_back(block, a.message, a.messages);
        if (a.peer >= 0) most = std::max(most, a.messages);
      }
      EXPECT_EQ(mine.most_messages, most);
    }
    ASSERT_EQ(sent, received);
    for (const auto& [pair, messages] : sent)
      for (std::size_t k = 0; k < messages.size(); ++k) {
        ASSERT_EQ(std::get<1>(messages[k]), k);
        ASSERT_EQ(std::get<2>(messages[k]), messages.size());
      }
  });
}

// Frames are forwarded instead of coded again: no rank encodes or decodes more often than necessary.
TEST_P(Lower, CodesNoMoreThanItMust) {
  for_all_places([&](const Schedule& schedule, const Plan& plan, Place at) {
    struct Counts {
      int encodes = 0, decodes = 0, unpacks = 0, copies = 0, sends = 0, takes = 0, combines = 0;
    };
    std::vector<Counts> coded(plan.blocks.size());
    for (const Action& a : plan.actions) {
      Counts& c = coded[static_cast<std::size_t>(a.block)];
      c.encodes += a.act == Act::encode;
      c.decodes += a.act == Act::decode;
      c.unpacks += a.act == Act::unpack;
      c.copies += a.act == Act::copy;
      c.sends += a.act == Act::send;
      c.takes += a.act == Act::take;
      c.combines += a.act == Act::fold || a.act == Act::add || a.act == Act::merge;
    }
    std::vector<int> asked(static_cast<std::size_t>(schedule.blocks), 0);
    for (const Step& s : schedule.steps) asked[static_cast<std::size_t>(s.block)] += s.verb == Verb::reduce;
    for (std::size_t k = 0; k < coded.size(); ++k) {
      const Counts& c = coded[k];
      const Ownership ownership = ownership_of(collective(), at, plan.blocks[k]);
      EXPECT_EQ(c.combines, asked[static_cast<std::size_t>(plan.blocks[k])]);
      EXPECT_EQ(c.decodes + c.copies, ownership.wants ? 1 : 0);
      switch (travel()) {
        case Travel::homomorphic:
          // The rank's own numbers are encoded at most once, and only where they are not folded in.
          EXPECT_LE(c.encodes, ownership.has ? 1 : 0);
          EXPECT_EQ(c.unpacks, 0);
          if (at.size > 1) {
            EXPECT_EQ(c.copies, 0);
          }
          break;
        case Travel::reencoding:
          // The rank's own value and every sum are encoded at most once: when sent, or when kept as other ranks keep
          // it from its frame.
          EXPECT_LE(c.encodes, (ownership.has ? 1 : 0) + c.combines);
          EXPECT_EQ(c.unpacks, 0);
          if (!reduces(collective())) {
            EXPECT_LE(c.encodes, ownership.has ? 1 : 0);
          }
          break;
        case Travel::per_hop:
          EXPECT_EQ(c.encodes, c.sends);
          EXPECT_EQ(c.unpacks, c.takes);
          EXPECT_EQ(c.decodes, 0);
          break;
      }
      ASSERT_FALSE(HasFailure()) << "block " << plan.blocks[k] << " of " << to_text(plan);
    }
  });
}

// Only a value that is already a result is encoded as one, and an algorithm that only moves blocks moves results.  Of
// the sums that are formed in frames only complete ones of an allreduce are results that travel on.
TEST_P(Lower, ResultsAreEncodedAsSuch) {
  for_all_places([&](const Schedule&, const Plan& plan, Place at) {
    std::vector<int> ahead(plan.blocks.size(), 0);  // messages of the block that are still to come
    for (const std::size_t i : plan.receives) ++ahead[static_cast<std::size_t>(plan.actions[i].block)];
    for (const Action& a : plan.actions) {
      const auto b = static_cast<std::size_t>(a.block);
      if (takes_message(a.act)) --ahead[b];
      if (a.act != Act::encode) {
        const bool sums = a.act == Act::fold || a.act == Act::add;
        EXPECT_EQ(a.last, sums && collective() == Collective::allreduce && ahead[b] == 0) << name_of(a.act);
        continue;
      }
      const bool wants = ownership_of(collective(), at, plan.blocks[b]).wants;
      const bool result = !reduces(collective()) || (wants && ahead[b] == 0 && !traits_of(collective()).prefix());
      EXPECT_EQ(a.last, travel() != Travel::per_hop && result) << "block " << plan.blocks[b];
    }
  });
}

}  // namespace
}  // namespace laconic::test
