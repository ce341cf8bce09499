// SPDX-License-Identifier: BSD-3-Clause
// The properties that the MPI library reports about itself.
#pragma once

namespace laconic {

// Whether MPI's functions take buffers in the memory of NVIDIA GPUs ("CUDA-aware"), and the environment does not forbid
// to rely on it.
bool mpi_takes_device_memory();

}  // namespace laconic
