// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/device_memory.hpp"
#include "base/build.hpp"
#include "base/device_use.hpp"

#include <mpi.h>
#if LACONIC_MPI_CUDA_QUERY && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // Open MPI declares it here, MPICH in mpi.h
#endif

namespace laconic {

bool mpi_takes_device_memory() {
  // Emulated device memory is host memory, which a CUDA-aware MPI could not recognize as device memory.
#if LACONIC_MPI_CUDA_QUERY && !LACONIC_CUDA_EMULATED
  return device_use() == DeviceUse::direct && MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

}  // namespace laconic
