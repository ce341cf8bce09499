// SPDX-License-Identifier: BSD-3-Clause
// The kernels of quant for float16.
#include "codec/quant/cuda/launches.cuh"

template struct laconic::quant::cuda::Launches<laconic::Float16>;
