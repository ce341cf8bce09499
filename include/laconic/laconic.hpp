// SPDX-License-Identifier: BSD-3-Clause
// Laconic for C++20: laconic.h with ranges for buffers, exceptions for error codes, and requests that complete
// themselves.  Every function calls the C function of its name.  What laconic.h says of that function holds here, too;
// the comments here only add to it.
//
//   namespace lac = laconic::mpi;
//   lac::allreduce(image, MPI_SUM, MPI_COMM_WORLD, lac::Options().bound("abs:1e-4"));  // in place
//
// Buffers.  A buffer is any contiguous range of numbers that outlives the call: a vector, an array or a span, of float,
// double, or integers from signed char to unsigned long long.  Its element type gives the MPI datatype, and its size
// gives the count, in elements.  Only data() and size() are used, so a span may describe memory of a device.  A Source
// is only read; the elements of a Target are not const.  Buffers belong to the caller.
//
// Sizes.  Where a buffer is divided into a block for each rank, the size of a block is the size of the buffer divided
// by the number of ranks, rounded down.  The library compares counts with those of other ranks, and every rank gets the
// error.  The only sizes that are checked here are those with which the call would read or write beyond the end of a
// buffer or an array: these throw std::invalid_argument, which names the argument and the valid sizes, before the call.
// Other ranks do not learn of this exception, and wait for this rank: a program that goes on after it has to call
// MPI_Abort().
//
// Errors.  An error code of the library becomes an Error.  Before, the library calls the error handler of the
// communicator, and the default handler ends the program: exceptions need MPI_ERRORS_RETURN, or another handler that
// returns.  Options::set(), compress(), decompress() and predict_error() call no handler, and always throw.  Errors in
// the arguments of a nonblocking or persistent operation are thrown by wait() or test().
//
// All names are in laconic::mpi, which the library does not use itself.
#ifndef LACONIC_HPP
#define LACONIC_HPP

#include <laconic/laconic.h>
#include <laconic/buffers.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace laconic::mpi {

// ---- Errors ---------------------------------------------------------------------------------------------------------

// An error code of a Laconic function; what() is the message of the library, which keeps it for the latest error of
// each thread only: make an Error in the thread that got the code, before that thread makes another call.
class LACONIC_API Error : public std::runtime_error {
 public:
  explicit Error(int code) : std::runtime_error(message_of(code)), code_(code), error_class_(class_of(code)) {}
  int code() const noexcept { return code_; }
  int error_class() const noexcept { return error_class_; }  // MPI_ERR_COUNT, ...

 private:
  static std::string message_of(int code) {
    char text[1024] = "";
    laconic_error_string(code, text, sizeof text);
    return text;
  }
  // Codes are classes where MPI is not running, and not every MPI may then be asked.
  static int class_of(int code) {
    int initialized = 0;
    int finalized = 0;
    int error_class = code;
    MPI_Initialized(&initialized);
    if (initialized != 0) MPI_Finalized(&finalized);
    if (initialized != 0 && finalized == 0) MPI_Error_class(code, &error_class);
    return error_class;
  }

  int code_;
  int error_class_;
};

// Throws unless the code is MPI_SUCCESS: for the functions of laconic.h that have no form here.
inline void check(int code) {
  if (code != MPI_SUCCESS) throw Error(code);
}

// ---- Options --------------------------------------------------------------------------------------------------------

// A laconic_options, all unset at first.  Setters can be chained: Options().bound("rel:1e-4").threads(2).
class Options {
 public:
  Options() noexcept { laconic_options_init(&options_); }
  explicit Options(const laconic_options& options) noexcept : options_(options) {}

