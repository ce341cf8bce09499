// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laconic::dropin {

// Called after MPI has been initialised by any of its functions, in C or Fortran.
void started();

}  // namespace laconic::dropin
