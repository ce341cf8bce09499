// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own collectives, for calls that are not compressed.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "base/status.hpp"
#include "call/neighborhood.hpp"
#include "comm/collectives/call.hpp"

namespace laconic {

// One plain call.  The arguments stay valid until it has finished.
class PlainCall {
 public:
  // mean: op is LACONIC_AVG, which is MPI_SUM and a division.  Returns an MPI error code, for which MPI has called the
  // communicator's error handler; a call that this MPI library cannot do is reported in `status`.
  // neighborhood: of this rank; only neighborhood collectives need it.
  int run(const CollectiveCall& call, bool mean, const Neighborhood* neighborhood, Status& status);

  int start(const CollectiveCall& call, bool mean, const Neighborhood* neighborhood, Status& status);
  int poll(bool& finished);

  // MPI gets the call in pieces, each after the end of the one before.
  bool in_pieces() const;

  // MPI's own persistent operation, which only MPI 4 has: init() makes it, collectively, restart() begins it, poll()
  // polls it and free() ends its use.  Not for means, nor for calls that MPI would get in pieces.
  static constexpr bool has_persistent = MPI_VERSION >= 4;
  static bool can_persist(const CollectiveCall& call, bool mean);
  int init(const CollectiveCall& call);
  int restart() { return MPI_Start(&request_); }
  void free();

 private:
  enum class Form { blocking, nonblocking, persistent };
  Status begin(const CollectiveCall& call, bool mean, const Neighborhood* neighborhood, const Side& send);
  int issue(Form form);
  Side piece_of(const Side& side) const;
  bool more();
  Status convert(const Side& side, std::size_t parts, std::vector<int>& counts, std::vector<int>& displs) const;
  void finish();

  const CollectiveCall* call_ = nullptr;
  Side send_;  // the send side of the call, or its substitute
  bool mean_ = false;
  int rank_ = 0;
  int contributors_ = 1;
  MPI_Count done_ = 0;  // elements of the pieces before the current one
  MPI_Request request_ = MPI_REQUEST_NULL;
  // For MPI libraries without large counts.
  std::vector<int> send_counts_;
  std::vector<int> send_displs_;
  std::vector<int> recv_counts_;
  std::vector<int> recv_displs_;
};

}  // namespace laconic
