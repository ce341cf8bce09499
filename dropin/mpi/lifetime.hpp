// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laconic::dropin {

// MPI has been initialised, by whatever name of the function.
void started();

}  // namespace laconic::dropin
