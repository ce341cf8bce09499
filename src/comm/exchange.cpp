#include "comm/exchange.hpp"

#include <cstddef>

#include "comm/large_count.hpp"

namespace laconic {
namespace {

struct Span {
  void* at;
  MPI_Count count;
};

// Of one rank's part.  part: -1 for a side that is all of one rank.
Span span_of(const Side& side, int part) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(side.type, &lower_bound, &extent);
  if (part < 0) return {side.buffer, side.count};
  const MPI_Count count = side.counts != nullptr ? side.counts[part] : side.count;
  const MPI_Aint displ =
      side.displs != nullptr ? side.displs[part] : static_cast<MPI_Aint>(part) * static_cast<MPI_Aint>(side.count);
  return {static_cast<std::byte*>(side.buffer) + displ * extent, count};
}

}  // namespace

int Exchange::send(const Side& side, int part, int peer) {
  const Span p = span_of(side, part);
  const LargeCount m(p.count, side.type);
  requests_.push_back(MPI_REQUEST_NULL);
  return MPI_Isend(p.at, m.count(), m.type(), peer, tag_, comm_, &requests_.back());
}

int Exchange::receive(const Side& side, int part, int peer) {
  const Span p = span_of(side, part);
  const LargeCount m(p.count, side.type);
  requests_.push_back(MPI_REQUEST_NULL);
  return MPI_Irecv(p.at, m.count(), m.type(), peer, tag_, comm_, &requests_.back());
}

int Exchange::start(const CollectiveCall& call, MPI_Comm comm, int tag) {
  comm_ = comm;
  tag_ = tag;
  requests_.clear();
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  requests_.reserve(2 * static_cast<std::size_t>(size) + 2);
  int code = MPI_SUCCESS;
  const auto then = [&](int next) {
    if (code == MPI_SUCCESS) code = next;
  };
  const Collective what = collective_of(call.form);
  const bool root = rank == call.root;
  const bool in_place = call.send.buffer == MPI_IN_PLACE || call.recv.buffer == MPI_IN_PLACE;
  switch (what) {
    case Collective::scatter:
      if (!(root && in_place)) then(receive(call.recv, -1, call.root));
      for (int p = 0; root && p < size; ++p)
        if (p != rank || !in_place) then(send(call.send, p, p));
      break;
    case Collective::gather:
      for (int p = 0; root && p < size; ++p)
        if (p != rank || !in_place) then(receive(call.recv, p, p));
      if (!(root && in_place)) then(send(call.send, -1, call.root));
      break;
    default: {
      for (int p = 0; p < size; ++p) then(receive(call.recv, p, p));
      for (int p = 0; p < size; ++p) then(send(call.send, p, p));
      break;
    }
  }
  return code;
}

int Exchange::poll(bool& finished) {
  int done = 0;
  const int code = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  finished = done != 0 || code != MPI_SUCCESS;
  return code;
}

}  // namespace laconic
