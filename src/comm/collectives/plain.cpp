// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives/plain.hpp"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <string>
#include <tuple>

#include "call/arguments.hpp"

namespace laconic {
namespace {

template <class T>
void divide(void* numbers, MPI_Count count, int size) {
  auto* x = static_cast<T*>(numbers);
  for (MPI_Count i = 0; i < count; ++i) x[i] = static_cast<T>(static_cast<double>(x[i]) / size);
}

// On an intercommunicator each group gets the contributions of the other group.
int contributors_of(MPI_Comm comm) {
  int between_groups = 0;
  MPI_Comm_test_inter(comm, &between_groups);
  int size = 1;
  if (between_groups)
    MPI_Comm_remote_size(comm, &size);
  else
    MPI_Comm_size(comm, &size);
  return size;
}

// MPI_Ialltoallv of Open MPI 4.1 (not 5.0) takes no tag on a rank that has no elements and passes MPI_IN_PLACE.  All
// nonblocking collectives that follow on the communicator then meet those of other tags, and hang.  Without
// MPI_IN_PLACE it takes a tag; for that, send and receive buffer must differ.
#ifdef OPEN_MPI
constexpr bool skips_calls_in_place = OMPI_MAJOR_VERSION < 5;
#else
constexpr bool skips_calls_in_place = false;
#endif
std::byte no_elements;

bool is_skipped(const CollectiveCall& c, int ranks) {
  return skips_calls_in_place && c.routine == Routine::alltoallv && c.send.buffer == MPI_IN_PLACE &&
         std::all_of(c.recv.counts, c.recv.counts + ranks, [](MPI_Count count) { return count == 0; });
}

// The most elements of one piece: an element-wise collective may be cut anywhere, where the library has no large
// counts.
constexpr MPI_Count piece = MPI_Count{1} << 30;

bool elementwise(const CollectiveCall& c) { return c.traits().cut_freely(); }

// MPI 4 has functions with large counts, which take our counts as they are.
#if MPI_VERSION >= 4
constexpr bool large_counts = true;
using PlainSide = Side;
#define LACONIC_WIDE(function) function##_c
#else
constexpr bool large_counts = false;
struct PlainSide {
  void* buffer;
  int count;
  const int* counts;
  const int* displs;
  MPI_Datatype type;
};
#define LACONIC_WIDE(function) function
#endif

}  // namespace

Status PlainCall::convert(const Side& side, std::size_t parts, std::vector<int>& counts,
                          std::vector<int>& displs) const {
  if (large_counts || elementwise(*call_)) return {};
  const auto beyond = [](long long value) {
    return Status(Code::count, "plain MPI of this library takes counts and displacements of at most 2147483647, not " +
                                   std::to_string(value) + "; MPI 4 takes more");
  };
  if (side.count > INT_MAX) return beyond(side.count);
  counts.clear();
  displs.clear();
  // Open MPI takes no null pointer, not even for no neighbors.
  counts.reserve(1);
  displs.reserve(1);
  if (side.counts != nullptr)
    for (std::size_t p = 0; p < parts; ++p) {
      if (side.counts[p] > INT_MAX) return beyond(side.counts[p]);
      counts.push_back(static_cast<int>(side.counts[p]));
    }
  if (side.displs != nullptr)
    for (std::size_t p = 0; p < parts; ++p) {
      if (side.displs[p] > INT_MAX || side.displs[p] < INT_MIN) return beyond(side.displs[p]);
      displs.push_back(static_cast<int>(side.displs[p]));
    }
  return {};
}

// The piece that is issued next, from done_ on.
Side PlainCall::piece_of(const Side& side) const {
  if (!elementwise(*call_) || side.count <= piece) return side;
  Side part = side;
  part.count = std::min(piece, side.count - done_);
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(side.type, &lower_bound, &extent);
  if (side.buffer != MPI_IN_PLACE)
    part.buffer = static_cast<std::byte*>(side.buffer) + static_cast<std::ptrdiff_t>(done_) * extent;
  return part;
}

bool PlainCall::in_pieces() const { return elementwise(*call_) && call_->recv.count > piece; }

bool PlainCall::more() {
  if (!in_pieces() || call_->recv.count - done_ <= piece) return false;
  done_ += piece;
  return true;
}

int PlainCall::issue(Form form) {
  const CollectiveCall& c = *call_;
  const MPI_Op op = mean_ ? MPI_SUM : c.op;
#if MPI_VERSION >= 4
  const PlainSide send = piece_of(send_);
  const PlainSide recv = piece_of(c.recv);
#else
  const auto narrow = [](const Side& side, const std::vector<int>& counts, const std::vector<int>& displs) {
    return PlainSide{side.buffer, static_cast<int>(side.count), side.counts != nullptr ? counts.data() : nullptr,
                     side.displs != nullptr ? displs.data() : nullptr, side.type};
  };
  const PlainSide send = narrow(piece_of(send_), send_counts_, send_displs_);
  const PlainSide recv = narrow(piece_of(c.recv), recv_counts_, recv_displs_);
#endif
#if MPI_VERSION >= 4
#define LACONIC_INIT(Name) MPI_##Name##_init_c(arguments..., c.comm, MPI_INFO_NULL, &request_)
#else
#define LACONIC_INIT(Name) MPI_ERR_INTERN
#endif
  switch (c.routine) {
#define LACONIC_COLLECTIVE(name, Name, ...)                                                               \
  case Routine::name:                                                                                     \
    return std::apply(                                                                                    \
        [&](auto... arguments) {                                                                          \
          return form == Form::blocking      ? LACONIC_WIDE(MPI_##Name)(arguments..., c.comm)             \
                 : form == Form::nonblocking ? LACONIC_WIDE(MPI_I##name)(arguments..., c.comm, &request_) \
                                             : LACONIC_INIT(Name);                                        \
        },                                                                                                \
        arguments_of<Routine::name>(send, recv, op, c.root));
#include "call/collectives.def"
  }
  return MPI_ERR_INTERN;
}

int PlainCall::run(const CollectiveCall& call, bool mean, const Neighborhood* neighborhood, Status& status) {
  status = begin(call, mean, neighborhood, call.send);
  if (!status.ok()) return MPI_SUCCESS;
  int code = issue(Form::blocking);
  while (code == MPI_SUCCESS && more()) code = issue(Form::blocking);
  if (code == MPI_SUCCESS) finish();
  return code;
}

int PlainCall::start(const CollectiveCall& call, bool mean, const Neighborhood* neighborhood, Status& status) {
  Side send = call.send;
  if (is_skipped(call, contributors_of(call.comm))) {
    send = call.recv;
    send.buffer = &no_elements;
  }
  status = begin(call, mean, neighborhood, send);
  return status.ok() ? issue(Form::nonblocking) : MPI_SUCCESS;
}

bool PlainCall::can_persist(const CollectiveCall& call, bool mean) {
  return has_persistent && !mean && !(elementwise(call) && call.recv.count > piece);
}

int PlainCall::init(const CollectiveCall& call) {
  // With the large counts of MPI 4 nothing is converted.
  return begin(call, false, nullptr, call.send).ok() ? issue(Form::persistent) : MPI_ERR_COUNT;
}

void PlainCall::free() {
  if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
}

Status PlainCall::begin(const CollectiveCall& call, bool mean, const Neighborhood* neighborhood, const Side& send) {
  call_ = &call;
  send_ = send;
  mean_ = mean;
  done_ = 0;
  // Most calls do not need to know the ranks, and asking takes part of the time of a small call.
  if (!mean && large_counts) return {};
  // Queried now, because the communicator may be freed before the end.
  MPI_Comm_rank(call.comm, &rank_);
  contributors_ = contributors_of(call.comm);
  std::size_t sent = static_cast<std::size_t>(contributors_);
  std::size_t received = sent;
  if (call.traits().neighborhood()) {
    sent = neighborhood->destinations.size();
    received = neighborhood->sources.size();
  }
  if (Status s = convert(send_, sent, send_counts_, send_displs_); !s) return s;
  return convert(call.recv, received, recv_counts_, recv_displs_);
}

int PlainCall::poll(bool& finished) {
  int done = 0;
  int code = MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  finished = done != 0 || code != MPI_SUCCESS;
  if (!finished || code != MPI_SUCCESS) return code;
  if (more()) {
    code = issue(Form::nonblocking);
    finished = code != MPI_SUCCESS;
    return code;
  }
  finish();
  return code;
}

void PlainCall::finish() {
  if (!mean_) return;
  const CollectiveCall& c = *call_;
  const CollectiveTraits& t = c.traits();
  if (t.recv.root_only && rank_ != c.root) return;
  const MPI_Count count = t.send.counting == Counting::equal ? c.send.count : c.send.counts[rank_];
  if (c.recv.type == MPI_FLOAT) divide<float>(c.recv.buffer, count, contributors_);
  if (c.recv.type == MPI_DOUBLE) divide<double>(c.recv.buffer, count, contributors_);
}

}  // namespace laconic
