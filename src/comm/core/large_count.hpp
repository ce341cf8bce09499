// SPDX-License-Identifier: BSD-3-Clause
// MPI 3's messages have int counts: larger ones are one element of a larger type.
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

// How many elements of a type each of so many parts of a buffer can have, if memory is to hold it.  `count`: of which
// this is asked.
MPI_Count most_items(MPI_Count count, MPI_Datatype type, int parts);

}  // namespace laconic
