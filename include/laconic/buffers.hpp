// SPDX-License-Identifier: BSD-3-Clause
// A part of laconic.hpp: buffers of numbers, and the arguments that the functions of laconic.h get for them.
#ifndef LACONIC_BUFFERS_HPP
#define LACONIC_BUFFERS_HPP

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

namespace laconic::mpi {

// float, double, and integers.  bool, char and the like are not numbers.
template <class T, class... Others>
concept OneOf = (std::same_as<T, Others> || ...);

template <class T>
concept Number = OneOf<T, float, double, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                       unsigned long, long long, unsigned long long>;

// The MPI datatype of a type of numbers.
template <Number T>
MPI_Datatype datatype() noexcept {
  if constexpr (std::same_as<T, float>) return MPI_FLOAT;
  if constexpr (std::same_as<T, double>) return MPI_DOUBLE;
  if constexpr (std::same_as<T, signed char>) return MPI_SIGNED_CHAR;
  if constexpr (std::same_as<T, unsigned char>) return MPI_UNSIGNED_CHAR;
  if constexpr (std::same_as<T, short>) return MPI_SHORT;
  if constexpr (std::same_as<T, unsigned short>) return MPI_UNSIGNED_SHORT;
  if constexpr (std::same_as<T, int>) return MPI_INT;
  if constexpr (std::same_as<T, unsigned>) return MPI_UNSIGNED;
  if constexpr (std::same_as<T, long>) return MPI_LONG;
  if constexpr (std::same_as<T, unsigned long>) return MPI_UNSIGNED_LONG;
  if constexpr (std::same_as<T, long long>) return MPI_LONG_LONG;
  if constexpr (std::same_as<T, unsigned long long>) return MPI_UNSIGNED_LONG_LONG;
}

// Ranges that own their elements are taken as lvalues only: the elements of a temporary would not outlive the call.
template <class R>
concept Source = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && std::ranges::borrowed_range<R> &&
    Number<std::ranges::range_value_t<R>>;
template <class R>
concept Target = Source<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;
template <class R, class S>
concept TargetLike = Target<R> && std::same_as<std::ranges::range_value_t<R>, std::ranges::range_value_t<S>>;

using Counts = std::span<const MPI_Count>;  // of elements, one for each rank
using Displacements = std::span<const MPI_Aint>;

// For laconic.hpp alone.
namespace detail {

inline const void* const in_place = MPI_IN_PLACE;

struct Input {
  const void* data;
  std::size_t size;
  MPI_Datatype type;

  template <Source S>
  Input(S&& s)
      : data(std::ranges::data(s)), size(std::ranges::size(s)), type(datatype<std::ranges::range_value_t<S>>()) {}
  MPI_Count count() const { return static_cast<MPI_Count>(size); }
  MPI_Count block(std::size_t ranks) const { return static_cast<MPI_Count>(ranks > 0 ? size / ranks : 0); }
};

struct Output : Input {
  void* room;

  template <Target R>
  Output(R&& r) : Input(r), room(std::ranges::data(r)) {}
};

// The place of this rank in a communicator.
struct Place {
  std::size_t rank = 0;
  std::size_t ranks = 0;

  // The library reports a null communicator, so nothing is asked of it here.
  explicit Place(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) return;
    int mine = 0;
    int size = 0;
    int intercomm = 0;
    MPI_Comm_test_inter(comm, &intercomm);
    if (intercomm != 0)
      throw std::invalid_argument("laconic: comm is an intercommunicator; valid here are intracommunicators");
    MPI_Comm_rank(comm, &mine);
    MPI_Comm_size(comm, &size);
    rank = static_cast<std::size_t>(mine);
    ranks = static_cast<std::size_t>(size);
  }
  bool is(int root) const { return root >= 0 && rank == static_cast<std::size_t>(root); }
};

inline std::size_t ranks_of(MPI_Comm comm) { return Place(comm).ranks; }

// The number of blocks that this rank sends, and that it receives.
struct Blocks {
  std::size_t sent = 0;
  std::size_t received = 0;
};

inline Blocks for_each_rank(MPI_Comm comm) {
  const std::size_t ranks = ranks_of(comm);
  return {ranks, ranks};
}

// One block for each neighbor in the topology of the communicator; the library reports that there is none.
inline Blocks for_each_neighbor(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  int sources = 0;
  int destinations = 0;
  if (comm != MPI_COMM_NULL) MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    MPI_Cartdim_get(comm, &sources);
    sources = destinations = 2 * sources;
  } else if (topology == MPI_GRAPH) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Graph_neighbors_count(comm, rank, &sources);
    destinations = sources;
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    MPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
  }
  return {static_cast<std::size_t>(destinations), static_cast<std::size_t>(sources)};
}

