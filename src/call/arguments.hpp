// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a collective in MPI's order, without the communicator and the arguments after it.  MPI_Allgatherv,
// MPI_Iallgatherv and laconic_allgatherv begin with the same arguments, and so do the functions of every other row of
// collectives.def.
//
// A side is anything with buffer, count, counts, displs and type; no header of MPI is needed.
#pragma once

#include <bit>
#include <cstdint>
#include <tuple>
#include <utility>

#include "call/collective.hpp"

namespace laconic {
namespace call_detail {

template <Counting counting, class Side>
constexpr auto counts_of(const Side& side) {
  if constexpr (counting == Counting::equal)
    return std::tuple(side.count);
  else if constexpr (counting == Counting::per_rank)
    return std::tuple(side.counts);
  else
    return std::tuple(side.counts, side.displs);
}

template <std::size_t at, Counting counting, class Side, class Arguments>
constexpr void set_counts(Side& side, const Arguments& a) {
  if constexpr (counting == Counting::equal) side.count = std::get<at>(a);
  if constexpr (counting != Counting::equal) side.counts = std::get<at>(a);
  if constexpr (counting == Counting::displaced) side.displs = std::get<at + 1>(a);
}

constexpr std::size_t num_counts(Counting counting) { return counting == Counting::displaced ? 2 : 1; }

}  // namespace call_detail

// Returns the arguments as a tuple.  In a reduction both sides share type and counts; the sending side provides them.
template <Routine routine, class Side, class Op>
constexpr auto arguments_of(const Side& send, const Side& recv, Op op, int root) {
  constexpr const CollectiveTraits& t = traits_of(routine);
  const auto rooted = [&] {
    if constexpr (t.rooted())
      return std::tuple(root);
    else
      return std::tuple();
  }();
  if constexpr (t.one_buffer()) {
    return std::tuple_cat(std::tuple(recv.buffer), call_detail::counts_of<t.recv.counting>(recv), std::tuple(recv.type),
                          rooted);
  } else {
    const auto begin = std::tuple_cat(std::tuple(send.buffer));
    const auto counts = call_detail::counts_of<t.send.counting>(send);
    if constexpr (t.reduces)
      return std::tuple_cat(begin, std::tuple(recv.buffer), counts, std::tuple(send.type, op), rooted);
    else
      return std::tuple_cat(begin, counts, std::tuple(send.type, recv.buffer),
                            call_detail::counts_of<t.recv.counting>(recv), std::tuple(recv.type), rooted);
  }
}

// The inverse of arguments_of(): sets the sides, op and root of a call.  Arguments that both sides share are stored in
// both.
template <Routine routine, class Call, class... Arguments>
constexpr void set_arguments(Call& call, Arguments... arguments) {
  constexpr const CollectiveTraits& t = traits_of(routine);
  constexpr std::size_t num_sent = call_detail::num_counts(t.send.counting);
  constexpr std::size_t num_received = call_detail::num_counts(t.recv.counting);
  const std::tuple a(arguments...);
  constexpr std::size_t last = sizeof...(Arguments) - 1;
  if constexpr (t.rooted()) call.root = std::get<last>(a);
  if constexpr (t.one_buffer()) {
    call.recv.buffer = std::get<0>(a);
    call_detail::set_counts<1, t.recv.counting>(call.recv, a);
    call.recv.type = std::get<1 + num_received>(a);
    call.send = call.recv;
  } else {
    call.send.buffer = const_cast<void*>(std::get<0>(a));  // a sending side is only read
    if constexpr (t.reduces) {
      call.recv.buffer = std::get<1>(a);
      call_detail::set_counts<2, t.send.counting>(call.send, a);
      if constexpr (t.send.counting == Counting::equal) call.recv.count = call.send.count;
      call.send.type = call.recv.type = std::get<2 + num_sent>(a);
      call.op = std::get<3 + num_sent>(a);
    } else {
      call_detail::set_counts<1, t.send.counting>(call.send, a);
      call.send.type = std::get<1 + num_sent>(a);
      call.recv.buffer = std::get<2 + num_sent>(a);
      call_detail::set_counts<3 + num_sent, t.recv.counting>(call.recv, a);
      call.recv.type = std::get<3 + num_sent + num_received>(a);
    }
  }
}

// A hash of the arrays of counts and displacements of a call that are significant on this rank; 0 where there are none.
// in_place: MPI_IN_PLACE.  given: whether an array is one.  parts: the number of blocks on the sending side (true) or
// the receiving side.
template <class Call, class Given, class Parts>
std::uint64_t hash_of_counts(const Call& call, bool at_root, const void* in_place, Given given, Parts parts) {
  const CollectiveTraits& t = call.traits();
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t value) { hash = (std::rotl(hash, 23) ^ value) * 0x9e3779b97f4a7c15ULL; };
  for (const bool sending : {true, false}) {
    const auto& side = sending ? call.send : call.recv;
    if (!given(side.counts) && !given(side.displs)) continue;
    if ((t.side(sending).root_only && !at_root) || (!t.reduces && side.buffer == in_place)) continue;
    const auto add = [&](const auto& array) {
      if (!given(array)) return;
      for (int p = 0; p < parts(sending); ++p) mix(static_cast<std::uint64_t>(array[p]));
    };
    mix(sending ? 1 : 2);
    add(side.counts);
    add(side.displs);
  }
  return hash;
}

}  // namespace laconic
