// SPDX-License-Identifier: BSD-3-Clause
// CUDA C++ for the host compiler: the keywords and functions that kernels use, on top of the emulator's grid.  Only
// CUDA's own overloads exist, so that code that compiles here also compiles with nvcc.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulator/grid.hpp"
#include "emulator/intrinsics.hpp"
#include "emulator/runtime.hpp"
#include "emulator/vectors.hpp"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__

#define threadIdx (::laconic::emulator::running->thread)
#define blockIdx (::laconic::emulator::running->block)
#define blockDim (::laconic::emulator::extent_of_block())
#define gridDim (::laconic::emulator::extent_of_grid())
constexpr int warpSize = 32;

// Each instantiation of a template has a site of its own, just as nvcc makes one object for each.
#define LACONIC_SHARED(Type, name)                          \
  Type& name = []() -> Type& {                              \
    static const char site = 0;                             \
    return ::laconic::emulator::shared_object<Type>(&site); \
  }()

namespace laconic::emulator {

inline Coordinates extent_of_block() { return {running->grid->threads(), 1, 1}; }
inline Coordinates extent_of_grid() { return {running->grid->blocks(), 1, 1}; }

template <class Type>
Type& shared_object(const void* site) {
  static_assert(std::is_trivially_default_constructible_v<Type> && std::is_trivially_destructible_v<Type>);
  return *static_cast<Type*>(running->grid->shared(site, sizeof(Type), alignof(Type)));
}

// Values are exchanged between lanes as 64 bits.
template <class T>
std::uint64_t to_bits(T value) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
T shuffle(Meeting meeting, unsigned mask, T value, unsigned source, Where where) {
  return from_bits<T>(running->grid->meet(meeting, mask, to_bits(value), source, where));
}
inline unsigned meet(Meeting meeting, unsigned mask, std::uint64_t value, Where where) {
  return static_cast<unsigned>(running->grid->meet(meeting, mask, value, 0, where));
}

// CUDA's shuffles take these types and no others.
template <class T>
concept Shuffled = std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, long> ||
    std::is_same_v<T, unsigned long> || std::is_same_v<T, long long> || std::is_same_v<T, unsigned long long> ||
    std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
concept AtomicInteger = std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, unsigned long long>;
template <class T>
concept AtomicNumber = AtomicInteger<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
concept Word = std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>;

template <class T, class F>
T atomic(T* address, F change, Where where) {
  running->grid->before_read(where);
  const T old = *address;
  const T changed = change(old);
  *address = changed;
  running->grid->after_write(to_bits(old) != to_bits(changed));
  return old;
}

}  // namespace laconic::emulator

#define LACONIC_HERE ::laconic::emulator::Where where = ::laconic::emulator::Where::current()

inline void __syncwarp(unsigned mask = ~0u, LACONIC_HERE) {
  ::laconic::emulator::meet(::laconic::emulator::Meeting::syncwarp, mask, 0, where);
}

template <::laconic::emulator::Shuffled T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, LACONIC_HERE) {
  const unsigned lane = ::laconic::emulator::running->number, inside = static_cast<unsigned>(width) - 1;
  const unsigned from = (lane & ~inside) | (static_cast<unsigned>(source) & inside);
  return ::laconic::emulator::shuffle(::laconic::emulator::Meeting::shfl, mask, value, from, where);
}
template <::laconic::emulator::Shuffled T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, LACONIC_HERE) {
  const unsigned lane = ::laconic::emulator::running->number, inside = static_cast<unsigned>(width) - 1;
  const unsigned from = (lane & inside) >= delta ? lane - delta : lane;
  return ::laconic::emulator::shuffle(::laconic::emulator::Meeting::shfl_up, mask, value, from, where);
}
template <::laconic::emulator::Shuffled T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, LACONIC_HERE) {
  const unsigned lane = ::laconic::emulator::running->number, inside = static_cast<unsigned>(width) - 1;
  const unsigned from = (lane & inside) + delta <= inside ? lane + delta : lane;
  return ::laconic::emulator::shuffle(::laconic::emulator::Meeting::shfl_down, mask, value, from, where);
}
template <::laconic::emulator::Shuffled T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, LACONIC_HERE) {
  const unsigned lane = ::laconic::emulator::running->number, inside = static_cast<unsigned>(width) - 1;
  const unsigned other = (lane ^ static_cast<unsigned>(bits)) & 31;
  const unsigned from = other <= (lane | inside) ? other : lane;
  return ::laconic::emulator::shuffle(::laconic::emulator::Meeting::shfl_xor, mask, value, from, where);
}

