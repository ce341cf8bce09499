// SPDX-License-Identifier: BSD-3-Clause
// What one rank knows of the job.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "../../ranks/basics.hpp"
#include "../journal.hpp"

namespace handles {

using attack::Journal;
using ranks::Random;
using ranks::text;

// Faults of this program's own, which it has to find.
enum class Plant { none, sentinel, value, input, bits, hang };

struct Run {
  int rank = 0;
  int size = 1;
  double bound = 0;  // on floating-point numbers, 0: exact
  Journal journal;
  bool trace = false;  // print what is done, before it is done
  Plant plant = Plant::none;
  bool planted = false;              // by this rank, in this case
  MPI_Comm control = MPI_COMM_NULL;  // only for PMPI_ calls, which nobody intercepts

  // Plants a fault once in each case.
  bool plants(Plant which) {
    if (plant != which || planted) return false;
    planted = true;
    return true;
  }

  void good(int rc, const char* what) {
    if (rc == MPI_SUCCESS) return;
    char said[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(rc, said, &length);
    CHECK(journal, rc == MPI_SUCCESS, "%s: %s", what, said);
  }
};

}  // namespace handles
