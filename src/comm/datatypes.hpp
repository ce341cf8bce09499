// Which of MPI's types hold numbers that codecs know.
#pragma once

#include <mpi.h>

#include <optional>

#include "base/dtype.hpp"

namespace laconic {

// MPI_FLOAT, MPI_DOUBLE and the integers that MPI does arithmetic on; nothing for all others.  MPI_CHAR is text.
std::optional<Dtype> find_dtype(MPI_Datatype datatype);

}  // namespace laconic
