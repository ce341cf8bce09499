// SPDX-License-Identifier: BSD-3-Clause
// Hints for a communicator while its ranks compare them. The result is awaited only when the communicator is used,
// because nonblocking functions such as MPI_Comm_idup_with_info must not wait for it.
#pragma once

#include <laconic/laconic.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace laconic::dropin {

using Hints = std::vector<std::pair<std::string, std::string>>;  // "bound" -> "abs:1e-3"

// The "laconic_..." hints of an info object, without the prefix.
Hints hints_of(MPI_Info info);

class Proposal {
 public:
  // Starts the comparison. Collective over comm and nonblocking.
  static std::shared_ptr<Proposal> begin(MPI_Comm comm, int rank, MPI_Info info);
  // Completes all undecided proposals. Called before MPI is finalised.
  static void finish_all();

  // Waits for the result. True if all ranks have the same valid hints; otherwise one rank prints the problem, once.
  bool accepted();
  const Hints& hints() const { return hints_; }
  const laconic_options& options() const { return options_; }  // of accepted hints

 private:
  void watch() const;
  void say_what_is_wrong() const;

  Hints hints_;
  laconic_options options_{};
  std::string problem_;  // error in the hints of this rank
  int rank_ = 0;
  std::array<std::uint64_t, 3> mine_{};
  std::array<std::uint64_t, 3> most_{};
  std::mutex mutex_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool decided_ = false;
};

}  // namespace laconic::dropin
