// SPDX-License-Identifier: BSD-3-Clause
#include "tune/hops.hpp"

#include <algorithm>
#include <compare>
#include <tuple>
#include <vector>

#include "schedule/messages.hpp"

namespace laconic {
namespace {

constexpr std::size_t most_blocks = std::size_t{1} << 20;  // of an alltoall

// The rank that is placed to rank 0 as `peer` is to `rank`.  Rank 0 is the first of the first node.
std::int32_t relative(Symmetry symmetry, std::int32_t peer, int rank, Ranks ranks) {
  if (peer < 0) return peer;
  if (symmetry == Symmetry::exchange) return peer ^ rank;
  if (symmetry == Symmetry::rotation) return wrap(peer - rank, ranks.size);
  const NodeShape& nodes = *ranks.nodes;
  return nodes.rank_at(wrap(nodes.node_of(peer) - nodes.node_of(rank), nodes.nodes()),
                       wrap(nodes.local_of(peer) - nodes.local_of(rank), nodes.per_node()));
}

bool same(const Plan& zero, const Plan& plan, int rank, Ranks ranks, Symmetry symmetry) {
  return std::equal(zero.actions.begin(), zero.actions.end(), plan.actions.begin(), plan.actions.end(),
                    [&](const Action& a, const Action& b) {
                      return a.act == b.act && a.block == b.block && a.message == b.message && a.part == b.part &&
                             a.parts == b.parts && a.from == b.from && a.to == b.to &&
                             a.peer == relative(symmetry, b.peer, rank, ranks);
                    });
}

// The topology of a neighborhood collective is not known here.
Plan plan_at(const Algorithm& algorithm, Place at, Travel travel, std::uint32_t most) {
  Neighborhood assumed;
  if (traits_of(algorithm.collective).neighborhood()) {
    assumed = assumed_neighborhood(at.rank, at.size);
    at.neighborhood = &assumed;
  }
  return lower(join(algorithm.build(at), most), algorithm.collective, at, travel);
}

// Checks a few ranks only: an algorithm that treats some ranks differently does so with neighbours, ends or halves.
Symmetry symmetry_of(const Algorithm& algorithm, const Plan& zero, Ranks ranks, Travel travel, std::uint32_t most) {
  const int size = ranks.size;
  const bool rootless = !has_root(algorithm.collective) && !traits_of(algorithm.collective).neighborhood();
  std::vector<Symmetry> left;
  if (rootless) left.push_back(Symmetry::rotation);
  if (rootless && (size & (size - 1)) == 0) left.push_back(Symmetry::exchange);
  if (rootless && algorithm.by_nodes()) left = {Symmetry::nodes};
  for (const int rank : {1, 2, size / 2 - 1, size / 2, size - 2, size - 1}) {
    if (rank < 1 || rank >= size || left.empty()) continue;
    const Plan plan = plan_at(algorithm, {rank, size, 0, nullptr, ranks.nodes}, travel, most);
    std::erase_if(left, [&](Symmetry symmetry) { return !same(zero, plan, rank, ranks, symmetry); });
  }
  return left.empty() ? Symmetry::none : left.front();
}

}  // namespace

std::optional<Hops> Hops::find(const Algorithm& algorithm, Ranks ranks, int root, Travel travel, bool symmetric,
                               std::uint32_t blocks_per_message, WalkLimits limits, bool by_nodes) {
  const int size = ranks.size;
  if (algorithm.by_nodes() && !algorithm.fits(ranks)) return {};
  const auto n = static_cast<std::size_t>(size);
  if (size > limits.ranks || (traits_of(algorithm.collective).all_to_all() && n * n > most_blocks)) return {};
  Hops hops;
  hops.size_ = size;
  if (algorithm.by_nodes() || (by_nodes && ranks.nodes != nullptr && ranks.nodes->per_node() > 1))
    hops.nodes_ = ranks.nodes;
  const auto plan_of = [&](int rank) {
    hops.plans_.push_back(plan_at(algorithm, {rank, size, root, nullptr, ranks.nodes}, travel, blocks_per_message));
    hops.total_ += hops.plans_.back().actions.size();
    return hops.total_ <= limits.actions;
  };
  if (!plan_of(0)) return {};
  if (symmetric) hops.symmetry_ = symmetry_of(algorithm, hops.plans_[0], ranks, travel, blocks_per_message);
  if (hops.symmetry_ == Symmetry::none)
    for (int rank = 1; rank < size; ++rank)
      if (!plan_of(rank)) return {};
  hops.index();
  if (!hops.measure()) return {};
  hops.count_senders();
  return hops;
}

int Hops::sharing_cable(std::size_t rank, std::int32_t peer) const {
  const auto crosses = [&](int from, int to) { return nodes_->node_of(from) != nodes_->node_of(to) ? 1 : 0; };
  const auto mine = static_cast<int>(rank);
  if (nodes_ == nullptr) return 1;
  if (symmetry_ == Symmetry::none) return crosses(mine, peer);
  if (symmetry_ == Symmetry::nodes) return crosses(mine, peer) * nodes_->per_node();
  int together = 0;  // from the first node, which is like the others
  for (int local = 0; local < nodes_->per_node(); ++local) {
    const int r = nodes_->rank_at(0, local);
    together += crosses(r, symmetry_ == Symmetry::exchange ? r ^ peer : wrap(r + peer, size_));
  }
  return together;
}

void Hops::index() {
  for (const Plan& plan : plans_) {
    std::vector<Sent> sent;
    for (std::size_t i = 0; i < plan.actions.size(); ++i)
      if (const Action& a = plan.actions[i]; a.act == Act::send && a.part + 1 == a.parts)
        sent.push_back({key(a.peer, a.message), static_cast<std::uint32_t>(i)});
    std::sort(sent.begin(), sent.end(), [](const Sent& a, const Sent& b) { return a.key < b.key; });
    sent_.push_back(std::move(sent));
  }
}

std::pair<std::size_t, std::size_t> Hops::sender_of(std::size_t rank, const Action& waiting) const {
  const bool alone = symmetry_ != Symmetry::none;
  const auto sender = alone ? 0 : static_cast<std::size_t>(waiting.peer);
  // If rank 0 receives a message from its peer, then by symmetry the rank on the opposite side receives the same
  // message from rank 0.
  const std::int32_t receiver =
      alone ? relative(symmetry_, 0, waiting.peer, {size_, nodes_}) : static_cast<std::int32_t>(rank);
  const auto& sent = sent_[sender];
  const auto wanted = key(receiver, waiting.message);
  const auto found =
      std::lower_bound(sent.begin(), sent.end(), wanted, [](const Sent& s, std::uint64_t k) { return s.key < k; });
  return {sender, found->action};
}

// Advances the ranks in turn until all have reached the end of their plans.  Returns false if they wait for each other.
bool Hops::measure() {
  struct State {
    std::uint32_t hop = 0;
    int turn = -1;
  };
  std::vector<std::vector<State>> states;
  for (const Plan& plan : plans_) {
    hops_.emplace_back(plan.actions.size(), 0);
    states.emplace_back(plan.blocks.size());
  }
  std::vector<std::uint32_t> departing(plans_.size(), 0);  // the hop of the message that is being sent
  std::vector<std::size_t> next(plans_.size(), 0);
  std::size_t done = 0;
  for (bool moved = true; moved && done < total_;) {
    moved = false;
    for (std::size_t r = 0; r < plans_.size(); ++r)
      for (; next[r] < plans_[r].actions.size(); ++next[r], ++done) {
        const Action& action = plans_[r].actions[next[r]];
        State& block = states[r][static_cast<std::size_t>(action.block)];
        if (waits_for_message(action.act)) {
          const auto [sender, sent] = sender_of(r, action);
          if (next[sender] <= sent) break;
          const std::uint32_t hop = hops_[sender][sent] + 1;
          if (hop > block.hop) block = {hop, -1};
        }
        // Kernels of a hop run in the order of turn_of(); a kernel with an earlier turn than the last one is on the
        // next hop.
        if (const int turn = turn_of(action.act); turn >= 0) {
          if (turn < block.turn) ++block.hop;
          block.turn = turn;
        }
        // A message waits for the last of its frames.
        if (action.act == Act::send) departing[r] = action.part > 0 ? std::max(departing[r], block.hop) : block.hop;
        hops_[r][next[r]] = action.act == Act::send ? departing[r] : block.hop;
        moved = true;
      }
  }
  return done == total_;
}

void Hops::count_senders() {
  struct Message {
    std::uint32_t hop;
    bool within;
    std::int32_t peer;
    auto operator<=>(const Message&) const = default;
  };
  std::vector<Message> messages;
  for (std::size_t r = 0; r < plans_.size(); ++r) {
    const std::vector<Action>& actions = plans_[r].actions;
    const auto message = [&](std::size_t i) {
      return Message{hops_[r][i], within_node(r, actions[i].peer), actions[i].peer};
    };
    messages.clear();
    for (std::size_t i = 0; i < actions.size(); ++i)
      if (waits_for_message(actions[i].act)) messages.push_back(message(i));
    std::sort(messages.begin(), messages.end());
    messages.erase(std::unique(messages.begin(), messages.end()), messages.end());
    std::vector<std::uint32_t>& senders = senders_.emplace_back(actions.size(), 0);
    const auto earlier = [](const Message& a, const Message& b) {
      return std::tie(a.hop, a.within) < std::tie(b.hop, b.within);
    };
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (!waits_for_message(actions[i].act)) continue;
      const auto [first, last] = std::equal_range(messages.begin(), messages.end(), message(i), earlier);
      senders[i] = static_cast<std::uint32_t>(last - first);
    }
  }
}

}  // namespace laconic
