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

class Hops {
 public:
  // Returns the hops, or nothing if the plans are too large to be walked quickly.  `symmetric` false: symmetry is not
  // looked for.  The shape of nodes outlives the hops.
  static std::optional<Hops> find(const Algorithm& algorithm, Ranks ranks, int root, Travel travel,
                                  bool symmetric = true, std::uint32_t blocks_per_message = 1);

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

  // The nodes of the ranks, in an algorithm that follows them; else nullptr.
  const NodeShape* nodes() const { return nodes_; }
  bool within_node(std::size_t rank, std::int32_t peer) const {
    return nodes_ != nullptr && nodes_->node_of(static_cast<int>(rank)) == nodes_->node_of(peer);
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
  const NodeShape* nodes_ = nullptr;
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
