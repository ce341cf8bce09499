// SPDX-License-Identifier: BSD-3-Clause
// The drop-in's state for a communicator, stored as an attribute on it: its hints, whether its calls may be compressed,
// and the tallies of its calls.
#pragma once

#include <laconic/laconic.h>
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "call/collective.hpp"
#include "core/bounds.hpp"
#include "core/proposal.hpp"
#include "core/repeated_calls.hpp"
#include "report/tally.hpp"

namespace laconic::dropin {

class Communicator {
 public:
  // The state of comm, created on first use. A local operation, except while hints wait for the ranks' comparison.
  static Communicator& of(MPI_Comm comm) {
    Communicator* const last = found_last(comm);
    return last != nullptr ? *last : find(comm);
  }

  // The same if it is the state that this thread has found last, else nullptr. It takes no lock and no call of MPI,
  // which take part of the time of a small call.
  static Communicator* found_last(MPI_Comm comm) {
    const bool same = last_.comm == comm && last_.frees == frees_.load(std::memory_order_acquire);
    return same ? last_.communicator : nullptr;
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  // The number of parts of a cut side: one for each rank, or one for each neighbor in the topology of the communicator.
  int num_parts(const CollectiveTraits& traits, bool sending) const;
  // The ranks of the sources in the topology, in the order of their parts; MPI_PROC_NULL beyond the border of a grid,
  // whose parts MPI must not write. Empty without a topology.
  const std::vector<int>& sources() const { return sources_; }
  MPI_Comm comm() const { return comm_; }

  // The reason why no call on this communicator can be compressed; Reason::touched if there is none.
  Reason unfit() const;

  // Hints take precedence over the environment; an option that neither sets is unset.  Of the bound, only a hint is
  // here.
  const laconic_options& options() const { return options_; }
  // Whether Laconic learns which calls are faster uncompressed. Audits show what compressed calls do.
  bool tunes() const { return tunes_; }
  // Whether the next call that is slower compressed is to be measured: all at first, then one in a few, because a look
  // at the clock takes part of the time of a small call.
  bool measures_next() {
    const std::uint32_t calls = slower_calls_++;
    return calls < 64 || calls % 8 == 0;
  }
  // The bound of a call: that of a hint, else that of the first item of LACONIC_BOUND that matches the call. Where data
  // moves, rel:R becomes block:R if codec and variant have it: numbers of unmodified programs need not be of one kind,
  // and a large one in a message must not set the error of all others.
  CallBound bound_of(const Facts& facts) const;
  // Whether calls of this operation in this form can have a bound, and whether the ranks may find different ones.
  bool may_bound(Operation operation, Form form) const;
  bool bounds_may_differ(Operation operation, Form form) const;
  const Hints& hints() const { return hints_; }
  // The options that hints set. Laconic itself takes all others from the environment.
  const laconic_options& hinted() const { return hinted_; }
  std::uint64_t min_bytes() const;

  // Collective over the communicator. Accepts the hints if they are valid and the same on all ranks. Otherwise one rank
  // prints a message, once, and all calls on the communicator are left to MPI. An empty list removes all hints.
  void set_hints(MPI_Info info);
  // Collective as well, but nonblocking: the duplicate that MPI is about to create takes these hints on its first use.
  void set_hints_of_duplicate(MPI_Info info);
  void no_duplicate() { for_duplicate_.reset(); }

  // A nonblocking call was left to MPI because Laconic is not prepared here; a blocking call takes the want and
  // prepares it. The same on all ranks.
  void want_preparation() { wants_preparation_ = true; }
  bool take_want() { return std::exchange(wants_preparation_, false); }

  TallyGroup& tallies() { return *tallies_; }

  // True only the first time: a problem that affects every call is reported once.
  bool complain() { return !std::exchange(complained_, true); }

  RepeatedCalls repeated_calls;  // by one thread at a time: MPI forbids collectives of one communicator at once

  std::int64_t audited = 0;           // calls eligible for an audit so far
  std::int64_t audited_messages = 0;  // of this rank alone, so that collectives are audited by all ranks at once

 private:
  struct Last {
    MPI_Comm comm;
    Communicator* communicator;
    std::uint64_t frees;
  };
  static inline thread_local Last last_{MPI_COMM_NULL, nullptr, 0};
  static inline std::atomic<std::uint64_t> frees_{0};  // counts frees of communicators, whose handles MPI uses again

  static Communicator& find(MPI_Comm comm);
  explicit Communicator(MPI_Comm comm);
  static int on_copy(MPI_Comm, int, void*, void* from, void* to, int* flag);
  static int on_delete(MPI_Comm, int, void* self, void*);
  void settle(MPI_Comm comm);
  void find_neighbors();
  bool codes_blocks() const;
  bool hints_bound() const { return options_.bound.mode != LACONIC_BOUND_UNSET; }
  void merge();
  void decide(Proposal& proposal);

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<int> sources_;
  int num_destinations_ = 0;
  Reason unfit_ = Reason::touched;
  bool differ_ = false;  // the ranks' hints are invalid or differ
  bool complained_ = false;
  bool tunes_ = false;
  bool wants_preparation_ = false;
  std::uint32_t slower_calls_ = 0;
  Hints hints_;
  laconic_options hinted_{};
  laconic_options options_{};
  TallyGroup* tallies_ = nullptr;
  std::shared_ptr<Proposal> proposal_;       // hints not yet accepted
  std::shared_ptr<Proposal> for_duplicate_;  // hints for the next duplicate
};

}  // namespace laconic::dropin