  Options& bound(laconic_bound_mode mode, double value = 0) noexcept { return options_.bound = {mode, value}, *this; }
  Options& bound(const std::string& text) { return set("bound", text); }  // "abs:1e-3", "lossless", ...
  Options& target(laconic_target value) noexcept { return options_.target = value, *this; }
  Options& codec(laconic_codec value) noexcept { return options_.codec = value, *this; }
  Options& algorithm(laconic_algorithm value) noexcept { return options_.algorithm = value, *this; }
  Options& chunk_elements(std::int64_t value) noexcept { return options_.chunk_elements = value, *this; }
  Options& depth(std::int32_t value) noexcept { return options_.depth = value, *this; }
  Options& threads(std::int32_t value) noexcept { return options_.threads = value, *this; }
  Options& min_bytes(std::int64_t value) noexcept { return options_.min_bytes = value, *this; }
  Options& variant(laconic_variant value) noexcept { return options_.variant = value, *this; }
  Options& denormals(laconic_denormals value) noexcept { return options_.denormals = value, *this; }
  Options& progress(laconic_progress value) noexcept { return options_.progress = value, *this; }
  Options& checksum(laconic_checksum value) noexcept { return options_.checksum = value, *this; }
  Options& tune(laconic_tune value) noexcept { return options_.tune = value, *this; }
  Options& effort(laconic_effort value) noexcept { return options_.effort = value, *this; }
  Options& stream(void* value) noexcept { return options_.stream = value, *this; }
  // Every call with these options writes its statistics to `out`, which the caller keeps until the call is complete.
  Options& stats(laconic_stats& out) noexcept { return options_.stats = &out, *this; }

  // Sets one option from text, with the names of laconic_options_set().
  Options& set(const std::string& name, const std::string& value) {
    check(laconic_options_set(&options_, name.c_str(), value.c_str()));
    return *this;
  }

  operator const laconic_options*() const noexcept { return &options_; }
  const laconic_options* operator->() const noexcept { return &options_; }

 private:
  laconic_options options_;
};

// ---- Requests -------------------------------------------------------------------------------------------------------

// An operation in flight, or a persistent one; it has one owner.  Buffers, arrays of counts and displacements, and
// statistics stay with the caller: they have to be valid and unchanged until the operation is complete, and those of a
// persistent operation as long as it exists.  Locals that are declared before their request outlive it.
//
// The destructor, and an assignment to a request, complete an operation that is still in flight: they wait as wait()
// does, until the other ranks have done their part, and free a persistent request.  They throw nothing.  An error goes
// to the error handler and is ignored then, so call wait() where the result matters.  Requests end before
// MPI_Finalize().
class Request {
 public:
  Request() noexcept = default;
  explicit Request(laconic_request request) noexcept : request_(request) {}  // takes over the request
  Request(Request&& other) noexcept : request_(other.release()) {}
  Request& operator=(Request&& other) noexcept {
    if (this != &other) {
      finish();
      request_ = other.release();
    }
    return *this;
  }
  ~Request() { finish(); }

  // A null or an inactive persistent request counts as complete.  After an error, too, the operation is complete.
  void wait(MPI_Status* status = MPI_STATUS_IGNORE) { check(laconic_wait(&request_, status)); }
  bool test(MPI_Status* status = MPI_STATUS_IGNORE) {
    int flag = 0;
    check(laconic_test(&request_, &flag, status));
    return flag != 0;
  }

  // Begins a persistent operation, which must not be in flight, with the buffers that it was made with.
  void start() { check(laconic_start(&request_)); }
  // Frees a persistent request at once; an error while the operation is in flight.
  void free() { check(laconic_request_free(&request_)); }

  // False for a null request: there was none, or its operation is complete.  A persistent request stays true.
  explicit operator bool() const noexcept { return request_ != LACONIC_REQUEST_NULL; }
  laconic_request* get() noexcept { return &request_; }  // for laconic_waitall() and the like
  laconic_request release() noexcept { return std::exchange(request_, LACONIC_REQUEST_NULL); }

 private:
  void finish() noexcept {
    if (request_ == LACONIC_REQUEST_NULL) return;
    laconic_wait(&request_, MPI_STATUS_IGNORE);
    laconic_request_free(&request_);
  }

  laconic_request request_ = LACONIC_REQUEST_NULL;
};

namespace detail {

// Calls the C function: blocking, or with a request to fill.
template <class Function, class... Arguments>
void call(Function* function, const std::tuple<Arguments...>& arguments, MPI_Comm comm, const Options& options) {
  check(std::apply([&](auto... a) { return function(a..., comm, options); }, arguments));
}
template <class Function, class... Arguments>
Request begin(Function* function, const std::tuple<Arguments...>& arguments, MPI_Comm comm, const Options& options) {
  Request request;
  check(std::apply([&](auto... a) { return function(a..., comm, request.get(), options); }, arguments));
  return request;
}

}  // namespace detail

