// SPDX-License-Identifier: BSD-3-Clause
// Counts are int in MPI 3, so a larger count becomes one element of a larger type.
#pragma once

#include <mpi.h>

namespace laconic {

class LargeCount {
 public:
  LargeCount(MPI_Count count, MPI_Datatype type);
  ~LargeCount();
  LargeCount(const LargeCount&) = delete;
  LargeCount& operator=(const LargeCount&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_;
  MPI_Datatype made_ = MPI_DATATYPE_NULL;
};

// The most elements of a type that each of `parts` parts of a buffer can have if memory is to hold the buffer.  count:
// the count that is compared with this limit.
MPI_Count most_items(MPI_Count count, MPI_Datatype type, int parts);

}  // namespace laconic
