// SPDX-License-Identifier: BSD-3-Clause
// Helpers of the tests of options.tune: the class of a communicator's calls, and numbers to send.
#pragma once

#include <cmath>
#include <cstddef>

#include "support.hpp"

namespace ranks {

inline float number_of(int rank, std::size_t i) {
  return static_cast<float>(std::sin(0.001 * static_cast<double>(i)) + rank);
}

// Returns the class of the calls on comm, which all belong to one class.
inline laconic_tuning learnt(Test& t, MPI_Comm comm) {
  int classes = 0;
  laconic_tuning tuning{};
  CHECK(t, laconic_tuning_get(comm, &tuning, 1, &classes) == MPI_SUCCESS);
  CHECK(t, classes == 1, "%d classes", classes);
  return tuning;
}

}  // namespace ranks
