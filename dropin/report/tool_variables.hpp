// SPDX-License-Identifier: BSD-3-Clause
// What the report counts, as performance variables of MPI_T: one for each number of each operation, over all
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
  // Where it is in a tally: one of the two.
  std::uint64_t* (*count)(Tally&, std::size_t) = nullptr;
  double* (*measure)(Tally&, std::size_t) = nullptr;
  std::size_t which = 0;

  MPI_Datatype type() const { return count != nullptr ? MPI_UNSIGNED_LONG_LONG : MPI_DOUBLE; }
};

const std::vector<Variable>& variables();

// The index of the variable of this name and class, or -1.
int find_variable(const char* name, int pvar_class);

// MPI's indices of something may grow in number while the program runs, and none may change. So ours stand behind
// those that MPI has when it is first asked, and those that come later stand behind ours.
class Indices {
 public:
  Indices(int ours, int (*number_in_mpi)(int*)) : ours_(ours), number_in_mpi_(number_in_mpi) {}
  // To be called before the others: asks MPI for its number, and returns what MPI returns.
  int settle(int* all = nullptr);
  // The same, and says whether there is this index: not every MPI looks.
  int look_up(int index);
  bool ours(int index) const { return index >= first_ && index < first_ + ours_; }
  int number_of(int index) const { return index - first_; }  // of one of ours
  int index_of(int number) const { return number + first_; }
  int to_mpi(int index) const { return index < first_ ? index : index - ours_; }
  int from_mpi(int index) const { return index < first_ ? index : index + ours_; }

 private:
  const int ours_;
  int (*const number_in_mpi_)(int*);
  std::atomic<int> first_{-1};
};

Indices& variable_indices();

// What a function of MPI_T gives back, where it is wanted.
template <class T>
void give(T* place, T value) {
  if (place != nullptr) *place = value;
}
void give_text(const std::string& text, char* place, int* length);

// The handles that tools have of our variables. A variable is counted, once for each handle, from start to stop.
class VariableHandles {
 public:
  static VariableHandles& instance();

  MPI_T_pvar_handle allocate(MPI_T_pvar_session session, const Variable& variable);
  // False for handles that are not ours.
  bool free(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int& code);
  void free_all(MPI_T_pvar_session session);

  enum class Act { start, stop, reset, read, read_and_reset, write };
  // False for handles that are not ours. `numbers` is what is read or written.
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
