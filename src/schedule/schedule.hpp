// SPDX-License-Identifier: BSD-3-Clause
// Schedules: the order in which ranks send blocks to each other.  An algorithm is a pure function from a place to a
// list of steps with three verbs; it mentions no codec, chunk, device or request.  lower() (engine) turns the list into
// a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/names.hpp"
#include "call/collective.hpp"
#include "call/neighborhood.hpp"
#include "call/node_shape.hpp"

namespace laconic {

// The rank for which a schedule is built.  root is unused by rootless collectives, and the neighborhood by all but the
// neighborhood collectives, which need it.
struct Place {
  int rank = 0;
  int size = 1;
  int root = 0;
  const Neighborhood* neighborhood = nullptr;
  const NodeShape* nodes = nullptr;  // nullptr: it is not known where the ranks run
};

// The ranks that an algorithm has to serve.  A number of ranks is enough where it is not known on which nodes they run.
struct Ranks {
  constexpr Ranks(int number, const NodeShape* shape = nullptr) : size(number), nodes(shape) {}

  int size;
  const NodeShape* nodes;
};

// Whether a rank has a value of a block before the operation, and whether it wants the result.
struct Ownership {
  bool has = false;
  bool wants = false;
};

inline Ownership ownership_of(Collective collective, Place at, std::int32_t block) {
  const CollectiveTraits& t = traits_of(collective);
  if (t.all_to_all()) return {block / at.size == at.rank, block % at.size == at.rank};
  if (t.neighborhood()) {
    const auto& sources = at.neighborhood->sources;
    const auto k = static_cast<std::size_t>(block);
    return k < sources.size() ? Ownership{sources[k].rank == at.rank, sources[k].exists()} : Ownership{true, false};
  }
  const auto holds = [&](const SideTraits& side) {
    if (side.contents == Contents::block) return block == at.rank;
    if (side.contents == Contents::exclusive_prefix) return at.rank > 0;
    return !side.root_only || at.rank == at.root;
  };
  return {holds(t.send), holds(t.recv)};
}

// The number of ranks whose contributions a result on this rank holds.  In a reduction these are the first ranks.
constexpr int contributions_of(Collective collective, Place at) {
  const CollectiveTraits& t = traits_of(collective);
  if (!t.reduces) return 1;
  if (t.recv.contents == Contents::prefix) return at.rank + 1;
  return t.recv.contents == Contents::exclusive_prefix ? at.rank : at.size;
}

// The number of equal parts that the largest buffer of a call has: `cut` blocks where the algorithm chooses them, else
// one for each rank or neighbor.
constexpr int num_parts(Collective collective, std::int32_t cut, int size) {
  const CollectiveTraits& t = traits_of(collective);
  return t.cut_freely() ? cut : t.neighborhood() ? assumed_neighbors : size;
}

// The name of a block that its sender and its receivers share.  In neighborhood collectives ranks number their blocks
// differently; there the sender and, where it has several blocks, the label of the edge name a block.
inline std::uint32_t label_of(Collective collective, Place at, std::int32_t block) {
  const CollectiveTraits& t = traits_of(collective);
  if (!t.neighborhood()) return static_cast<std::uint32_t>(block);
  const auto num_sources = at.neighborhood->sources.size();
  const auto k = static_cast<std::size_t>(block);
  const bool arrives = k < num_sources;
  const int sender = arrives ? at.neighborhood->sources[k].rank : at.rank;
  if (!t.send.cut()) return static_cast<std::uint32_t>(sender);
  const auto& edge = arrives ? at.neighborhood->sources[k] : at.neighborhood->destinations[k - num_sources];
  return static_cast<std::uint32_t>(edge.label) * static_cast<std::uint32_t>(at.size) +
         static_cast<std::uint32_t>(sender);
}

enum class Verb : std::uint8_t {
  send,     // the current value of the block is sent to the peer
  receive,  // the block becomes the value that the peer sent
  reduce,   // the block becomes its value op the value that the peer sent
};

struct Step {
  Verb verb;
  std::int32_t peer;
  std::int32_t block;
  // Blocks that go to one peer on the same hop may share a message; see join() in messages.hpp.  0: the block has a
  // message of its own.
  std::uint32_t hop = 0;
  std::uint32_t part = 0;   // the block's place in its message
  std::uint32_t parts = 1;  // the number of blocks in that message
};

// The limits on running ahead of peers: receives of up to this many messages are posted before the steps that take
// them, and a rank continues past up to this many messages whose receives have not been posted.  The limits bound the
// memory of an operation; schedules must be free of deadlock under them, and the audit checks this.
inline constexpr std::size_t receives_ahead = 2;
inline constexpr std::size_t sends_ahead = 2;

// The steps of one rank, in order.  The k-th block that rank a sends to rank b is the k-th that b takes from a.
struct Schedule {
  std::int32_t blocks = 1;
  std::vector<Step> steps;
};

// Lists steps in the order in which an algorithm names them.
class Builder {
 public:
  explicit Builder(int blocks) { schedule_.blocks = blocks; }
  Builder& send(int block, int peer) { return add(Verb::send, block, peer); }
  Builder& receive(int block, int peer) { return add(Verb::receive, block, peer); }
  Builder& reduce(int block, int peer) { return add(Verb::reduce, block, peer); }

