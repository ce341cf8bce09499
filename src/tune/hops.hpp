// SPDX-License-Identifier: BSD-3-Clause
// The plans of all ranks of an operation, and the hop of each action.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/plan.hpp"
#include "schedule/schedule.hpp"

namespace laconic {

// The symmetry between ranks whose plans are equal except for the peers' numbers.  rotation: the peers are at the same
// distance.  exchange: the peers' numbers differ from the rank's own in the same bits.  nodes: the peers' nodes are at
// the same distance, and so are their local ranks.
enum class Symmetry : std::uint8_t { none, rotation, exchange, nodes };

// How much is walked.
struct WalkLimits {
  std::size_t actions;  // of all plans together
  int ranks;
  std::size_t in_all;  // actions of all rows; where there are more, fewer rows are walked, but at least two
};
// Usually a few milliseconds, and a few tenths of a second at most.
inline constexpr WalkLimits quick_walk{std::size_t{1} << 18, 1 << 14, std::size_t{1} << 15};
// For a person who waits: seconds, and some hundred megabytes.
inline constexpr WalkLimits long_walk{std::size_t{1} << 20, 1 << 17, std::size_t{1} << 20};

class Hops {
 public:
  // Returns the hops, or nothing if the plans are larger than the limits.  `symmetric` false: symmetry is not looked
  // for.  `by_nodes`: messages within a node are told from others also in algorithms that do not follow the nodes.  The
  // shape of nodes outlives the hops.
  static std::optional<Hops> find(const Algorithm& algorithm, Ranks ranks, int root, Travel travel,
                                  bool symmetric = true, std::uint32_t blocks_per_message = 1,
                                  WalkLimits limits = quick_walk, bool by_nodes = false);

  // The number of plans; if the ranks are symmetric, there is only the plan of rank 0.
  std::size_t ranks() const { return plans_.size(); }
  const Plan& plan(std::size_t rank) const { return plans_[rank]; }
  std::size_t actions() const { return total_; }

  // The number of successive messages on which the action depends.
  std::uint32_t hop(std::size_t rank, std::size_t action) const { return hops_[rank][action]; }

  // For an action that waits for a message: the number of peers that send to the rank on the same hop, from other nodes
  // or from its own as the peer of the action does.
  std::uint32_t senders(std::size_t rank, std::size_t action) const { return senders_[rank][action]; }

  // The sender (an index of a plan in this object), and its action that sends the message for the waiting action: that
  // of the last frame, if there are several.
  std::pair<std::size_t, std::size_t> sender_of(std::size_t rank, const Action& waiting) const;

  // The nodes of the ranks, where messages within a node are told from others; else nullptr.
  const NodeShape* nodes() const { return nodes_; }
  // Where one plan stands for all ranks, a message is within a node if it is so for all of them.
  bool within_node(std::size_t rank, std::int32_t peer) const {
    return nodes_ != nullptr && sharing_cable(rank, peer) == 0;
  }
  // The messages that cross the cable of a node together with one from the rank to the peer, where one plan stands for
  // all ranks and all do the same; else at most 1.  0: none crosses it.
  int sharing_cable(std::size_t rank, std::int32_t peer) const;
  // The rank whose cable the rank uses.
  std::size_t owner_of_cable(std::size_t rank) const {
    if (nodes_ == nullptr || symmetry_ != Symmetry::none) return rank;
    return static_cast<std::size_t>(nodes_->rank_at(nodes_->node_of(static_cast<int>(rank)), 0));
  }

 private:
  struct Sent {
    std::uint64_t key;  // peer and message
    std::uint32_t action;
  };

  void index();
  bool measure();
  void count_senders();
  static std::uint64_t key(std::int32_t peer, std::uint32_t message) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) << 32 | message;
  }

  int size_ = 1;
  const NodeShape* nodes_ = nullptr;  // several ranks on a node
  Symmetry symmetry_ = Symmetry::none;
  std::size_t total_ = 0;
  std::vector<Plan> plans_;
  std::vector<std::vector<Sent>> sent_;
  std::vector<std::vector<std::uint32_t>> hops_;
  std::vector<std::vector<std::uint32_t>> senders_;
};

// The order of the kernels of a hop: sums are formed before they are encoded, and results come last.
constexpr int turn_of(Act act) {
  switch (act) {
    case Act::unpack: return 0;
    case Act::merge: return 1;
    case Act::fold: return 2;
    case Act::add: return 3;
    case Act::encode: return 4;
    case Act::decode: return 5;
    case Act::copy: return 6;
    default: return -1;
  }
}

}  // namespace laconic
