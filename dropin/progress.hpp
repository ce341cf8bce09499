// SPDX-License-Identifier: BSD-3-Clause
// Operations in flight, and who moves them on.
#pragma once

#include <mpi.h>

namespace laconic::dropin {

// Waits for a request of MPI itself while what is in flight moves on.
int wait_with_progress(MPI_Request& request);

}  // namespace laconic::dropin