  // Begins a hop, which lasts until the next call: what the rank sends to one peer from here on may travel in one
  // message.  The sender and the receiver of blocks begin hops between the same blocks, and on a hop a rank takes all
  // blocks of one peer before those of another.  Steps before the first hop have messages of their own.
  Builder& hop() {
    ++hop_;
    return *this;
  }
  Schedule take() { return std::move(schedule_); }

 private:
  Builder& add(Verb verb, int block, int peer) {
    schedule_.steps.push_back({verb, peer, block, hop_});
    return *this;
  }
  Schedule schedule_;
  std::uint32_t hop_ = 0;
};

// k modulo size, in 0..size-1 even for negative k.
constexpr int wrap(int k, int size) { return ((k % size) + size) % size; }

// The way in which the value of a block travels.  It determines how many single-encode errors a result may hold.
enum class Travel : std::uint8_t {
  homomorphic,  // frames are forwarded, and added as frames: every contribution is encoded once
  reencoding,   // frames are forwarded, but a sum of two has to be encoded again before it is sent on
  per_hop       // no frame is forwarded: every hop encodes before it sends and decodes on arrival (CPR-P2P)
};

// The most single-encode errors that any result may hold.  `final` counts encodes of values that are results (they are
// sent on, and decoded by every rank that wants them); `intermediate` counts all others.  The two kinds may have
// different allowances: the frames that are sent most should be coded coarsest.
struct Terms {
  int intermediate = 0;
  int final = 0;
  constexpr int all() const { return intermediate + final; }
  friend constexpr bool operator==(const Terms&, const Terms&) = default;
};

struct Algorithm {
  AlgorithmName id;
  Collective collective;
  // Returns false for sizes that the algorithm does not support.
  bool (*fits_size)(int size);
  Schedule (*build)(Place place);
  // The terms for Travel::reencoding and Travel::per_hop.  Under Travel::homomorphic, every reduction holds `size`
  // errors and every data movement one, whatever the algorithm.  For size 1 nothing is encoded and both counts are 0.
  Terms (*terms_of_size)(int size, Travel travel);
  // In place of the two functions above in an algorithm that follows the shape of nodes, which then has to be known.
  bool (*fits_nodes)(const NodeShape& nodes) = nullptr;
  Terms (*terms_on_nodes)(const NodeShape& nodes, Travel travel) = nullptr;

  std::string_view name() const { return text_of(id); }
  bool by_nodes() const { return fits_nodes != nullptr; }
  bool fits(Ranks ranks) const {
    if (!by_nodes()) return fits_size(ranks.size);
    return ranks.nodes != nullptr && fits_nodes(*ranks.nodes);
  }
  Terms terms(Ranks ranks, Travel travel) const {
    return by_nodes() ? terms_on_nodes(*ranks.nodes, travel) : terms_of_size(ranks.size, travel);
  }
};

// Every algorithm of algorithms.def, in its order.
const std::vector<Algorithm>& all_algorithms();

// Finds an algorithm by name; nullptr if there is none.
const Algorithm* find_algorithm(Collective collective, AlgorithmName name);
const Algorithm* find_algorithm(Collective collective, std::string_view name);

}  // namespace laconic
