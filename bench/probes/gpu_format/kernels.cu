// SPDX-License-Identifier: BSD-3-Clause
// The kernels whose instructions count.py counts.  One warp codes one block of 1024 values.
#include "lanes.hpp"
#include "transpose.hpp"
#include "votes.hpp"

constexpr unsigned warps = 8;

#define KERNEL(name, ...)                                                                                \
  extern "C" __global__ void __launch_bounds__(warps * 32) name(Work work) {                             \
    __shared__ alignas(16) std::uint8_t shared[warps][shared_bytes];                                     \
    __VA_ARGS__(work, blockIdx.x* warps + threadIdx.x / 32, threadIdx.x % 32, shared[threadIdx.x / 32]); \
  }

KERNEL(transpose_encode_8, transpose::encode<8>)
KERNEL(transpose_encode_16, transpose::encode<16>)
KERNEL(transpose_encode_32, transpose::encode<32>)
KERNEL(transpose_decode_8, transpose::decode<8>)
KERNEL(transpose_decode_16, transpose::decode<16>)
KERNEL(transpose_decode_32, transpose::decode<32>)
KERNEL(transpose_fold_8, transpose::fold<8>)
KERNEL(transpose_fold_16, transpose::fold<16>)
KERNEL(transpose_fold_32, transpose::fold<32>)
KERNEL(lanes_rows_encode_8, lanes::encode<false, 8>)
KERNEL(lanes_rows_encode_16, lanes::encode<false, 16>)
KERNEL(lanes_rows_encode_32, lanes::encode<false, 32>)
KERNEL(lanes_rows_decode_8, lanes::decode<false, 8>)
KERNEL(lanes_rows_decode_16, lanes::decode<false, 16>)
KERNEL(lanes_rows_decode_32, lanes::decode<false, 32>)
KERNEL(lanes_rows_fold_8, lanes::fold<false, 8>)
KERNEL(lanes_rows_fold_16, lanes::fold<false, 16>)
KERNEL(lanes_rows_fold_32, lanes::fold<false, 32>)
KERNEL(lanes_quads_encode_8, lanes::encode<true, 8>)
KERNEL(lanes_quads_encode_16, lanes::encode<true, 16>)
KERNEL(lanes_quads_encode_32, lanes::encode<true, 32>)
KERNEL(lanes_quads_decode_8, lanes::decode<true, 8>)
KERNEL(lanes_quads_decode_16, lanes::decode<true, 16>)
KERNEL(lanes_quads_decode_32, lanes::decode<true, 32>)
KERNEL(lanes_quads_fold_8, lanes::fold<true, 8>)
KERNEL(lanes_quads_fold_16, lanes::fold<true, 16>)
KERNEL(lanes_quads_fold_32, lanes::fold<true, 32>)
KERNEL(votes_encode_8, votes::encode<8>)
KERNEL(votes_encode_16, votes::encode<16>)
KERNEL(votes_decode_8, votes::decode<8>)
KERNEL(votes_decode_16, votes::decode<16>)