inline unsigned __ballot_sync(unsigned mask, int yes, LACONIC_HERE) {
  return ::laconic::emulator::meet(::laconic::emulator::Meeting::ballot, mask, yes != 0, where);
}
inline int __any_sync(unsigned mask, int yes, LACONIC_HERE) {
  return ::laconic::emulator::meet(::laconic::emulator::Meeting::any, mask, yes != 0, where) != 0;
}
inline int __all_sync(unsigned mask, int yes, LACONIC_HERE) {
  return ::laconic::emulator::meet(::laconic::emulator::Meeting::all, mask, yes != 0, where) == mask;
}
template <::laconic::emulator::Shuffled T>
unsigned __match_any_sync(unsigned mask, T value, LACONIC_HERE) {
  return ::laconic::emulator::meet(::laconic::emulator::Meeting::match_any, mask, ::laconic::emulator::to_bits(value),
                                   where);
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned value, LACONIC_HERE) {
  return ::laconic::emulator::meet(::laconic::emulator::Meeting::reduce_add, mask, value, where);
}
inline int __reduce_add_sync(unsigned mask, int value, LACONIC_HERE) {
  return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value), where));
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value, LACONIC_HERE) {
  return ::laconic::emulator::meet(::laconic::emulator::Meeting::reduce_and, mask, value, where);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, LACONIC_HERE) {
  return ::laconic::emulator::meet(::laconic::emulator::Meeting::reduce_or, mask, value, where);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, LACONIC_HERE) {
  return ::laconic::emulator::meet(::laconic::emulator::Meeting::reduce_xor, mask, value, where);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value, LACONIC_HERE) {
  return ::laconic::emulator::meet(::laconic::emulator::Meeting::reduce_min, mask, value, where);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value, LACONIC_HERE) {
  return ::laconic::emulator::meet(::laconic::emulator::Meeting::reduce_max, mask, value, where);
}
inline int __reduce_min_sync(unsigned mask, int value, LACONIC_HERE) {
  return static_cast<int>(::laconic::emulator::meet(::laconic::emulator::Meeting::reduce_min_signed, mask,
                                                    static_cast<unsigned>(value), where));
}
inline int __reduce_max_sync(unsigned mask, int value, LACONIC_HERE) {
  return static_cast<int>(::laconic::emulator::meet(::laconic::emulator::Meeting::reduce_max_signed, mask,
                                                    static_cast<unsigned>(value), where));
}

inline void __syncthreads(LACONIC_HERE) {
  ::laconic::emulator::running->grid->barrier(::laconic::emulator::Barrier::sync, false, where);
}
inline int __syncthreads_count(int yes, LACONIC_HERE) {
  return static_cast<int>(
      ::laconic::emulator::running->grid->barrier(::laconic::emulator::Barrier::count, yes != 0, where));
}
inline int __syncthreads_and(int yes, LACONIC_HERE) {
  return static_cast<int>(
      ::laconic::emulator::running->grid->barrier(::laconic::emulator::Barrier::every, yes != 0, where));
}
inline int __syncthreads_or(int yes, LACONIC_HERE) {
  return static_cast<int>(
      ::laconic::emulator::running->grid->barrier(::laconic::emulator::Barrier::some, yes != 0, where));
}

// All fibers see memory in the same order, so a fence has nothing to do.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {}

template <::laconic::emulator::AtomicNumber T>
T atomicAdd(T* address, std::type_identity_t<T> value, LACONIC_HERE) {
  if constexpr (std::is_same_v<T, int>)
    return ::laconic::emulator::atomic(
        address, [=](int old) { return static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)); },
        where);
  else
    return ::laconic::emulator::atomic(
        address, [=](T old) { return old + value; }, where);
}
template <::laconic::emulator::AtomicInteger T>
T atomicMax(T* address, std::type_identity_t<T> value, LACONIC_HERE) {
  return ::laconic::emulator::atomic(
      address, [=](T old) { return std::max(old, value); }, where);
}
template <::laconic::emulator::AtomicInteger T>
T atomicMin(T* address, std::type_identity_t<T> value, LACONIC_HERE) {
  return ::laconic::emulator::atomic(
      address, [=](T old) { return std::min(old, value); }, where);
}
template <::laconic::emulator::AtomicInteger T>
T atomicOr(T* address, std::type_identity_t<T> value, LACONIC_HERE) {
  return ::laconic::emulator::atomic(
      address, [=](T old) { return old | value; }, where);
}
template <::laconic::emulator::AtomicInteger T>
T atomicAnd(T* address, std::type_identity_t<T> value, LACONIC_HERE) {
  return ::laconic::emulator::atomic(
      address, [=](T old) { return old & value; }, where);
}
template <::laconic::emulator::AtomicInteger T>
T atomicXor(T* address, std::type_identity_t<T> value, LACONIC_HERE) {
  return ::laconic::emulator::atomic(
      address, [=](T old) { return old ^ value; }, where);
}
template <class T>
requires(::laconic::emulator::AtomicInteger<T> || std::is_same_v<T, float>) T
    atomicExch(T* address, std::type_identity_t<T> value, LACONIC_HERE) {
  return ::laconic::emulator::atomic(
      address, [=](T) { return value; }, where);
}
template <::laconic::emulator::AtomicInteger T>
T atomicCAS(T* address, std::type_identity_t<T> compare, std::type_identity_t<T> value, LACONIC_HERE) {
  return ::laconic::emulator::atomic(
      address, [=](T old) { return old == compare ? value : old; }, where);
}

// Loads and stores with cache hints, which have no effect here.
template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
T __ldlu(const T* address) {
  return *address;
}
template <class T>
void __stcs(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <class T>
void __stcg(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <class T>
void __stwt(T* address, std::type_identity_t<T> value) {
  *address = value;
}

namespace laconic {

template <emulator::Word T>
T load_relaxed(const T* word, LACONIC_HERE) {
  emulator::running->grid->before_read(where);
  return *word;
}
template <emulator::Word T>
T load_acquire(const T* word, LACONIC_HERE) {
  return load_relaxed(word, where);
}
template <emulator::Word T>
void store_relaxed(T* word, std::type_identity_t<T> value, LACONIC_HERE) {
  emulator::running->grid->before_write(where);
  *word = value;
  emulator::running->grid->after_write(true);
}
template <emulator::Word T>
void store_release(T* word, std::type_identity_t<T> value, LACONIC_HERE) {
  store_relaxed(word, value, where);
}

template <class... Parameters, class... Arguments>
Status launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t stream,
              Arguments&&... arguments) {
  std::tuple<std::decay_t<Parameters>...> kept(std::forward<Arguments>(arguments)...);
  const auto body = [kernel, kept] { std::apply(kernel, kept); };
  return cuda_status(emulator::enqueue_grid(blocks, threads, stream, body, emulator::pointers_in(kept)),
                     "a kernel's launch");
}

}  // namespace laconic

#undef LACONIC_HERE
