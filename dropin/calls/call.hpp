// SPDX-License-Identifier: BSD-3-Clause
// One call of a collective as the program made it, whatever MPI's name of it.
#pragma once

#include <mpi.h>

#include "calls/operation.hpp"

namespace laconic::dropin {

// Arrays of counts and displacements come in two widths.
class Counts {
 public:
  Counts() = default;
  Counts(const int* counts) : small_(counts) {}        // NOLINT: stands for either array
  Counts(const MPI_Count* counts) : large_(counts) {}  // NOLINT
  bool given() const { return small_ != nullptr || large_ != nullptr; }
  MPI_Count operator[](int k) const { return large_ != nullptr ? large_[k] : small_[k]; }

 private:
  const int* small_ = nullptr;
  const MPI_Count* large_ = nullptr;
};

class Displs {
 public:
  Displs() = default;
  Displs(const int* displs) : small_(displs) {}       // NOLINT: stands for either array
  Displs(const MPI_Aint* displs) : large_(displs) {}  // NOLINT
  bool given() const { return small_ != nullptr || large_ != nullptr; }
  MPI_Aint operator[](int k) const { return large_ != nullptr ? large_[k] : small_[k]; }

 private:
  const int* small_ = nullptr;
  const MPI_Aint* large_ = nullptr;
};

// Items to send or room to receive: `count` of them, for each rank where the operation has a part for each; or counts
// and displacements of every rank's.
struct Side {
  void* buffer = nullptr;
  MPI_Count count = 0;
  Counts counts;
  Displs displs;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

struct Call {
  Operation operation = Operation::allreduce;
  Side send;  // what is one argument for both sides is in both; the counts of a reduction only here
  Side recv;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  Form form = Form::blocking;
  MPI_Request* request = nullptr;
  const void* site = nullptr;  // where the program called

  const CollectiveTraits& traits() const { return traits_of(operation); }
};

// What MPI itself would do: the call that was made, unchanged.
class Plain {
 public:
  template <class F>
  Plain(const F& call) : object_(&call), run_([](const void* f) { return (*static_cast<const F*>(f))(); }) {}  // NOLINT
  int operator()() const { return run_(object_); }

 private:
  const void* object_;
  int (*run_)(const void*);
};

}  // namespace laconic::dropin
