// SPDX-License-Identifier: BSD-3-Clause
#include "codec/raw/cuda/combine.hpp"

#include "base/combine.hpp"
#include "device/cuda/language.hpp"

namespace laconic::raw {
namespace {

constexpr unsigned threads = 256;
constexpr std::size_t most_blocks = 4096;  // enough to fill any GPU

template <Op op, class T>
__global__ void __launch_bounds__(threads) combine_numbers(const T* a, const T* b, T* result, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * threads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x; i < count; i += stride)
    result[i] = combine_pair<op>(a[i], b[i]);
}

template <Op op, class T>
Status combine_as(const void* a, const void* b, void* result, std::size_t count, Queue& queue) {
  const std::size_t blocks = (count + threads - 1) / threads;
  return launch(combine_numbers<op, T>, static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), threads,
                static_cast<cudaStream_t>(queue.native()), static_cast<const T*>(a), static_cast<const T*>(b),
                static_cast<T*>(result), count);
}

}  // namespace

Status combine_on_device(Dtype dtype, Op op, const void* a, const void* b, void* result, std::size_t count,
                         Queue& queue) {
  if (count == 0) return {};
  return dispatch(AllTypes{}, dtype, [&](auto zero) -> Status {
    using T = decltype(zero);
    switch (op) {
      case Op::sum: return combine_as<Op::sum, T>(a, b, result, count, queue);
      case Op::max: return combine_as<Op::max, T>(a, b, result, count, queue);
      case Op::min: return combine_as<Op::min, T>(a, b, result, count, queue);
    }
    return {};
  });
}

}  // namespace laconic::raw
