// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

namespace laconic::dropin {

int wait_with_progress(MPI_Request& request) { return PMPI_Wait(&request, MPI_STATUS_IGNORE); }

}  // namespace laconic::dropin