inline void need(const char* name, std::size_t size, std::size_t least) {
  if (size < least)
    throw std::invalid_argument(std::string("laconic: ") + name + " has " + std::to_string(size) +
                                " elements; valid are " + std::to_string(least) + " or more");
}

inline std::size_t nonnegative(MPI_Count count) { return count > 0 ? static_cast<std::size_t>(count) : 0; }

// Checks that the array has a count for each rank, and returns their sum.  Negative counts are left for the library.
inline std::size_t sum(Counts counts, std::size_t ranks) {
  need("the array of counts", counts.size(), ranks);
  std::size_t total = 0;
  for (std::size_t k = 0; k < ranks; ++k) total += nonnegative(counts[k]);
  return total;
}

// Checks that the blocks lie inside the buffer.
inline void need_blocks(const char* name, const Input& all, Counts counts, Displacements displs, std::size_t ranks) {
  need("the array of counts", counts.size(), ranks);
  need("the array of displacements", displs.size(), ranks);
  for (std::size_t k = 0; k < ranks; ++k) {
    if (counts[k] <= 0) continue;
    const auto begin = static_cast<std::size_t>(displs[k]);
    if (displs[k] < 0 || begin > all.size || nonnegative(counts[k]) > all.size - begin)
      throw std::invalid_argument("laconic: block " + std::to_string(k) + " has displacement " +
                                  std::to_string(displs[k]) + " and count " + std::to_string(counts[k]) +
                                  "; valid are blocks within the " + std::to_string(all.size) + " elements of " + name);
  }
}

// The functions below return the arguments of a C function that come before the communicator.  Those with one buffer
// are the forms in place.

inline auto reduced(const Input& send, const Output& recv, MPI_Op op) {
  need("recv", recv.size, send.size);
  return std::tuple(send.data, recv.room, send.count(), send.type, op);
}
inline auto reduced(const Output& inout, MPI_Op op) {
  return std::tuple(in_place, inout.room, inout.count(), inout.type, op);
}

// Rank 0 receives nothing.
inline auto reduced_before(MPI_Comm comm, const Input& send, const Output& recv, MPI_Op op) {
  if (Place(comm).rank > 0) need("recv", recv.size, send.size);
  return std::tuple(send.data, recv.room, send.count(), send.type, op);
}

inline auto reduced_to(int root, MPI_Comm comm, const Input& send, const Output& recv, MPI_Op op) {
  if (Place(comm).is(root)) need("recv", recv.size, send.size);
  return std::tuple(send.data, recv.room, send.count(), send.type, op, root);
}
inline auto reduced_to(int root, MPI_Comm comm, const Output& inout, MPI_Op op) {
  return std::tuple(Place(comm).is(root) ? in_place : inout.data, inout.room, inout.count(), inout.type, op, root);
}

inline auto scattered_sums(MPI_Comm comm, const Input& send, const Output& recv, Counts counts, MPI_Op op) {
  const Place here(comm);
  need("send", send.size, sum(counts, here.ranks));
  if (here.ranks > 0) need("recv", recv.size, nonnegative(counts[here.rank]));
  return std::tuple(send.data, recv.room, counts.data(), send.type, op);
}
inline auto scattered_sums(MPI_Comm comm, const Output& inout, Counts counts, MPI_Op op) {
  need("inout", inout.size, sum(counts, ranks_of(comm)));
  return std::tuple(in_place, inout.room, counts.data(), inout.type, op);
}

inline auto scattered_equal_sums(MPI_Comm comm, const Input& send, const Output& recv, MPI_Op op) {
  need("send", send.size, recv.size * ranks_of(comm));
  return std::tuple(send.data, recv.room, recv.count(), send.type, op);
}
inline auto scattered_equal_sums(MPI_Comm comm, const Output& inout, MPI_Op op) {
  return std::tuple(in_place, inout.room, inout.block(ranks_of(comm)), inout.type, op);
}

// A side with equal counts, and one with an array of counts.
inline auto sent(const Input& side, MPI_Count count) { return std::tuple(side.data, count, side.type); }
inline auto received(const Output& side, MPI_Count count) { return std::tuple(side.room, count, side.type); }
inline auto sent(const Input& side, Counts counts, Displacements displs) {
  return std::tuple(side.data, counts.data(), displs.data(), side.type);
}
inline auto received(const Output& side, Counts counts, Displacements displs) {
  return std::tuple(side.room, counts.data(), displs.data(), side.type);
}

inline auto sent_in_place(const Output& side) { return std::tuple(in_place, MPI_Count{0}, side.type); }
// The root of a scatter leaves its own block where it is.
inline auto received_unless(bool root, const Output& side) {
  return root ? std::tuple(static_cast<void*>(MPI_IN_PLACE), MPI_Count{0}, side.type) : received(side, side.count());
}

