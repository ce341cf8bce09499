// SPDX-License-Identifier: BSD-3-Clause
// The collectives of MPI as data: collectives.def has a row for each, and all code that depends on the collective
// derives its decisions from that row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace laconic {

// The movement of the blocks.  Routines that differ only in their counts follow the same schedules.
//
//   allreduce, reduce, bcast   any number of blocks, chosen by the algorithm: nearly equal parts of the data
//   reduce_scatter             `size` blocks; the result of block b belongs to rank b
//   allgather, gather          `size` blocks; rank b has block b at the beginning
//   scatter                    `size` blocks; rank b gets block b
//   alltoall                   `size` times `size` blocks: block s * size + d goes from rank s to rank d
//   scan, exscan               any number of blocks, like allreduce; each rank has its own result of every block
//   neighbor_allgather         the blocks of one rank: one from each source, then its own for all destinations
//   neighbor_alltoall          the blocks of one rank: one from each source, then one for each destination
enum class Collective : std::uint8_t {
#define LACONIC_COLLECTIVE(name, ...) name,
#define LACONIC_COLLECTIVE_LIKE(pattern, ...)
#include "call/collectives.def"
};

// The functions of MPI, whether they are called blocking, nonblocking or persistent.
enum class Routine : std::uint8_t {
#define LACONIC_COLLECTIVE(name, ...) name,
#include "call/collectives.def"
};

enum class Contents : std::uint8_t {
  nothing,
  whole,             // the same number of elements on every rank
  block,             // the block of this rank
  blocks,            // one block for each rank
  prefix,            // the reduction over the ranks up to this one
  exclusive_prefix,  // the reduction over the ranks before this one; rank 0 receives nothing
  neighbors,         // one block for each destination or source in the topology of the communicator
};

// The form in which MPI takes the number of elements of each block.
enum class Counting : std::uint8_t {
  equal,      // one count for all blocks
  per_rank,   // an array of counts
  displaced,  // arrays of counts and of displacements
};

// The sending or the receiving side of a rank.
struct SideTraits {
  Contents contents = Contents::nothing;
  Counting counting = Counting::equal;
  bool root_only = false;  // the arguments of the other ranks are not significant

  constexpr bool cut() const { return contents == Contents::blocks || contents == Contents::neighbors; }
};

struct CollectiveTraits {
  std::string_view name;
  Collective pattern;
  bool reduces;
  SideTraits send;
  SideTraits recv;

  constexpr const SideTraits& side(bool sending) const { return sending ? send : recv; }
  constexpr bool rooted() const { return send.root_only || recv.root_only; }
  // The ranks receive different results: each the reduction over the ranks up to it, or before it.
  constexpr bool prefix() const {
    return recv.contents == Contents::prefix || recv.contents == Contents::exclusive_prefix;
  }
  // The topology of the communicator determines who sends to whom.
  constexpr bool neighborhood() const { return recv.contents == Contents::neighbors; }
  // The algorithm may cut the data into any number of blocks.
  constexpr bool cut_freely() const {
    return send.contents == Contents::whole && (recv.contents == Contents::whole || prefix());
  }
  constexpr bool all_to_all() const { return send.contents == Contents::blocks && recv.contents == Contents::blocks; }
  // The call has one buffer: the root sends it, and the other ranks receive into it.
  constexpr bool one_buffer() const { return cut_freely() && send.root_only; }
  // The root passes MPI_IN_PLACE as its receive buffer.  In all other collectives it is passed as the send buffer.
  constexpr bool recv_in_place() const { return send.root_only && recv.contents == Contents::block; }
  // A reduction of which each rank keeps its own block.  The counts of the sending side give the size of that block.
  constexpr bool keeps_block() const { return reduces && recv.contents == Contents::block; }
  // Every rank receives the same data.
  constexpr bool replicates() const {
    return !recv.root_only && !all_to_all() && (recv.contents == Contents::whole || recv.contents == Contents::blocks);
  }
  // Some ranks are given fewer of the counts than others.
  constexpr bool counts_partial() const {
    const bool displaced = send.counting == Counting::displaced || recv.counting == Counting::displaced;
    return neighborhood() || (displaced && (rooted() || all_to_all()));
  }
};

namespace call_detail {

inline constexpr bool reduces = true;
inline constexpr bool moves = false;
inline constexpr Contents whole = Contents::whole;
inline constexpr Contents block = Contents::block;
inline constexpr Contents blocks = Contents::blocks;
inline constexpr Contents prefix = Contents::prefix;
inline constexpr Contents exclusive_prefix = Contents::exclusive_prefix;
inline constexpr Contents neighbors = Contents::neighbors;
inline constexpr Counting per_rank = Counting::per_rank;
inline constexpr Counting displaced = Counting::displaced;

constexpr SideTraits on_all(Contents contents, Counting counting = Counting::equal) {
  return {contents, counting, false};
}
constexpr SideTraits on_root(Contents contents, Counting counting = Counting::equal) {
  return {contents, counting, true};
}

inline constexpr CollectiveTraits routines[] = {
#define LACONIC_COLLECTIVE(name, Name, ...) {#name, Collective::name, __VA_ARGS__},
#define LACONIC_COLLECTIVE_LIKE(pattern, name, Name, ...) {#name, Collective::pattern, __VA_ARGS__},
#include "call/collectives.def"
};

inline constexpr CollectiveTraits patterns[] = {
#define LACONIC_COLLECTIVE(name, Name, ...) {#name, Collective::name, __VA_ARGS__},
#define LACONIC_COLLECTIVE_LIKE(pattern, ...)
#include "call/collectives.def"
};

}  // namespace call_detail

inline constexpr Collective all_collectives[] = {
#define LACONIC_COLLECTIVE(name, ...) Collective::name,
#define LACONIC_COLLECTIVE_LIKE(pattern, ...)
#include "call/collectives.def"
};

inline constexpr std::size_t num_routines = std::size(call_detail::routines);

constexpr const CollectiveTraits& traits_of(Routine routine) {
  return call_detail::routines[static_cast<std::size_t>(routine)];
}
// The traits of the routine that has the name of the pattern.
constexpr const CollectiveTraits& traits_of(Collective collective) {
  return call_detail::patterns[static_cast<std::size_t>(collective)];
}

constexpr std::string_view name_of(Routine routine) { return traits_of(routine).name; }
constexpr std::string_view name_of(Collective collective) { return traits_of(collective).name; }
constexpr bool reduces(Collective collective) { return traits_of(collective).reduces; }
constexpr bool has_root(Collective collective) { return traits_of(collective).rooted(); }

}  // namespace laconic
