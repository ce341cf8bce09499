// SPDX-License-Identifier: BSD-3-Clause
// Which of MPI's types hold numbers that codecs know.
#pragma once

#include <mpi.h>

#include <optional>

#include "base/dtype.hpp"

namespace laconic {

// MPI_FLOAT, MPI_DOUBLE and the integers that MPI does arithmetic on; nothing for all others.  MPI_CHAR is text.
std::optional<Dtype> find_dtype(MPI_Datatype datatype);

// What a type holds whose numbers are all of one kind.  Types with equal signatures have equal dtypes, and as many
// numbers in as many bytes: so far it is the same on all ranks of a call.
struct Layout {
  Dtype dtype = Dtype::f32;
  MPI_Datatype number = MPI_DATATYPE_NULL;  // of one number
  MPI_Count each = 0;                       // numbers of an item
  bool in_a_row = false;                    // the items of a buffer are its numbers, one after another
};

// Of any type; nothing where it holds numbers of several kinds, or of one that codecs do not know.
std::optional<Layout> layout_of(MPI_Datatype datatype);

// False for types of MPI's own, which hold what find_dtype() says of them.
bool is_composed(MPI_Datatype datatype);

// A type for as long as it is needed: the application may free its own as soon as a call has begun.
class OwnType {
 public:
  OwnType() = default;
  OwnType(const OwnType&) = delete;
  OwnType& operator=(const OwnType&) = delete;
  ~OwnType() { release(); }
  MPI_Datatype keep(MPI_Datatype datatype);
  void release();

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace laconic
