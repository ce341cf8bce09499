// SPDX-License-Identifier: BSD-3-Clause
// The contents of a seal distinguish a frame from every other frame that might arrive in its place. This is shown
// symbolically for every algorithm, every way to travel and 1 to 65 ranks.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "engine/plan.hpp"
#include "support/operation.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

// A frame as its seal describes it, with a number that stands for its bytes: equal numbers mean equal bytes.
struct SealedFrame {
  std::uint32_t block = 0;
  std::uint32_t maker = 0;
  std::uint32_t contributions = 0;
  std::uint64_t content = 0;
};

struct Numbers {
  std::uint32_t contributions = 1;
  std::uint64_t content = 0;
};

std::uint64_t encoded(std::uint64_t numbers) { return checksum::key(numbers ^ 0xe0c0dedULL); }
std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) { return checksum::key(a + b); }

// A place in a plan where a frame is received, and the frame that arrives there when nothing goes wrong.
struct Spot {
  bool complete = false;
  std::uint32_t block = 0;
  std::int32_t peer = 0;
  std::uint32_t own = 0;  // contributions already present
  SealedFrame right;
};

struct Party {
  Plan plan;
  std::size_t at = 0;
  std::vector<SealedFrame> frames;  // indexed like Plan::blocks
  std::vector<Numbers> numbers;
  std::vector<Spot> spots;
};

// The check of a received frame, as the engine does it (engine/sealing.cpp).
bool accepted(const Spot& spot, const SealedFrame& frame, const Plan& plan) {
  if (frame.block != spot.block) return false;
  const bool made_by_sender = !plan.forwards || !spot.complete;
  if (made_by_sender && frame.maker != static_cast<std::uint32_t>(spot.peer)) return false;
  return spot.complete ? frame.contributions == plan.whole : spot.own + frame.contributions <= plan.whole;
}

class Operating {
 public:
  Operating(const Algorithm& algorithm, int size, int root, Travel travel) {
    for (int r = 0; r < size; ++r) {
      const Place place = place_at(r, size, root);
      Party& p = parties_.emplace_back();
      p.plan = lower(algorithm.build(place), algorithm.collective, place, travel);
      p.frames.resize(p.plan.blocks.size());
      for (const std::uint32_t block : p.plan.labels) {
        const std::uint64_t mine = checksum::key(static_cast<std::uint64_t>(r) << 32 | block);
        p.numbers.push_back({1, mine});
      }
    }
  }

  std::string problem() {
    for (bool moved = true; moved;) {
      moved = false;
      for (int r = 0; r < static_cast<int>(parties_.size()); ++r)
        while (step(r)) moved = true;
    }
    for (const Party& p : parties_)
      if (p.at != p.plan.actions.size()) return "a rank waits for ever";
    for (std::size_t r = 0; r < parties_.size() && problem_.empty(); ++r) compare(r);
    return problem_;
  }

 private:
  bool step(int r) {
    Party& p = parties_[static_cast<std::size_t>(r)];
    if (p.at == p.plan.actions.size()) return false;
    const Action& a = p.plan.actions[p.at];
    const auto place = static_cast<std::size_t>(a.block);
    const std::uint32_t block = p.plan.labels[place];
    SealedFrame& frame = p.frames[place];
    Numbers& numbers = p.numbers[place];
    SealedFrame came;
    if (waits_for_message(a.act)) {
      auto& way = ways_[{a.peer, r}];
      if (way.empty()) return false;
      came = way.front();
      way.pop_front();
      const bool adds_frame = a.act == Act::add || (a.act == Act::merge && a.from == Location::none);
      const std::uint32_t own = a.act == Act::take ? 0 : adds_frame ? frame.contributions : numbers.contributions;
      p.spots.push_back({a.complete, block, a.peer, own, came});
    }
    const auto me = static_cast<std::uint32_t>(r);
    switch (a.act) {
      case Act::encode: frame = {block, me, numbers.contributions, encoded(numbers.content)}; break;
      case Act::send: ways_[{r, a.peer}].push_back(frame); break;
      case Act::take: frame = came; break;
      case Act::fold:
        frame = {block, me, came.contributions + numbers.contributions, sum_of(came.content, encoded(numbers.content))};
        break;
      case Act::add:
        frame = {block, me, came.contributions + frame.contributions, sum_of(came.content, frame.content)};
        break;
      case Act::merge: {
        const Numbers other = a.from == Location::none ? Numbers{frame.contributions, frame.content} : numbers;
        numbers = {came.contributions + other.contributions, sum_of(came.content, other.content)};
        break;
      }
      case Act::unpack: numbers = {frame.contributions, frame.content}; break;
      case Act::decode: end(r, block, frame.contributions, p.plan.whole); break;
      case Act::copy: end(r, block, numbers.contributions, p.plan.whole); break;
      case Act::drop:
      case Act::forget: break;
    }
    ++p.at;
    return true;
  }

  void end(int r, std::uint32_t block, std::uint32_t contributions, std::uint32_t whole) {
    if (contributions != whole)
      problem_ = "rank " + std::to_string(r) + ", block " + std::to_string(block) + ": a result of " +
                 std::to_string(contributions) + " contributions";
  }

  // Compares every frame sent to the rank at every place where it receives one.
  void compare(std::size_t r) {
    const Party& p = parties_[r];
    std::map<std::uint32_t, std::vector<const Spot*>> of_block;
    for (const Spot& spot : p.spots) of_block[spot.block].push_back(&spot);
    for (const auto& [block, spots] : of_block)
      for (const Spot* here : spots)
        for (const Spot* other : spots) {
          const bool taken = accepted(*here, other->right, p.plan);
          if (here == other && !taken) problem_ = describe(r, *here) + " is refused";
          // A frame of another number of contributions shows in the result, which then does not hold all of them; if
          // the two frames have only changed places, it does.
          const bool shows = other->right.contributions != here->right.contributions;
          if (taken && !shows && other->right.content != here->right.content)
            problem_ = describe(r, *here) + " might be another: the one from rank " + std::to_string(other->peer);
        }
  }

  static std::string describe(std::size_t r, const Spot& spot) {
    return "rank " + std::to_string(r) + ": the frame of block " + std::to_string(spot.block) + " from rank " +
           std::to_string(spot.peer) + ", made by rank " + std::to_string(spot.right.maker) + " of " +
           std::to_string(spot.right.contributions) + " contributions,";
  }

  std::vector<Party> parties_;
  std::map<std::pair<int, int>, std::deque<SealedFrame>> ways_;
  std::string problem_;
};

class Seals : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Schedules, Seals, ::testing::Range(std::size_t{0}, all_algorithms().size()),
                         [](const auto& i) { return plain_name(all_algorithms()[i.param]); });

TEST_P(Seals, TellFramesApart) {
  const Algorithm& algorithm = all_algorithms()[GetParam()];
  for (int size = 1; size <= most_ranks; ++size) {
    if (!algorithm.fits(ranks_of(size))) continue;
    for (const int root : {0, size / 2, size - 1}) {
      if (root != 0 && !has_root(algorithm.collective)) break;
      for (const Travel travel : {Travel::homomorphic, Travel::reencoding, Travel::per_hop})
        ASSERT_EQ(Operating(algorithm, size, root, travel).problem(), "")
            << size << " ranks, root " << root << ", travel " << static_cast<int>(travel);
    }
  }
}

}  // namespace
}  // namespace laconic::test
