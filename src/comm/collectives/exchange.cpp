// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives/exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

#include "comm/core/errors.hpp"
#include "comm/core/large_count.hpp"

namespace laconic {
namespace {

struct Span {
  void* at;
  MPI_Count count;
};

// The part of one rank.  part: -1 for a side that is a single part.
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

Status failed(bool sending, int peer, int code) {
  return {Code::transport, std::string("the plain ") + (sending ? "send to" : "receive from") + " rank " +
                               std::to_string(peer) + " failed: " + message_of(code)};
}

}  // namespace

Status Exchange::transfer(bool sending, const Side& side, int part, int peer) {
  const Span p = span_of(side, part);
  const LargeCount m(p.count, side.type);
  requests_.push_back(MPI_REQUEST_NULL);
  transfers_.push_back({peer, sending});
  const int code = sending ? MPI_Isend(p.at, m.count(), m.type(), peer, tag_, comm_, &requests_.back())
                           : MPI_Irecv(p.at, m.count(), m.type(), peer, tag_, comm_, &requests_.back());
  return code == MPI_SUCCESS ? Status{} : failed(sending, peer, code);
}

// Messages between two ranks match in the order of their beginning, so both ranks follow the labels of the edges.
Status Exchange::transfer_with_neighbors(const CollectiveCall& call, const Neighborhood& neighborhood) {
  for (const bool sending : {false, true}) {
    const auto& neighbors = sending ? neighborhood.destinations : neighborhood.sources;
    const bool cut = call.traits().side(sending).cut();
    order_.resize(neighbors.size());
    std::iota(order_.begin(), order_.end(), 0);
    const auto label = [&](int k) { return neighbors[static_cast<std::size_t>(k)].label; };
    std::sort(order_.begin(), order_.end(), [&](int a, int b) { return label(a) < label(b); });
    for (const int k : order_) {
      const Neighbor& n = neighbors[static_cast<std::size_t>(k)];
      if (!n.exists()) continue;
      if (Status s = transfer(sending, sending ? call.send : call.recv, cut ? k : -1, n.rank); !s) return s;
    }
  }
  return {};
}

Status Exchange::start(const CollectiveCall& call, MPI_Comm comm, int tag, const Neighborhood* neighborhood) {
  comm_ = comm;
  tag_ = tag;
  requests_.clear();
  failed_ = {};
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  requests_.reserve(2 * static_cast<std::size_t>(size) + 2);
  transfers_.clear();
  if (call.traits().neighborhood()) return transfer_with_neighbors(call, *neighborhood);
  Status status;
  const CollectiveTraits& t = call.traits();
  const bool root = rank == call.root;
  // The root's own block stays where it is.
  const bool keeps = t.rooted() && root && (call.send.buffer == MPI_IN_PLACE || call.recv.buffer == MPI_IN_PLACE);
  for (const bool sending : {false, true}) {
    const SideTraits& side = t.side(sending);
    const Side& mine = sending ? call.send : call.recv;
    const auto transfer_with = [&](int part, int peer) {
      if (status.ok() && !(keeps && peer == rank)) status = transfer(sending, mine, part, peer);
    };
    if (!side.cut())
      transfer_with(-1, call.root);
    else if (!side.root_only || root)
      for (int p = 0; p < size; ++p) transfer_with(p, p);
  }
  return status;
}

Status Exchange::poll(bool& finished) {
  int done = 0;
  statuses_.resize(requests_.size());
  for (MPI_Status& s : statuses_) s.MPI_ERROR = MPI_SUCCESS;
  const int code = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, statuses_.data());
  if (code != MPI_SUCCESS && failed_.ok()) failed_ = failure(code);
  // Where one message has failed, others may still be written into the application's memory.
  const bool pending = code != MPI_SUCCESS && std::any_of(statuses_.begin(), statuses_.end(), [](const MPI_Status& s) {
                         return s.MPI_ERROR == MPI_ERR_PENDING;
                       });
  finished = done != 0 || (code != MPI_SUCCESS && !pending);
  return finished ? failed_ : Status{};
}

// The statuses tell which of the messages failed.
Status Exchange::failure(int code) const {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  for (std::size_t k = 0; error_class == MPI_ERR_IN_STATUS && k < statuses_.size(); ++k) {
    const int own = statuses_[k].MPI_ERROR;
    if (own != MPI_SUCCESS && own != MPI_ERR_PENDING) return failed(transfers_[k].sending, transfers_[k].peer, own);
  }
  return {Code::transport, "a plain message failed: " + message_of(code)};
}

}  // namespace laconic
