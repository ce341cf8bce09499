// SPDX-License-Identifier: BSD-3-Clause
// laconic.hpp: which buffers it takes, and the results of the C API bit for bit.
#include "cpp_face.hpp"

#include <array>
#include <type_traits>

namespace {

namespace lac = laconic::mpi;
using ranks::Random;
using ranks::same_bits;
using ranks::Test;
using ranks::thrown;

static_assert(!std::is_copy_constructible_v<lac::Request> && !std::is_copy_assignable_v<lac::Request>);
static_assert(std::is_nothrow_move_constructible_v<lac::Request> && std::is_nothrow_move_assignable_v<lac::Request>);

// What the buffers of a sum may be.
template <class S, class R>
concept Summable = requires(S send, R recv) {
  lac::allreduce(std::forward<S>(send), std::forward<R>(recv), MPI_SUM, MPI_COMM_WORLD);
};
using Floats = std::vector<float>;
static_assert(Summable<const Floats&, Floats&> && Summable<std::span<const float>, std::span<float>>);
static_assert(Summable<std::array<int, 3>&, std::span<int>>);
static_assert(!Summable<Floats&, const Floats&> && !Summable<Floats&, std::span<const float>>);  // recv is written
static_assert(!Summable<Floats&, std::vector<double>&>);
static_assert(!Summable<Floats&, Floats>);  // the numbers of a temporary are gone too early
static_assert(!Summable<std::vector<char>&, std::vector<char>&> && !Summable<std::string&, std::string&>);

// Every collective of the library is in laconic.hpp.
namespace complete {
#define LACONIC_COLLECTIVE(name, ...) \
  using lac::name;                    \
  using lac::i##name;                 \
  using lac::name##_init;
#include "call/collectives.def"
}  // namespace complete

// The four calls get a receive buffer with the same contents, and have to leave the same bits in it.
template <class T, class C, class Blocking, class Nonblocking, class Persistent>
void same(Test& t, const char* name, const std::vector<T>& before, C c, Blocking blocking, Nonblocking nonblocking,
          Persistent persistent) {
  t.doing(ranks::text("%s of %s", name, typeid(T).name()));
  t.count_case();
  std::vector<T> expected = before;
  CHECK(t, c(expected) == MPI_SUCCESS);
  std::vector<T> got = before;
  blocking(got);
  CHECK(t, same_bits(got, expected), "blocking");

  got = before;
  lac::Request request = nonblocking(got);
  while (!request.test()) {
  }
  CHECK(t, !request);
  CHECK(t, same_bits(got, expected), "nonblocking");

  request = persistent(got);
  for (int round = 0; round < 2; ++round) {
    got = before;  // as long as before, so that it stays where it is
    request.start();
    request.wait();
    CHECK(t, request && same_bits(got, expected), "persistent, round %d", round);
  }
}

// A call with C's arguments, and with those of laconic.hpp; `recv` begins with the numbers of `before`.
#define LIST(...) __VA_ARGS__
#define SAME(name, before, ARGUMENTS, FACE)                                                                  \
  same(                                                                                                      \
      t, #name, before, [&](std::vector<T>& recv) { return laconic_##name(LIST ARGUMENTS, comm, options); }, \
      [&](std::vector<T>& recv) { lac::name(LIST FACE, comm, options); },                                    \
      [&](std::vector<T>& recv) { return lac::i##name(LIST FACE, comm, options); },                          \
      [&](std::vector<T>& recv) { return lac::name##_init(LIST FACE, comm, options); })

// Blocks of 1, 2, ... times `step` elements with one element between them, in this order of the ranks.
struct Uneven {
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displs;
  std::size_t size = 0;  // of a buffer that they fit in

  Uneven(int ranks, MPI_Count step) {
    for (int r = 0; r < ranks; ++r) {
      counts.push_back(step * (r + 1));
      displs.push_back(static_cast<MPI_Aint>(size));
      size += static_cast<std::size_t>(counts.back()) + 1;
    }
  }
  std::size_t count(int r) const { return static_cast<std::size_t>(counts[static_cast<std::size_t>(r)]); }
};

// On a line of ranks, where the two ends have one neighbor.
template <class T>
void among_neighbors(Test& t, MPI_Comm base, lac::Options options) {
  constexpr MPI_Count n = 500;
  const MPI_Datatype type = lac::datatype<T>();
  MPI_Comm comm = MPI_COMM_NULL;
  const int size = t.size();
  const int periodic = 0;
  MPI_Cart_create(base, 1, &size, &periodic, 0, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  laconic_comm_set_info(comm, MPI_INFO_NULL);
  const auto numbers = [&](std::size_t count, int rank) {
    Random random(t.seed() * 10 + static_cast<std::uint64_t>(rank));
    std::vector<T> x(count);
    for (T& v : x) v = static_cast<T>(100 * random.uniform() - 50);
    return x;
  };
  const std::vector<T> two = numbers(2 * n, t.rank());
  const std::vector<T> one(two.begin(), two.begin() + n);
  const std::vector<T> room(2 * n, T{0});
  const std::vector<MPI_Count> counts(2, n);
  const std::vector<MPI_Aint> displs{n, 0};
  SAME(neighbor_allgather, room, (one.data(), n, type, recv.data(), n, type), (one, recv));
  SAME(neighbor_alltoall, room, (two.data(), n, type, recv.data(), n, type), (two, recv));
  SAME(neighbor_allgatherv, room, (one.data(), n, type, recv.data(), counts.data(), displs.data(), type),
       (one, recv, counts, displs));
  SAME(neighbor_alltoallv, room,
       (two.data(), counts.data(), displs.data(), type, recv.data(), counts.data(), displs.data(), type),
       (two, counts, displs, recv, counts, displs));
  MPI_Comm_free(&comm);
}

template <class T>
void as_in_c(Test& t, MPI_Comm comm, lac::Options options) {
  constexpr MPI_Count n = 700;
  const auto p = static_cast<std::size_t>(t.size());
  const MPI_Datatype type = lac::datatype<T>();
  const int root = t.size() - 1;
  const bool is_root = t.rank() == root;
  Random random(t.seed() * 100 + static_cast<std::uint64_t>(t.rank()));
  const auto numbers = [&](std::size_t size) {
    std::vector<T> x(size);
    for (T& v : x) v = static_cast<T>(100 * random.uniform() - 50);
    return x;
  };
  const std::vector<T> one = numbers(n);
  const std::vector<T> all = numbers(n * p);
  const std::vector<T> none(n, T{0});
  const std::vector<T> room(n * p, T{0});
  laconic_stats stats{};
  options.stats(stats);

  SAME(allreduce, none, (one.data(), recv.data(), n, type, MPI_SUM), (one, recv, MPI_SUM));
  CHECK(t, stats.calls == 1 && (t.size() == 1 || stats.plain_calls == 0));
  SAME(allreduce, one, (MPI_IN_PLACE, recv.data(), n, type, MPI_MAX), (recv, MPI_MAX));
  SAME(reduce, none, (one.data(), recv.data(), n, type, MPI_SUM, root), (one, recv, MPI_SUM, root));
  SAME(reduce, one, (is_root ? MPI_IN_PLACE : recv.data(), recv.data(), n, type, MPI_SUM, root), (recv, MPI_SUM, root));
  SAME(scan, none, (one.data(), recv.data(), n, type, MPI_SUM), (one, recv, MPI_SUM));
  SAME(scan, one, (MPI_IN_PLACE, recv.data(), n, type, MPI_SUM), (recv, MPI_SUM));
  SAME(exscan, none, (one.data(), recv.data(), n, type, MPI_SUM), (one, recv, MPI_SUM));
  SAME(exscan, one, (MPI_IN_PLACE, recv.data(), n, type, MPI_SUM), (recv, MPI_SUM));
  SAME(reduce_scatter_block, none, (all.data(), recv.data(), n, type, MPI_SUM), (all, recv, MPI_SUM));
  SAME(reduce_scatter_block, all, (MPI_IN_PLACE, recv.data(), n, type, MPI_SUM), (recv, MPI_SUM));
  SAME(allgather, room, (one.data(), n, type, recv.data(), n, type), (one, recv));
  SAME(allgather, all, (MPI_IN_PLACE, 0, type, recv.data(), n, type), (recv));
  SAME(gather, room, (one.data(), n, type, recv.data(), n, type, root), (one, recv, root));
  SAME(bcast, one, (recv.data(), n, type, root), (recv, root));
  SAME(scatter, none, (all.data(), n, type, recv.data(), n, type, root), (all, recv, root));
  SAME(alltoall, room, (all.data(), n, type, recv.data(), n, type), (all, recv));
  SAME(alltoall, all, (MPI_IN_PLACE, 0, type, recv.data(), n, type), (recv));
  // In place, a gather has all blocks on the root and one elsewhere, and so has a scatter.
  const std::vector<T>& mixed = is_root ? all : one;
  SAME(gather, mixed,
       (is_root ? MPI_IN_PLACE : recv.data(), is_root ? 0 : n, type, is_root ? recv.data() : nullptr, n, type, root),
       (recv, root));
  SAME(scatter, mixed,
       (is_root ? recv.data() : nullptr, n, type, is_root ? MPI_IN_PLACE : recv.data(), is_root ? 0 : n, type, root),
       (recv, root));

  const Uneven u(t.size(), 300);
  const auto mine = static_cast<MPI_Count>(u.count(t.rank()));
  const MPI_Count* counts = u.counts.data();
  const MPI_Aint* displs = u.displs.data();
  const std::vector<T> block = numbers(u.count(t.rank()));
  const std::vector<T> blocks = numbers(u.size);
  const std::vector<T> gaps(u.size, T{0});
  SAME(reduce_scatter, block, (blocks.data(), recv.data(), counts, type, MPI_SUM), (blocks, recv, u.counts, MPI_SUM));
  SAME(reduce_scatter, blocks, (MPI_IN_PLACE, recv.data(), counts, type, MPI_SUM), (recv, u.counts, MPI_SUM));
  SAME(allgatherv, gaps, (block.data(), mine, type, recv.data(), counts, displs, type),
       (block, recv, u.counts, u.displs));
  SAME(allgatherv, blocks, (MPI_IN_PLACE, 0, type, recv.data(), counts, displs, type), (recv, u.counts, u.displs));
  // Only the root passes counts.
  const lac::Counts roots = is_root ? lac::Counts(u.counts) : lac::Counts();
  const lac::Displacements at = is_root ? lac::Displacements(u.displs) : lac::Displacements();
  SAME(gatherv, gaps, (block.data(), mine, type, recv.data(), counts, displs, type, root),
       (block, recv, roots, at, root));
  SAME(scatterv, block, (blocks.data(), counts, displs, type, recv.data(), mine, type, root),
       (blocks, roots, at, recv, root));
  const std::vector<T>& mixed_blocks = is_root ? blocks : block;
  SAME(gatherv, mixed_blocks,
       (is_root ? MPI_IN_PLACE : recv.data(), is_root ? 0 : mine, type, recv.data(), counts, displs, type, root),
       (recv, roots, at, root));
  SAME(scatterv, mixed_blocks,
       (recv.data(), counts, displs, type, is_root ? MPI_IN_PLACE : recv.data(), is_root ? 0 : mine, type, root),
       (recv, roots, at, root));
  // Every rank gets blocks of its own size, and sends blocks of theirs.
  std::vector<MPI_Count> equal(p, mine);
  std::vector<MPI_Aint> equal_at(p);
  for (std::size_t r = 0; r < p; ++r) equal_at[r] = static_cast<MPI_Aint>(r) * mine;
  const std::vector<T> own_room(p * block.size(), T{0});
  SAME(alltoallv, own_room, (blocks.data(), counts, displs, type, recv.data(), equal.data(), equal_at.data(), type),
       (blocks, u.counts, u.displs, recv, equal, equal_at));
  const std::vector<MPI_Count> even(p, n);
  std::vector<MPI_Aint> even_at(p);
  for (std::size_t r = 0; r < p; ++r) even_at[r] = static_cast<MPI_Aint>(r) * n;
  SAME(alltoallv, all, (MPI_IN_PLACE, nullptr, nullptr, type, recv.data(), even.data(), even_at.data(), type),
       (recv, even, even_at));

  among_neighbors<T>(t, comm, options);

  t.doing("messages");
  t.count_case();
  const int next = (t.rank() + 1) % t.size();
  const int before = (t.rank() + t.size() - 1) % t.size();
  std::vector<T> expected = none;
  laconic_sendrecv(one.data(), n, type, next, 1, expected.data(), n, type, before, 1, comm, MPI_STATUS_IGNORE, options);
  std::vector<T> got = none;
  MPI_Status status;
  lac::sendrecv(one, next, 1, got, before, 1, comm, &status, options);
  int count = 0;
  MPI_Get_count(&status, type, &count);
  CHECK(t, same_bits(got, expected) && count == n && status.MPI_SOURCE == before, "sendrecv");
  got = none;
  lac::Request sending = lac::isend(one, next, 2, comm, options);
  lac::recv(got, before, 2, comm, &status, options);
  sending.wait();
  CHECK(t, same_bits(got, expected), "isend and recv");
  got = none;
  lac::Request receiving = lac::irecv(got, before, 3, comm, options);
  lac::send(one, next, 3, comm, options);
  receiving.wait(&status);
  CHECK(t, same_bits(got, expected) && status.MPI_TAG == 3, "irecv and send");

  t.doing("codecs");
  t.count_case();
  const std::vector<std::byte> frames = lac::compress(one, options);
  std::vector<std::byte> also(laconic_max_compressed_size(n, type, options));
  std::size_t bytes = 0;
  laconic_compress(one.data(), n, type, also.data(), also.size(), &bytes, options);
  also.resize(bytes);
  CHECK(t, same_bits(frames, also));
  lac::decompress(frames, got);
  laconic_decompress(also.data(), bytes, expected.data(), n, type);
  CHECK(t, same_bits(got, expected));
  thrown<lac::Error>(t, [&] { lac::decompress(frames, std::span(got).first(n - 1)); });
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "cpp_face");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  try {
    as_in_c<float>(t, comm, lac::Options().bound("abs:1e-2").min_bytes(1));
    as_in_c<double>(t, comm, lac::Options().bound(LACONIC_BOUND_REL, 1e-4).min_bytes(1).depth(3).chunk_elements(1000));
    as_in_c<std::int64_t>(t, comm, lac::Options().bound("lossless").min_bytes(1));
    as_in_c<unsigned char>(t, comm, lac::Options().set("bound", "lossless").set("min_bytes", "1"));
  } catch (const std::exception& e) {
    CHECK(t, false, "an unexpected exception: %s", e.what());
  }
  MPI_Comm_free(&comm);
  return t.finish();
}
