// SPDX-License-Identifier: BSD-3-Clause
// As much of cuSZp as bench/gpu/peers needs, with its signatures, for emulated devices: 16 bits per number on a lattice
// of twice the bound, or the numbers themselves where these do not suffice.  Its format is not cuSZp's.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "device/cuda/runtime.hpp"

namespace laconic::emulator::cuszp {

inline void compress(float* numbers, unsigned char* frame, std::size_t count, std::size_t* bytes, float bound) {
  std::vector<float> x(count);
  cudaDeviceSynchronize();
  cudaMemcpy(x.data(), numbers, count * sizeof(float), cudaMemcpyDeviceToHost);
  std::vector<std::int16_t> points;
  for (const float value : x) {
    const float point = std::nearbyint(value / (2 * bound));
    if (!(std::fabs(point) < 32000)) break;
    points.push_back(static_cast<std::int16_t>(point));
  }
  const bool all = points.size() == count;
  *bytes = count * (all ? sizeof(std::int16_t) : sizeof(float));
  cudaMemcpy(frame, all ? static_cast<const void*>(points.data()) : x.data(), *bytes, cudaMemcpyHostToDevice);
}

inline void decompress(float* numbers, unsigned char* frame, std::size_t count, std::size_t bytes, float bound) {
  std::vector<float> x(count);
  cudaDeviceSynchronize();
  if (bytes == count * sizeof(float)) {
    cudaMemcpy(x.data(), frame, bytes, cudaMemcpyDeviceToHost);
  } else {
    std::vector<std::int16_t> points(count);
    cudaMemcpy(points.data(), frame, bytes, cudaMemcpyDeviceToHost);
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(points[i]) * 2 * bound;
  }
  cudaMemcpy(numbers, x.data(), count * sizeof(float), cudaMemcpyHostToDevice);
}

}  // namespace laconic::emulator::cuszp

inline void cuSZp_compress_1D_plain_f32(float* numbers, unsigned char* frame, std::size_t count, std::size_t* bytes,
                                        float bound, cudaStream_t = nullptr) {
  laconic::emulator::cuszp::compress(numbers, frame, count, bytes, bound);
}
inline void cuSZp_decompress_1D_plain_f32(float* numbers, unsigned char* frame, std::size_t count, std::size_t bytes,
                                          float bound, cudaStream_t = nullptr) {
  laconic::emulator::cuszp::decompress(numbers, frame, count, bytes, bound);
}
inline void cuSZp_compress_1D_outlier_f32(float* numbers, unsigned char* frame, std::size_t count, std::size_t* bytes,
                                          float bound, cudaStream_t = nullptr) {
  laconic::emulator::cuszp::compress(numbers, frame, count, bytes, bound);
}
inline void cuSZp_decompress_1D_outlier_f32(float* numbers, unsigned char* frame, std::size_t count, std::size_t bytes,
                                            float bound, cudaStream_t = nullptr) {
  laconic::emulator::cuszp::decompress(numbers, frame, count, bytes, bound);
}