// ---- Collectives ----------------------------------------------------------------------------------------------------
//
// Each line declares three functions, which take `MPI_Comm comm, const Options& options = {}` after the parameters that
// it shows:
//
//   void name(...)          returns when this rank's part is complete
//   Request iname(...)      begins the operation; wait() or test() of the request completes it
//   Request name_init(...)  makes a persistent operation, which start() begins
//
// Both buffers of a call hold one type of numbers.  A form with the buffer `inout` is MPI_IN_PLACE.  Counts and
// displacements are in elements, one for each rank, and stay with the caller, like buffers.  Arguments that MPI ignores
// on a rank are ignored here, too: an empty span will do.  Collectives with a root or with blocks are not for
// intercommunicators, which laconic.h takes.
#define LACONIC_HPP_LIST(...) __VA_ARGS__
#define LACONIC_HPP_BUFFERS Source auto &&send, TargetLike<decltype(send)> auto &&recv
#define LACONIC_HPP_COLLECTIVE(name, PARAMETERS, ...)                                                                 \
  inline void name(LACONIC_HPP_LIST PARAMETERS, MPI_Comm comm, const Options& options = {}) {                         \
    detail::call(&laconic_##name, __VA_ARGS__, comm, options);                                                        \
  }                                                                                                                   \
  [[nodiscard]] inline Request i##name(LACONIC_HPP_LIST PARAMETERS, MPI_Comm comm, const Options& options = {}) {     \
    return detail::begin(&laconic_i##name, __VA_ARGS__, comm, options);                                               \
  }                                                                                                                   \
  [[nodiscard]] inline Request name##_init(LACONIC_HPP_LIST PARAMETERS, MPI_Comm comm, const Options& options = {}) { \
    return detail::begin(&laconic_##name##_init, __VA_ARGS__, comm, options);                                         \
  }

// Reductions of send.size() elements, on every rank or on the root; recv has as many or more.  In place, the result
// replaces the contribution; on ranks other than the root, `inout` is only read.
LACONIC_HPP_COLLECTIVE(allreduce, (LACONIC_HPP_BUFFERS, MPI_Op op), detail::reduced(send, recv, op))
LACONIC_HPP_COLLECTIVE(allreduce, (Target auto&& inout, MPI_Op op), detail::reduced(inout, op))
LACONIC_HPP_COLLECTIVE(reduce, (LACONIC_HPP_BUFFERS, MPI_Op op, int root),
                       detail::reduced_to(root, comm, send, recv, op))
LACONIC_HPP_COLLECTIVE(reduce, (Target auto&& inout, MPI_Op op, int root), detail::reduced_to(root, comm, inout, op))

// Reductions over the ranks up to this one (scan), or before it (exscan; rank 0 receives nothing).
LACONIC_HPP_COLLECTIVE(scan, (LACONIC_HPP_BUFFERS, MPI_Op op), detail::reduced(send, recv, op))
LACONIC_HPP_COLLECTIVE(scan, (Target auto&& inout, MPI_Op op), detail::reduced(inout, op))
LACONIC_HPP_COLLECTIVE(exscan, (LACONIC_HPP_BUFFERS, MPI_Op op), detail::reduced_before(comm, send, recv, op))
LACONIC_HPP_COLLECTIVE(exscan, (Target auto&& inout, MPI_Op op), detail::reduced(inout, op))

// Reductions of which each rank keeps its block.  send has all blocks in the order of the ranks, recv has room for the
// block of this rank: counts[rank] elements, or recv.size() on every rank.  In place, the block of this rank replaces
// the first elements; reduce_scatter_block cuts `inout` into equal blocks.
LACONIC_HPP_COLLECTIVE(reduce_scatter, (LACONIC_HPP_BUFFERS, Counts counts, MPI_Op op),
                       detail::scattered_sums(comm, send, recv, counts, op))
LACONIC_HPP_COLLECTIVE(reduce_scatter, (Target auto&& inout, Counts counts, MPI_Op op),
                       detail::scattered_sums(comm, inout, counts, op))
LACONIC_HPP_COLLECTIVE(reduce_scatter_block, (LACONIC_HPP_BUFFERS, MPI_Op op),
                       detail::scattered_equal_sums(comm, send, recv, op))
LACONIC_HPP_COLLECTIVE(reduce_scatter_block, (Target auto&& inout, MPI_Op op),
                       detail::scattered_equal_sums(comm, inout, op))

// Every rank, or the root, gets the block of each rank: equal blocks of recv in the order of the ranks, or counts[k]
// elements at displs[k].  In place, the block of this rank is in its place in `inout` (gather: on the root; elsewhere
// `inout` is the block of this rank).
LACONIC_HPP_COLLECTIVE(allgather, (LACONIC_HPP_BUFFERS), detail::gathered(detail::ranks_of(comm), send, recv))
LACONIC_HPP_COLLECTIVE(allgather, (Target auto&& inout), detail::gathered(detail::ranks_of(comm), inout))
LACONIC_HPP_COLLECTIVE(allgatherv, (LACONIC_HPP_BUFFERS, Counts counts, Displacements displs),
                       detail::gathered(detail::ranks_of(comm), send, recv, counts, displs))
LACONIC_HPP_COLLECTIVE(allgatherv, (Target auto&& inout, Counts counts, Displacements displs),
                       detail::gathered(detail::ranks_of(comm), inout, counts, displs))
LACONIC_HPP_COLLECTIVE(gather, (LACONIC_HPP_BUFFERS, int root), detail::gathered_to(root, comm, send, recv))
LACONIC_HPP_COLLECTIVE(gather, (Target auto&& inout, int root), detail::gathered_to(root, comm, inout))
LACONIC_HPP_COLLECTIVE(gatherv, (LACONIC_HPP_BUFFERS, Counts counts, Displacements displs, int root),
                       detail::gathered_to(root, comm, send, recv, counts, displs))
LACONIC_HPP_COLLECTIVE(gatherv, (Target auto&& inout, Counts counts, Displacements displs, int root),
                       detail::gathered_to(root, comm, inout, counts, displs))

// The root's numbers on all ranks: all of them, or a block for each rank.  In place, `inout` of a scatter is all blocks
// on the root, where its own block stays, and the block of this rank elsewhere.
LACONIC_HPP_COLLECTIVE(bcast, (Target auto&& inout, int root), detail::broadcast(root, inout))
LACONIC_HPP_COLLECTIVE(scatter, (LACONIC_HPP_BUFFERS, int root), detail::scattered_from(root, comm, send, recv))
LACONIC_HPP_COLLECTIVE(scatter, (Target auto&& inout, int root), detail::scattered_from(root, comm, inout))
LACONIC_HPP_COLLECTIVE(scatterv,
                       (Source auto&& send, Counts counts, Displacements displs, TargetLike<decltype(send)> auto&& recv,
                        int root),
                       detail::scattered_from(root, comm, send, counts, displs, recv))
LACONIC_HPP_COLLECTIVE(scatterv, (Target auto&& inout, Counts counts, Displacements displs, int root),
                       detail::scattered_from(root, comm, inout, counts, displs))

// Block k of send goes to rank k, and block k of recv comes from it.  In place, `inout` has both.
LACONIC_HPP_COLLECTIVE(alltoall, (LACONIC_HPP_BUFFERS), detail::exchanged(detail::for_each_rank(comm), send, recv))
LACONIC_HPP_COLLECTIVE(alltoall, (Target auto&& inout), detail::exchanged(detail::for_each_rank(comm), inout))
LACONIC_HPP_COLLECTIVE(alltoallv,
                       (Source auto&& send, Counts sendcounts, Displacements sdispls,
                        TargetLike<decltype(send)> auto&& recv, Counts recvcounts, Displacements rdispls),
                       detail::exchanged(detail::for_each_rank(comm), send, sendcounts, sdispls, recv, recvcounts,
                                         rdispls))
LACONIC_HPP_COLLECTIVE(alltoallv, (Target auto&& inout, Counts counts, Displacements displs),
                       detail::exchanged(detail::for_each_rank(comm), inout, counts, displs))

// As allgather and alltoall, among the neighbors in the topology of the communicator: a block arrives from each source,
// and send is one block for all destinations, or has a block for each, in MPI's order.
LACONIC_HPP_COLLECTIVE(neighbor_allgather, (LACONIC_HPP_BUFFERS),
                       detail::gathered(detail::for_each_neighbor(comm).received, send, recv))
LACONIC_HPP_COLLECTIVE(neighbor_allgatherv, (LACONIC_HPP_BUFFERS, Counts counts, Displacements displs),
                       detail::gathered(detail::for_each_neighbor(comm).received, send, recv, counts, displs))
LACONIC_HPP_COLLECTIVE(neighbor_alltoall, (LACONIC_HPP_BUFFERS),
                       detail::exchanged(detail::for_each_neighbor(comm), send, recv))
LACONIC_HPP_COLLECTIVE(neighbor_alltoallv,
                       (Source auto&& send, Counts sendcounts, Displacements sdispls,
                        TargetLike<decltype(send)> auto&& recv, Counts recvcounts, Displacements rdispls),
                       detail::exchanged(detail::for_each_neighbor(comm), send, sendcounts, sdispls, recv, recvcounts,
                                         rdispls))
#undef LACONIC_HPP_COLLECTIVE
#undef LACONIC_HPP_BUFFERS
#undef LACONIC_HPP_LIST

// ---- Messages -------------------------------------------------------------------------------------------------------
//
// A message has send.size() elements and may have fewer than recv.size(): MPI_Get_count() of the status tells.

inline void send(Source auto&& numbers, int dest, int tag, MPI_Comm comm, const Options& options = {}) {
  const detail::Input from(numbers);
  check(laconic_send(from.data, from.count(), from.type, dest, tag, comm, options));
}
inline void recv(Target auto&& numbers, int source, int tag, MPI_Comm comm, MPI_Status* status = MPI_STATUS_IGNORE,
                 const Options& options = {}) {
  const detail::Output to(numbers);
  check(laconic_recv(to.room, to.count(), to.type, source, tag, comm, status, options));
}
inline void sendrecv(Source auto&& sent, int dest, int sendtag, Target auto&& received, int source, int recvtag,
                     MPI_Comm comm, MPI_Status* status = MPI_STATUS_IGNORE, const Options& options = {}) {
  const detail::Input from(sent);
  const detail::Output to(received);
  check(laconic_sendrecv(from.data, from.count(), from.type, dest, sendtag, to.room, to.count(), to.type, source,
                         recvtag, comm, status, options));
}
[[nodiscard]] inline Request isend(Source auto&& numbers, int dest, int tag, MPI_Comm comm,
                                   const Options& options = {}) {
  const detail::Input from(numbers);
  return detail::begin(&laconic_isend, std::tuple(from.data, from.count(), from.type, dest, tag), comm, options);
}
[[nodiscard]] inline Request irecv(Target auto&& numbers, int source, int tag, MPI_Comm comm,
                                   const Options& options = {}) {
  const detail::Output to(numbers);
  return detail::begin(&laconic_irecv, std::tuple(to.room, to.count(), to.type, source, tag), comm, options);
}

// ---- Codecs, predictions, statistics --------------------------------------------------------------------------------

// The frames of the numbers.
[[nodiscard]] inline std::vector<std::byte> compress(Source auto&& numbers, const Options& options) {
  const detail::Input from(numbers);
  std::vector<std::byte> frames(laconic_max_compressed_size(from.count(), from.type, options));
  std::size_t bytes = 0;
  check(laconic_compress(from.data, from.count(), from.type, frames.data(), frames.size(), &bytes, options));
  frames.resize(bytes);
  return frames;
}
// `numbers` has as many elements of the same type as were compressed; anything else is an error.
inline void decompress(std::span<const std::byte> frames, Target auto&& numbers) {
  const detail::Output to(numbers);
  check(laconic_decompress(frames.data(), frames.size(), to.room, to.count(), to.type));
}

// `op` is nullptr for collectives that only move data; `bytes` is 0 for large data.
[[nodiscard]] inline laconic_prediction predict_error(const char* collective, const char* op, int ranks,
                                                      MPI_Count bytes, const Options& options) {
  laconic_prediction prediction{};
  check(laconic_predict_error(collective, op, ranks, bytes, options, &prediction));
  return prediction;
}

// Of all calls of this rank on the communicator.
[[nodiscard]] inline laconic_stats stats(MPI_Comm comm) {
  laconic_stats all{};
  check(laconic_stats_get(comm, &all));
  return all;
}

}  // namespace laconic::mpi
#endif
