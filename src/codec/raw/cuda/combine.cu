// SPDX-License-Identifier: BSD-3-Clause
#include "codec/raw/cuda/combine.hpp"

#include "base/combine.hpp"
#include "codec/cuda/header_words.cuh"
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

__global__ void write_header(HeaderWords header, std::byte* out, Report* report) {
  auto* words = reinterpret_cast<std::uint32_t*>(out);
  auto* told = reinterpret_cast<std::uint32_t*>(report->header);
  LACONIC_UNROLL
  for (unsigned i = 0; i < wire::header_bytes / 4; ++i) words[i] = told[i] = header.words[i];
  report->bytes = wire::header_bytes + std::uint64_t{header.words[wire::payload_offset / 4]};
  report->rounded = 0;
}

}  // namespace

Status write_header_on_device(const wire::Header& header, std::byte* out, Report* report, Queue& queue) {
  return launch(write_header, 1, 1, static_cast<cudaStream_t>(queue.native()), words_of(header), out, report);
}

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
