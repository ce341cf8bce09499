// SPDX-License-Identifier: BSD-3-Clause
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

// The sum of bytes in so many parts, which are to be added; parts: memory that host and device share.
inline constexpr unsigned sum_parts = 128;
Status sum(const std::byte* bytes, const std::uint32_t* count, std::size_t most, std::uint64_t* parts,
           cudaStream_t stream);

}  // namespace laconic::cuda
