// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/numbers.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/checksum.hpp"
#include "base/op.hpp"
#include "device/cuda/language.hpp"

namespace laconic::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned lanes = 32;
// Enough to fill any GPU.  With more numbers than threads, each thread takes several.
constexpr std::size_t most_blocks = 4096;

unsigned blocks_for(std::size_t count, std::size_t most) {
  const std::size_t blocks = (count + threads - 1) / threads;
  return static_cast<unsigned>(blocks < most ? blocks : most);
}

template <class T>
__global__ void __launch_bounds__(threads)
    divide_numbers(const T* numbers, T* result, std::size_t count, double divisor) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * threads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x; i < count; i += stride)
    result[i] = laconic::divide(numbers[i], divisor);
}

// The type in which numbers are compared.  It loses nothing that the range, which is given in float64, would show.
template <class T>
using Compared = std::conditional_t<is_small_float<T> || std::is_same_v<T, float>, float, double>;

// Reduces the extremes of a warp.  The result is valid in the first lane.
template <class W>
__device__ void reduce(W& least, W& greatest) {
  for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
    const W low = __shfl_down_sync(0xffffffffu, least, distance);
    const W high = __shfl_down_sync(0xffffffffu, greatest, distance);
    least = low < least ? low : least;
    greatest = high > greatest ? high : greatest;
  }
}

template <class W>
struct OfWarps {
  W least[threads / lanes];
  W greatest[threads / lanes];
};

struct SumsOfWarps {
  std::uint64_t sum[threads / lanes];
};

// Writes one pair for each thread block; the host reduces the pairs.
template <class T>
__global__ void __launch_bounds__(threads) range_of_numbers(const T* numbers, std::size_t count, Extremes* extremes) {
  using W = Compared<T>;
  constexpr W infinity = std::numeric_limits<W>::infinity();
  constexpr W largest = std::is_same_v<W, float> ? static_cast<W>(std::numeric_limits<float>::max())
                                                 : static_cast<W>(std::numeric_limits<double>::max());
  W least = infinity;
  W greatest = -infinity;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * threads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x; i < count; i += stride) {
    const W v = static_cast<W>(numbers[i]);
    const W low = v >= -largest ? v : infinity;  // NaN compares false
    const W high = v <= largest ? v : -infinity;
    least = low < least ? low : least;
    greatest = high > greatest ? high : greatest;
  }
  reduce(least, greatest);
  LACONIC_SHARED(OfWarps<W>, warps);
  const unsigned lane = threadIdx.x % lanes;
  const unsigned warp = threadIdx.x / lanes;
  if (lane == 0) {
    warps.least[warp] = least;
    warps.greatest[warp] = greatest;
  }
  __syncthreads();
  if (warp != 0) return;
  least = lane < threads / lanes ? warps.least[lane] : infinity;
  greatest = lane < threads / lanes ? warps.greatest[lane] : -infinity;
  reduce(least, greatest);
  if (lane != 0) return;
  // Adding 0 turns -0 into +0, so that the result does not depend on which of the two was found first.
  extremes[blockIdx.x].least = static_cast<double>(least) + 0.0;
  extremes[blockIdx.x].greatest = static_cast<double>(greatest) + 0.0;
}

// Each thread handles the same word position in all its blocks of words, so that it needs only one key.
__global__ void __launch_bounds__(threads)
    sum_of_bytes(const std::byte* bytes, const std::uint32_t* count, std::size_t most, std::uint64_t* parts) {
  const std::size_t size = *count < most ? *count : most;
  const std::size_t whole = size / checksum::word_bytes;
  const auto* words = reinterpret_cast<const std::uint64_t*>(bytes);
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * threads;
  static_assert(threads % checksum::block_words == 0);
  const std::uint64_t key = checksum::key(first % checksum::block_words);
  std::uint64_t total = 0;
  for (std::size_t i = first; i < whole; i += stride)
    total += checksum::weight(i / checksum::block_words) * checksum::term(words[i] ^ key);
  const std::size_t rest = size - whole * checksum::word_bytes;
  if (rest > 0 && whole % stride == first) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < rest; ++k)
      word |= static_cast<std::uint64_t>(bytes[whole * checksum::word_bytes + k]) << (8 * k);
    total += checksum::weight(whole / checksum::block_words) * checksum::term(word ^ key);
  }
  // Warps without a word skip the reduction, because most frames are short.
  if (first - threadIdx.x % lanes <= whole)
    for (unsigned distance = lanes / 2; distance > 0; distance /= 2)
      total += __shfl_down_sync(0xffffffffu, total, distance);
  LACONIC_SHARED(SumsOfWarps, warps);
  if (threadIdx.x % lanes == 0) warps.sum[threadIdx.x / lanes] = total;
  __syncthreads();
  if (threadIdx.x != 0) return;
  total = 0;
  for (unsigned w = 0; w < threads / lanes; ++w) total += warps.sum[w];
  parts[blockIdx.x] = total;
}

}  // namespace

Status sum(const std::byte* bytes, const std::uint32_t* count, std::size_t most, std::uint64_t* parts,
           cudaStream_t stream) {
  // A few words for each thread, because most frames need only a few blocks, and blocks without work take time, too.
  constexpr std::size_t words_of_thread = 4;
  const unsigned blocks = blocks_for(most / (words_of_thread * checksum::word_bytes) + 1, sum_parts);
  std::fill(parts + blocks, parts + sum_parts, std::uint64_t{0});
  return launch(sum_of_bytes, blocks, threads, stream, bytes, count, most, parts);
}

Status divide(Dtype dtype, const void* numbers, void* result, std::size_t count, double divisor, cudaStream_t stream) {
  if (count == 0) return {};
  return dispatch(AllTypes{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    return launch(divide_numbers<T>, blocks_for(count, most_blocks), threads, stream, static_cast<const T*>(numbers),
                  static_cast<T*>(result), count, divisor);
  });
}

Status range(Dtype dtype, const void* numbers, std::size_t count, Extremes* extremes, cudaStream_t stream) {
  const unsigned blocks = blocks_for(count, most_extremes);
  for (std::size_t k = blocks; k < most_extremes; ++k) extremes[k] = Extremes{};
  if (count == 0) return {};
  return dispatch(AllTypes{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    return launch(range_of_numbers<T>, blocks, threads, stream, static_cast<const T*>(numbers), count, extremes);
  });
}

}  // namespace laconic::cuda
