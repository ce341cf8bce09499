// SPDX-License-Identifier: BSD-3-Clause
// Kernels for numbers of any type, independent of the codecs.
#pragma once

#include <cstddef>

#include "base/dtype.hpp"
#include "base/status.hpp"
#include "device/cuda/runtime.hpp"
#include "device/queue.hpp"

namespace laconic::cuda {

// The implementations of Queue::divide() and Queue::range().
Status divide(Dtype dtype, const void* numbers, void* result, std::size_t count, double divisor, cudaStream_t stream);
Status range(Dtype dtype, const void* numbers, std::size_t count, Extremes* extremes, cudaStream_t stream);

// The checksum of bytes as sum_parts partial sums, which the caller adds up.  parts: memory that host and device share.
inline constexpr unsigned sum_parts = 128;
Status sum(const std::byte* bytes, const std::uint32_t* count, std::size_t most, std::uint64_t* parts,
           cudaStream_t stream);

}  // namespace laconic::cuda
