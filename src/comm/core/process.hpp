// SPDX-License-Identifier: BSD-3-Clause
// The state of the process besides its communicators: the attribute key, the operation LACONIC_AVG, and the list of
// bindings, so that everything is gone when MPI_Finalize begins.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.hpp"
#include "comm/core/binding.hpp"
#include "comm/core/inputs_in_use.hpp"
#include "comm/core/progress_thread.hpp"

namespace laconic {

class Process {
 public:
  // MPI must be initialised.
  static Process& instance();

  std::shared_ptr<Binding> find(MPI_Comm comm);

  // The binding of comm if it is the one that this thread has found last, else nullptr.  Takes no lock and asks MPI
  // nothing, because both take a good part of the time of a small call.  Valid until comm is freed.
  Binding* found_last(MPI_Comm comm) const {
    const bool same = last_.comm == comm && last_.frees == frees_.load(std::memory_order_acquire);
    return same ? last_.binding : nullptr;
  }

  Status keep(MPI_Comm comm, const std::shared_ptr<Binding>& binding, std::shared_ptr<Binding>& kept);
  MPI_Op average();

  // The lock of a binding, but where one thread at a time calls Laconic, a lock of nothing: taking one takes part of
  // the time of a small call.
  std::unique_lock<std::mutex> lock_short(Binding& binding) const {
    return one_thread_at_a_time_ ? std::unique_lock(binding.mutex, std::defer_lock) : std::unique_lock(binding.mutex);
  }

  // Polls the operations in flight on all communicators, except those that another thread is polling, and those of
  // `polled`, which the caller has polled.  True when any operation moved.
  bool progress(const Binding* polled = nullptr);

  // Whether MPI allows one thread at a time to call Laconic.
  bool one_thread_at_a_time() const { return one_thread_at_a_time_; }

  // Whether the process has no more than so many operations in flight, and no other thread can begin one.
  bool at_most_in_flight(int operations);

  // Private communicators come out of the same store as the application's, which has 2048 with MPICH: their number is
  // limited, whatever the application does, and the calls on other communicators are plain.  With the drop-in's
  // duplicate of MPI_COMM_SELF, a process has no more than 64 beside those of the program.
  static constexpr int max_communicators = 63;
  bool take_communicator();  // false in callbacks that follow on_finalize(), too
  void give_back_communicator() { communicators_.fetch_sub(1); }

  ProgressThread& progress_thread() { return progress_thread_; }

  InputsInUse& inputs_in_use() { return inputs_in_use_; }

  ReceivedElsewhere& received_elsewhere() { return received_elsewhere_; }

 private:
  Process() = default;
  void prepare();  // with the mutex held

  static int on_comm_free(MPI_Comm, int, void* binding, void* process);
  static int on_finalize(MPI_Comm, int, void*, void* process);

  struct Last {
    MPI_Comm comm;
    Binding* binding;
    std::uint64_t frees;
  };
  static inline thread_local Last last_{MPI_COMM_NULL, nullptr, 0};
  std::atomic<std::uint64_t> frees_{0};  // counts the frees of communicators, whose handles MPI uses again

  std::mutex mutex_;  // threads may use different communicators at the same time
  int key_ = MPI_KEYVAL_INVALID;
  int finalize_key_ = MPI_KEYVAL_INVALID;
  std::atomic<int> communicators_{0};
  std::atomic<bool> finalizing_{false};
  bool one_thread_at_a_time_ = false;  // in MPI
  MPI_Op average_ = MPI_OP_NULL;
  std::vector<std::shared_ptr<Binding>> bindings_;
  InputsInUse inputs_in_use_;
  ReceivedElsewhere received_elsewhere_;
  ProgressThread progress_thread_{[] { return instance().progress(); }};
};

}  // namespace laconic
