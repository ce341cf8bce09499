// Kernels for numbers of any type, apart from every codec.
#pragma once

#include <cstddef>

#include "base/dtype.hpp"
#include "base/status.hpp"
#include "device/cuda/runtime.hpp"
#include "device/queue.hpp"

namespace laconic::cuda {

// As Queue has them.
Status divide(Dtype dtype, const void* numbers, void* result, std::size_t count, double divisor, cudaStream_t stream);
Status range(Dtype dtype, const void* numbers, std::size_t count, Extremes* extremes, cudaStream_t stream);

}  // namespace laconic::cuda