inline auto gathered(std::size_t blocks, const Input& send, const Output& recv) {
  return std::tuple_cat(sent(send, send.count()), received(recv, recv.block(blocks)));
}
inline auto gathered(std::size_t blocks, const Output& inout) {
  return std::tuple_cat(sent_in_place(inout), received(inout, inout.block(blocks)));
}
inline auto gathered(std::size_t blocks, const Input& send, const Output& recv, Counts counts, Displacements displs) {
  need_blocks("recv", recv, counts, displs, blocks);
  return std::tuple_cat(sent(send, send.count()), received(recv, counts, displs));
}
inline auto gathered(std::size_t blocks, const Output& inout, Counts counts, Displacements displs) {
  need_blocks("inout", inout, counts, displs, blocks);
  return std::tuple_cat(sent_in_place(inout), received(inout, counts, displs));
}

inline auto gathered_to(int root, MPI_Comm comm, const Input& send, const Output& recv) {
  return std::tuple_cat(gathered(ranks_of(comm), send, recv), std::tuple(root));
}
inline auto gathered_to(int root, MPI_Comm comm, const Output& inout) {
  const Place here(comm);
  return std::tuple_cat(here.is(root) ? sent_in_place(inout) : sent(inout, inout.count()),
                        received(inout, inout.block(here.ranks)), std::tuple(root));
}
inline auto gathered_to(int root, MPI_Comm comm, const Input& send, const Output& recv, Counts counts,
                        Displacements displs) {
  if (const Place here(comm); here.is(root)) need_blocks("recv", recv, counts, displs, here.ranks);
  return std::tuple_cat(sent(send, send.count()), received(recv, counts, displs), std::tuple(root));
}
inline auto gathered_to(int root, MPI_Comm comm, const Output& inout, Counts counts, Displacements displs) {
  const Place here(comm);
  if (here.is(root)) need_blocks("inout", inout, counts, displs, here.ranks);
  return std::tuple_cat(here.is(root) ? sent_in_place(inout) : sent(inout, inout.count()),
                        received(inout, counts, displs), std::tuple(root));
}

inline auto scattered_from(int root, MPI_Comm comm, const Input& send, const Output& recv) {
  return std::tuple_cat(sent(send, send.block(ranks_of(comm))), received(recv, recv.count()), std::tuple(root));
}
inline auto scattered_from(int root, MPI_Comm comm, const Output& inout) {
  const Place here(comm);
  return std::tuple_cat(sent(inout, inout.block(here.ranks)), received_unless(here.is(root), inout), std::tuple(root));
}
inline auto scattered_from(int root, MPI_Comm comm, const Input& send, Counts counts, Displacements displs,
                           const Output& recv) {
  if (const Place here(comm); here.is(root)) need_blocks("send", send, counts, displs, here.ranks);
  return std::tuple_cat(sent(send, counts, displs), received(recv, recv.count()), std::tuple(root));
}
inline auto scattered_from(int root, MPI_Comm comm, const Output& inout, Counts counts, Displacements displs) {
  const Place here(comm);
  if (here.is(root)) need_blocks("inout", inout, counts, displs, here.ranks);
  return std::tuple_cat(sent(inout, counts, displs), received_unless(here.is(root), inout), std::tuple(root));
}

inline auto exchanged(Blocks blocks, const Input& send, const Output& recv) {
  return std::tuple_cat(sent(send, send.block(blocks.sent)), received(recv, recv.block(blocks.received)));
}
inline auto exchanged(Blocks blocks, const Output& inout) {
  return std::tuple_cat(sent_in_place(inout), received(inout, inout.block(blocks.received)));
}
inline auto exchanged(Blocks blocks, const Input& send, Counts sendcounts, Displacements sdispls, const Output& recv,
                      Counts recvcounts, Displacements rdispls) {
  need_blocks("send", send, sendcounts, sdispls, blocks.sent);
  need_blocks("recv", recv, recvcounts, rdispls, blocks.received);
  return std::tuple_cat(sent(send, sendcounts, sdispls), received(recv, recvcounts, rdispls));
}
inline auto exchanged(Blocks blocks, const Output& inout, Counts counts, Displacements displs) {
  need_blocks("inout", inout, counts, displs, blocks.received);
  return std::tuple_cat(std::tuple(in_place, counts.data(), displs.data(), inout.type),
                        received(inout, counts, displs));
}

inline auto broadcast(int root, const Output& inout) { return std::tuple(inout.room, inout.count(), inout.type, root); }

}  // namespace detail
}  // namespace laconic::mpi
#endif
