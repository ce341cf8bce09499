// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/process.hpp"

#include <algorithm>
#include <limits>

namespace laconic {
namespace {

// A mean cannot be formed pair by pair.  MPI calls this function only when LACONIC_AVG was passed to a function of MPI
// itself.  All it can return there is a result that cannot be mistaken for a mean: NaN.
void average_outside_laconic(void*, void* inout, int* count, MPI_Datatype* type) {
  for (int i = 0; i < *count; ++i) {
    if (*type == MPI_FLOAT) static_cast<float*>(inout)[i] = std::numeric_limits<float>::quiet_NaN();
    if (*type == MPI_DOUBLE) static_cast<double*>(inout)[i] = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

Process& Process::instance() {
  // Never destroyed: MPI_Finalize may run after the destructors of static objects.
  static Process& process = *new Process;
  return process;
}

void Process::prepare() {
  if (key_ != MPI_KEYVAL_INVALID) return;
  int threads = MPI_THREAD_MULTIPLE;
  MPI_Query_thread(&threads);
  one_thread_at_a_time_ = threads != MPI_THREAD_MULTIPLE;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_comm_free, &key_, this);
  // MPI_Finalize deletes the attributes of MPI_COMM_SELF first, while MPI still works.
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &finalize_key_, this);
  MPI_Comm_set_attr(MPI_COMM_SELF, finalize_key_, this);
}

std::shared_ptr<Binding> Process::find(MPI_Comm comm) {
  std::lock_guard lock(mutex_);
  prepare();
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, key_, &value, &found);
  if (!found) return nullptr;
  last_ = {comm, static_cast<Binding*>(value), frees_.load(std::memory_order_relaxed)};
  return last_.binding->shared_from_this();
}

Status Process::keep(MPI_Comm comm, const std::shared_ptr<Binding>& binding, std::shared_ptr<Binding>& kept) {
  std::lock_guard lock(mutex_);
  if (MPI_Comm_set_attr(comm, key_, binding.get()) != MPI_SUCCESS)
    return {Code::comm, "comm does not take attributes; valid is any communicator that has not been freed"};
  kept = binding;
  bindings_.push_back(binding);
  return {};
}

bool Process::progress(const Binding* polled) {
  bool moved = false;
  for (std::size_t k = 0;; ++k) {
    std::shared_ptr<Binding> binding;
    std::shared_ptr<Binding> gone;
    {
      std::lock_guard lock(mutex_);
      if (k >= bindings_.size()) return moved;
      if (bindings_[k]->in_flight == 0) {
        if (bindings_[k]->comm != MPI_COMM_NULL) continue;
        gone = std::move(bindings_[k]);  // the last operation on a freed communicator has completed
        bindings_.erase(bindings_.begin() + static_cast<std::ptrdiff_t>(k--));
        continue;
      }
      binding = bindings_[k];
    }
    if (binding.get() == polled || !binding->mutex.try_lock()) continue;
    moved = binding->progress() || moved;
    binding->mutex.unlock();
  }
}

bool Process::at_most_in_flight(int operations) {
  std::lock_guard lock(mutex_);
  int in_flight = 0;
  for (const auto& binding : bindings_) in_flight += binding->in_flight;
  return one_thread_at_a_time_ && in_flight <= operations;
}

bool Process::take_communicator() {
  if (communicators_.fetch_add(1) < max_communicators && !finalizing_) return true;
  communicators_.fetch_sub(1);
  return false;
}

MPI_Op Process::average() {
  std::lock_guard lock(mutex_);
  prepare();
  if (average_ == MPI_OP_NULL) MPI_Op_create(average_outside_laconic, 1, &average_);
  return average_;
}

int Process::on_comm_free(MPI_Comm, int, void* binding, void* process) {
  auto* self = static_cast<Process*>(process);
  // Destroyed without the lock, because that calls MPI, which may call this function for another communicator.
  std::shared_ptr<Binding> gone;
  std::lock_guard lock(self->mutex_);
  const auto entry =
      std::find_if(self->bindings_.begin(), self->bindings_.end(), [&](const auto& b) { return b.get() == binding; });
  if (entry == self->bindings_.end()) return MPI_SUCCESS;
  self->frees_.fetch_add(1, std::memory_order_release);
  (*entry)->comm = MPI_COMM_NULL;
  // As MPI requires, operations in flight still complete; progress() drops the binding after the last one.
  if ((*entry)->in_flight > 0) return MPI_SUCCESS;
  gone = std::move(*entry);
  self->bindings_.erase(entry);
  return MPI_SUCCESS;
}

int Process::on_finalize(MPI_Comm, int, void*, void* process) {
  auto* self = static_cast<Process*>(process);
  self->progress_thread_.stop();
  std::lock_guard lock(self->mutex_);
  self->frees_.fetch_add(1, std::memory_order_release);
  // Freeing communicators is collective, and here ranks may differ in which communicators they have left, so
  // MPI_Finalize frees them. The application's own callbacks may follow: their calls are plain.
  self->finalizing_ = true;
  for (auto& binding : self->bindings_) binding->abandon();
  if (self->average_ != MPI_OP_NULL) MPI_Op_free(&self->average_);
  return MPI_SUCCESS;
}

}  // namespace laconic
