// SPDX-License-Identifier: BSD-3-Clause
// The topology that the application has attached to a communicator.
#pragma once

#include <mpi.h>

#include <optional>

#include "call/neighborhood.hpp"

namespace laconic {

// The neighborhood of this rank; nothing where the communicator has no topology.  Local.
std::optional<Neighborhood> find_neighborhood(MPI_Comm comm);

}  // namespace laconic
