// SPDX-License-Identifier: BSD-3-Clause
// What the drop-in keeps for a communicator, as an attribute of it: hints, whether it may be touched, where its calls
// are counted.
#pragma once

#include <laconic/laconic.h>
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "core/proposal.hpp"
#include "report/tally.hpp"

namespace laconic::dropin {

class Communicator {
 public:
  // Of comm, made at first use. Local.
  static Communicator& of(MPI_Comm comm);

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_; }

  // Why no call on it can be touched, or Reason::touched.
  Reason unfit() const;

  // Hints, then environment; what neither sets is unset.
  const laconic_options& options() const { return options_; }
  bool lossless() const { return options_.bound.mode == LACONIC_BOUND_LOSSLESS; }
  const Hints& hints() const { return hints_; }
  std::uint64_t min_bytes() const;

  // Collective over it: takes hints when all ranks have the same valid ones, else says so once and leaves the
  // communicator to MPI. An empty list takes all hints back.
  void set_hints(MPI_Info info);
  // Collective, too, and does not block: the duplicate that MPI is about to make gets them when it is first used.
  void set_hints_of_duplicate(MPI_Info info);
  void no_duplicate() { for_duplicate_.reset(); }

  TallyGroup& tallies() { return *tallies_; }

  // True the first time: what goes wrong with every call is said once.
  bool complain() { return !std::exchange(complained_, true); }

  std::int64_t audited = 0;  // calls that could have been

 private:
  explicit Communicator(MPI_Comm comm);
  static int on_copy(MPI_Comm, int, void*, void* from, void* to, int* flag);
  static int on_delete(MPI_Comm, int, void* self, void*);
  void settle(MPI_Comm comm);
  void merge();
  void decide(Proposal& proposal);

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  Reason unfit_ = Reason::touched;
  bool differ_ = false;  // the ranks' hints
  bool complained_ = false;
  Hints hints_;
  laconic_options options_{};
  TallyGroup* tallies_ = nullptr;
  std::shared_ptr<Proposal> proposal_;       // which may become its hints
  std::shared_ptr<Proposal> for_duplicate_;  // those of the next one
};

}  // namespace laconic::dropin
