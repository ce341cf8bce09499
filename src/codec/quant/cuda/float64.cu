// SPDX-License-Identifier: BSD-3-Clause
// The kernels of quant for float64.
#include "codec/quant/cuda/launches.cuh"

template struct laconic::quant::cuda::Launches<double>;
