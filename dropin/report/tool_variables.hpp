// SPDX-License-Identifier: BSD-3-Clause
// The statistics of the report as MPI_T performance variables: one for each statistic of each operation, over all
// communicators of this process.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/tally.hpp"

namespace laconic::dropin {

struct Variable {
  std::string name;  // laconic_allreduce_wire_bytes
  std::string description;
  int pvar_class = 0;
  int verbosity = 0;
  Operation operation = Operation::allreduce;
  // Accessor for the value in a tally; exactly one of the two is set.
  std::uint64_t* (*count)(Tally&, std::size_t) = nullptr;
  double* (*measure)(Tally&, std::size_t) = nullptr;
  std::size_t which = 0;

  MPI_Datatype type() const { return count != nullptr ? MPI_UNSIGNED_LONG_LONG : MPI_DOUBLE; }
};

const std::vector<Variable>& variables();

// The index of the variable of this name and class, or -1.
int find_variable(const char* name, int pvar_class);

// Index translation for MPI_T variables or categories. MPI may add indices while the program runs, but no index may
// change. Therefore our indices follow those that MPI has at the first query, and later ones of MPI follow ours.
class Indices {
 public:
  Indices(int ours, int (*number_in_mpi)(int*)) : ours_(ours), number_in_mpi_(number_in_mpi) {}
  // Queries MPI's number of indices; sets *all to the total with ours. Returns MPI's error code. Must be called before
  // the other functions.
  int settle(int* all = nullptr);
  // Likewise, and also checks that the index exists, because not every MPI does.
  int look_up(int index);
  bool ours(int index) const { return index >= first_ && index < first_ + ours_; }
  int number_of(int index) const { return index - first_; }  // only for our own indices
  int index_of(int number) const { return number + first_; }
  int to_mpi(int index) const { return index < first_ ? index : index - ours_; }
  int from_mpi(int index) const { return index < first_ ? index : index + ours_; }

 private:
  const int ours_;
  int (*const number_in_mpi_)(int*);
  std::atomic<int> first_{-1};
};

Indices& variable_indices();

// Writes an output argument of an MPI_T function, unless the pointer is null.
template <class T>
void give(T* place, T value) {
  if (place != nullptr) *place = value;
}
void give_text(const std::string& text, char* place, int* length);

// The handles that tools have allocated for our variables. Each handle counts on its own, between start and stop.
class VariableHandles {
 public:
  static VariableHandles& instance();

  MPI_T_pvar_handle allocate(MPI_T_pvar_session session, const Variable& variable);
  // False for handles that are not ours.
  bool free(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int& code);
  void free_all(MPI_T_pvar_session session);

  enum class Act { start, stop, reset, read, read_and_reset, write };
  // False for handles that are not ours. `numbers` is the buffer that is read or written.
  bool apply(Act act, MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* numbers, int& code);
  void apply_to_all(Act act, MPI_T_pvar_session session);

 private:
  struct Handle {
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    const Variable* variable = nullptr;
    Tally tally;
    bool started = false;
  };
  static void apply(Act act, Handle& handle, void* numbers);
  void forget(std::unordered_map<MPI_T_pvar_handle, std::unique_ptr<Handle>>::iterator at);

  std::mutex mutex_;
  std::unordered_map<MPI_T_pvar_handle, std::unique_ptr<Handle>> handles_;
};

}  // namespace laconic::dropin
