// SPDX-License-Identifier: BSD-3-Clause
// The kernel that reads the parts of a frame.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/zfp/cuda/numbers.cuh"

namespace laconic::zfp {

// The destination of decoded numbers: they are divided if the divisor is not 1, then combined with `with` if it is set.
template <class T>
struct Result {
  T* numbers;
  const T* with;  // or nullptr; may be `numbers`
  Op op;
  double divisor;
};

// Decodes with one thread block for each part of a frame that open_frame() has opened; the frame is closed again.
template <class T>
__global__ void __launch_bounds__(part_blocks)
    decode_parts(OpenFrame frame, std::size_t count, Shape shape, Result<T> result) {
  const PartAt at(count, blockIdx.x);
  if (at.numbers == 0) return;
  const Place place{*frame.fault == 0 ? frame.places[blockIdx.x] : 0};
  __syncthreads();
  if (threadIdx.x == 0) frame.places[blockIdx.x] = 0;
  const std::uint32_t n = at.in_block(threadIdx.x);
  if (place.nowhere() || n == 0) return;
  auto x = read_block<T>(frame, place, shape.block_bits, at.block_of_piece(threadIdx.x), n);
  if (result.divisor != 1) x = each(x, [&result](T v) { return divide(v, result.divisor); });
  const std::size_t first = at.first_number(threadIdx.x);
  if (result.with != nullptr) x = combine_blocks(result.op, load_block(result.with + first, n), x);
  store_block(result.numbers + first, n, x);
}

}  // namespace laconic::zfp
