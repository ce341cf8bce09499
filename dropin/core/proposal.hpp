// SPDX-License-Identifier: BSD-3-Clause
// Hints for a communicator while its ranks compare them. Nobody waits for that before the communicator is used: the
// functions that set hints without blocking must not.
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

// The hints "laconic_..." of an info object.
Hints hints_of(MPI_Info info);

// As options; returns what is wrong with them.
std::string read_hints(const Hints& hints, laconic_options& options);

class Proposal {
 public:
  // Collective over comm, and does not block.
  static std::shared_ptr<Proposal> begin(MPI_Comm comm, int rank, MPI_Info info);
  // Those that have not been decided yet, before MPI is finalised.
  static void finish_all();

  // Waits. True when the ranks have the same valid hints; else one of them says what is wrong, once.
  bool accepted();
  const Hints& hints() const { return hints_; }

 private:
  void watch(const laconic_options& options) const;
  void say_what_is_wrong() const;

  Hints hints_;
  std::string problem_;  // with those of this rank
  int rank_ = 0;
  std::array<std::uint64_t, 3> mine_{};
  std::array<std::uint64_t, 3> most_{};
  std::mutex mutex_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool decided_ = false;
};

}  // namespace laconic::dropin
