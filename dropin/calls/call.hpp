// SPDX-License-Identifier: BSD-3-Clause
// One collective call of the program, in one representation for all of MPI's functions: blocking, nonblocking and
// persistent ones, with int or large counts.
#pragma once

#include <mpi.h>

#include "calls/operation.hpp"

namespace laconic::dropin {

// Arrays of counts and displacements have two widths: int, or MPI_Count and MPI_Aint in the _c functions.
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

// The send or receive arguments of a call: `count` items, per rank if the operation has one part for each rank; or an
// array of counts and displacements with one entry per rank.
struct Side {
  void* buffer = nullptr;
  MPI_Count count = 0;
  Counts counts;
  Displs displs;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// Fills the buffers of a call that has none yet. Called when the call is no longer left to MPI for what all ranks know.
class Packing {
 public:
  virtual void pack(struct Call& call) = 0;

 protected:
  ~Packing() = default;
};

struct Call {
  Operation operation = Operation::allreduce;
  Side send;  // an argument that serves both sides is set in both; the counts of a reduction are set only here
  Side recv;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  Form form = Form::blocking;
  MPI_Request* request = nullptr;
  const void* site = nullptr;  // return address of the call in the program
  Packing* packing = nullptr;  // where the buffers are yet to be filled; blocking calls only

  const CollectiveTraits& traits() const { return traits_of(operation); }
};

// The original call, unchanged, executed by MPI itself. A reference to a callable, which must outlive it.
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
