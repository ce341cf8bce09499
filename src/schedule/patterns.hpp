// SPDX-License-Identifier: BSD-3-Clause
// Parts shared by several algorithms: powers of two, ranks counted from the root, binomial trees, pairs of ranks for
// sizes that are not powers of two, and the phases of which longer algorithms are made.
#pragma once

#include <bit>

#include "schedule/schedule.hpp"

namespace laconic {

inline bool any_size(int) { return true; }
inline bool powers_of_two(int size) { return std::has_single_bit(static_cast<unsigned>(size)); }

// The greatest power of two <= size, its logarithm, and the logarithm of the least power of two >= size.
constexpr int power_below(int size) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(size))); }
constexpr int log2_below(int size) { return static_cast<int>(std::bit_width(static_cast<unsigned>(size))) - 1; }
constexpr int log2_above(int size) { return static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1))); }

constexpr double part(int blocks, int of) { return static_cast<double>(blocks) / of; }

// The terms of an operation that only moves blocks.  If frames are forwarded, only the source rank encodes.
constexpr Terms terms_of_moving(int hops, Travel travel) {
  if (travel == Travel::per_hop) return {hops, 0};
  return {0, hops > 0 ? 1 : 0};
}

// Numbers the ranks from the root, which is 0.
class FromRoot {
 public:
  explicit constexpr FromRoot(Place at) : root_(at.root), size_(at.size), mine_(wrap(at.rank - at.root, at.size)) {}
  constexpr int mine() const { return mine_; }
  constexpr int rank(int k) const { return wrap(root_ + k, size_); }

 private:
  int root_, size_, mine_;
};

// The binomial tree over 0..size-1 with root 0.  The parent of k is k without its lowest set bit, so the subtree of k
// is a contiguous range.  The tree is log2_below(size) deep, and the root has log2_above(size) children.
constexpr int parent_of(int k) { return k & (k - 1); }
constexpr int subtree_end(int k, int size) {
  const int end = k + (k & -k);
  return k == 0 || end > size ? size : end;
}
// The child of k whose subtree holds j, for k < j < subtree_end(k).
constexpr int child_towards(int j, int k) { return k + power_below(j - k); }

// If the size is not a power of two, the first 2 * extra ranks form pairs, and the odd rank of each pair acts for both,
// which leaves `power` participants.  (Thakur, Rabenseifner and Gropp, 2005.)
class Pairs {
 public:
  explicit constexpr Pairs(int size) : power(power_below(size)), extra(size - power) {}
  constexpr bool paired(int rank) const { return rank < 2 * extra; }
  constexpr bool stands_aside(int rank) const { return paired(rank) && rank % 2 == 0; }
  constexpr int participant(int rank) const { return paired(rank) ? rank / 2 : rank - extra; }
  constexpr bool stands_for_two(int participant) const { return participant < extra; }
  constexpr int rank_of(int participant) const { return first_of(participant) + (stands_for_two(participant) ? 1 : 0); }
  // The first rank that the participant stands for.  For participant == power (one past the last), the number of ranks.
  constexpr int first_of(int participant) const {
    return stands_for_two(participant) ? 2 * participant : participant + extra;
  }

  int power;
  int extra;
};

struct BlockRange {
  int begin = 0;
  int end = 0;
  constexpr int size() const { return end - begin; }
};

// Sends the blocks `out` and takes the blocks `in`, alternating while both remain, so that neither side holds more than
// a few frames.
using Taking = Builder& (Builder::*)(int block, int peer);
void exchange(Builder& s, int peer, BlockRange out, Taking take, BlockRange in);

// The blocks of the participants whose numbers agree with `participant` in the bit of `distance` and all higher bits.
constexpr BlockRange range_at(int distance, int participant) {
  const int begin = participant & ~(distance - 1);
  return {begin, begin + distance};
}

// Phases of longer algorithms.  Each ends, or begins, with block r at rank r.
namespace phase {
void ring_reduce_scatter(Builder& s, Place at);
void ring_allgather(Builder& s, Place at);
void direct_reduce_scatter(Builder& s, Place at);
void direct_allgather(Builder& s, Place at);
void direct_gather(Builder& s, Place at);

// Every edge of the topology as one message.
Schedule direct_neighbors(Place at, Collective collective);

// Works on pairs.power blocks and ends with block i at participant i.  Ranks are counted from `first` on.
void recursive_halving(Builder& s, const Pairs& pairs, Place at, int first);
}  // namespace phase

}  // namespace laconic
