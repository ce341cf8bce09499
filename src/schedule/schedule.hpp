// SPDX-License-Identifier: BSD-3-Clause
// Who sends which block to whom.  An algorithm is a pure function from a place to a list of steps with three verbs;
// it mentions no codec, chunk, device or request.  lower() (engine) turns the list into work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "call/collective.hpp"

namespace laconic {

// Where a schedule is built for.  root is unused by rootless collectives.
struct Place {
  int rank = 0;
  int size = 1;
  int root = 0;
};

// What a rank has of a block before the operation, and whether it wants the result of it.
struct Ownership {
  bool has = false;
  bool wants = false;
};

constexpr Ownership ownership_of(Collective collective, Place at, std::int32_t block) {
  const CollectiveTraits& t = traits_of(collective);
  if (t.all_to_all()) return {block / at.size == at.rank, block % at.size == at.rank};
  const auto holds = [&](const SideTraits& side) {
    return side.contents == Contents::block ? block == at.rank : !side.root_only || at.rank == at.root;
  };
  return {holds(t.send), holds(t.recv)};
}

enum class Verb : std::uint8_t {
  send,     // the current value of the block goes to the peer
  receive,  // the block becomes what the peer sent
  reduce,   // the block becomes its value op what the peer sent
};

struct Step {
  Verb verb;
  std::int32_t peer;
  std::int32_t block;
};

// How far a rank may run ahead of its peers: receives are posted this many before the step that takes them, and a rank
// goes on past this many sends that nobody has posted a receive for.  It bounds the memory of an operation; schedules
// must be free of deadlock under it, and the audit holds them to that.
inline constexpr std::size_t receives_ahead = 2;
inline constexpr std::size_t sends_ahead = 2;

// The steps of one rank, in order.  The k-th message from a to b is the k-th that b takes from a.
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
  Schedule take() { return std::move(schedule_); }

 private:
  Builder& add(Verb verb, int block, int peer) {
    schedule_.steps.push_back({verb, peer, block});
    return *this;
  }
  Schedule schedule_;
};

// k modulo size, in 0..size-1 also for negative k.
constexpr int wrap(int k, int size) { return ((k % size) + size) % size; }

// How the value of a block travels, which decides how many errors of one encode a result may hold.
enum class Travel : std::uint8_t {
  adding,      // frames are forwarded, and added exactly: every contribution is encoded once
  reencoding,  // frames are forwarded, but a sum of two is a number that has to be encoded again to travel on
  per_hop      // nothing is forwarded: every hop encodes before it sends and decodes what arrives (CPR-P2P)
};

// The most errors of one encode that any result may hold.  `last` counts encodes of values that are results already
// (they are sent on, and decoded by every rank that wants them); `earlier` all others.  The two may be given different
// allowances: what is sent most should be coded coarsest.
struct Terms {
  int earlier = 0;
  int last = 0;
  constexpr int all() const { return earlier + last; }
  friend constexpr bool operator==(const Terms&, const Terms&) = default;
};

// What an algorithm costs, in the terms of the usual model (Thakur, Rabenseifner and Gropp, 2005): the time of an
// operation is about hops * latency + share * bytes / bandwidth, where the bytes of all blocks count (of an alltoall:
// of the blocks that one rank sends).
struct Cost {
  double hops = 0;   // messages one after another on the longest way to a result
  double share = 0;  // of the bytes, what the busiest rank sends or receives, whichever is more
};

struct Algorithm {
  std::string_view name;
  Collective collective;
  // False for sizes that the algorithm cannot serve.
  bool (*fits)(int size);
  Schedule (*build)(Place place);
  // Of Travel::reencoding and Travel::per_hop.  Where frames are added exactly, a reduction holds `size` errors and
  // data movement one, for every algorithm.  For size 1 nothing is encoded and both counts are 0.
  Terms (*terms)(int size, Travel travel);
  Cost (*cost)(int size);
};

// Every algorithm of algorithms.def, in its order.
const std::vector<Algorithm>& all_algorithms();

// By name, or nullptr.
const Algorithm* find_algorithm(Collective collective, std::string_view name);

}  // namespace laconic
