// SPDX-License-Identifier: BSD-3-Clause
// The MPI datatypes whose numbers codecs know.
#pragma once

#include <mpi.h>

#include <optional>

#include "base/dtype.hpp"
#include "base/status.hpp"

namespace laconic {

// The dtype of MPI_FLOAT, MPI_DOUBLE and the integers that MPI does arithmetic on; nullopt for all others.  MPI_CHAR is
// text.
std::optional<Dtype> find_dtype(MPI_Datatype datatype);

// The error for a datatype that find_dtype() does not know.
Status unsupported(MPI_Datatype datatype);

// The contents of a datatype whose numbers are all of one kind.  Types with equal signatures have equal dtypes, and as
// many numbers in as many bytes; so these are the same on all ranks of a call, while `in_a_row` may differ.
struct Layout {
  Dtype dtype = Dtype::f32;
  MPI_Datatype number = MPI_DATATYPE_NULL;  // the type of one number
  MPI_Count each = 0;                       // numbers per item
  bool in_a_row = false;                    // the items of a buffer are its numbers, one after another
};

// The layout of any type; nullopt where it holds numbers of several kinds, or of a kind that codecs do not know.
std::optional<Layout> layout_of(MPI_Datatype datatype);

// False for predefined types, whose contents find_dtype() tells; MPI_2INT counts as composed.
bool is_composed(MPI_Datatype datatype);

// Keeps a type for as long as it is needed: the application may free its own as soon as a call has begun.
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
