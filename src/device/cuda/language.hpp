// SPDX-License-Identifier: BSD-3-Clause
// The CUDA C++ language, for files with kernels: nvcc's own, or the emulator's in builds with LACONIC_CUDA=EMULATED.
//
// Constructs that kernels use in place of CUDA's own, because the emulator has to see them, too:
//   LACONIC_SHARED(Type, name)                  a reference to one object of shared memory, unset at the start
//   load_relaxed, store_relaxed, load_acquire, store_release
//                                               access to words by which thread blocks communicate, at GPU scope
//   launch(kernel, blocks, threads, stream, arguments...)
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/build.hpp"
#include "base/status.hpp"
#include "device/cuda/runtime.hpp"

#if LACONIC_CUDA_EMULATED

#include "emulator/language.hpp"  // of tests/, which only these builds have on the include path

#elif defined(__CUDACC__)

#define LACONIC_SHARED(Type, name) __shared__ Type name

namespace laconic {

__device__ __forceinline__ std::uint32_t load_relaxed(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ std::uint64_t load_relaxed(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ std::uint32_t load_acquire(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ std::uint64_t load_acquire(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ void store_relaxed(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.relaxed.gpu.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory");
}
__device__ __forceinline__ void store_relaxed(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.relaxed.gpu.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
}
__device__ __forceinline__ void store_release(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory");
}
__device__ __forceinline__ void store_release(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.gpu.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
}

template <class... Parameters, class... Arguments>
Status launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t stream,
              Arguments&&... arguments) {
  std::tuple<std::decay_t<Parameters>...> values(std::forward<Arguments>(arguments)...);
  const cudaError_t error = std::apply(
      [&](auto&... value) {
        void* pointers[] = {static_cast<void*>(&value)..., nullptr};
        return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), pointers, 0,
                                stream);
      },
      values);
  return cuda_status(error, "a kernel's launch");
}

}  // namespace laconic

#else
#error "kernels are for nvcc, or for a build with LACONIC_CUDA=EMULATED"
#endif
