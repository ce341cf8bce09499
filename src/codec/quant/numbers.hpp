// SPDX-License-Identifier: BSD-3-Clause
// The conversion of blocks of numbers, on the lattice and off it: the kernel operations for every type.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "base/combine.hpp"
#include "codec/quant/kernels.hpp"

namespace laconic::quant {

// Numbers in the type that the kernels take.  16-bit numbers are converted to float32, which is exact.
template <class T>
class Wide {
 public:
  using Type = std::conditional_t<is_small_float<T>, float, T>;

  // The result is valid until the next call.
  const Type* of(const T* x, std::size_t n) {
    if constexpr (is_small_float<T>) {
      for (std::size_t i = 0; i < n; ++i) buffer_[i] = static_cast<float>(x[i]);
      return buffer_.data();
    } else {
      return x;
    }
  }

 private:
  std::array<Type, is_small_float<T> ? block_values : 0> buffer_;
};

inline bool quantise_block(const Kernels& k, const float* x, std::size_t n, const Lattice& lattice, Points& points) {
  return lattice.step != 0 && k.quantise_f32(x, n, lattice, points);
}
inline bool quantise_block(const Kernels& k, const double* x, std::size_t n, const Lattice& lattice, Points& points) {
  return lattice.step != 0 && k.quantise_f64(x, n, lattice, points);
}

template <class T>
void dequantise_block(const Kernels& k, const Points& points, std::size_t n, double step, double divisor, T* x) {
  if constexpr (std::is_same_v<T, float>) {
    k.dequantise_f32(points, n, step, divisor, x);
  } else if constexpr (std::is_same_v<T, double>) {
    k.dequantise_f64(points, n, step, divisor, x);
  } else {
    // A conversion through float32 would round the product twice.
    double wide[block_values];
    k.dequantise_f64(points, n, step, divisor, wide);
    for (std::size_t i = 0; i < n; ++i) x[i] = T(wide[i]);
  }
}

// Rounds combined points once more if they are a result.
inline void round_result(const Coding& coding, Points& points, std::size_t n) {
  if (!coding.rounds_result()) return;
  for (std::size_t i = 0; i < n; ++i) points.q[i] = coarse_point(points.q[i], coding.coarser);
}

// Writes a block of kind raw, or fill when all numbers have the same bits.
template <class T>
Entry write_numbers(const T* x, std::size_t n, std::byte* out) {
  const auto* bytes = reinterpret_cast<const std::byte*>(x);
  // If the bytes equal themselves shifted by one number, all numbers equal the first one.
  const bool same = n > 1 && std::memcmp(bytes, bytes + sizeof(T), (n - 1) * sizeof(T)) == 0;
  const std::size_t size = same ? sizeof(T) : n * sizeof(T);
  std::memcpy(out, bytes, size);
  return make_entry(same ? Kind::fill : Kind::raw, size);
}

// Reads a block of kind raw or fill.
template <class T>
void read_numbers(const Packed& in, std::size_t n, T* x) {
  if (kind_of(in.entry) == Kind::raw) {
    std::memcpy(static_cast<void*>(x), in.body, n * sizeof(T));
  } else {
    T value;
    std::memcpy(&value, in.body, sizeof(T));
    std::fill_n(x, n, value);
  }
}

// The decoded form of numbers off the lattice.
template <class T>
void divide_block(const T* numbers, std::size_t n, double divisor, T* x) {
  if (divisor == 1) {
    std::memcpy(static_cast<void*>(x), numbers, n * sizeof(T));
  } else {
    for (std::size_t i = 0; i < n; ++i) x[i] = divide(numbers[i], divisor);
  }
}

// The numbers of one block, as lattice points or uncompressed.
template <class T>
struct Block {
  bool lattice = false;
  Points points;
  T numbers[block_values];

  // Reads a block; false when it is not valid.
  bool read(const Kernels& k, const Packed& in, std::size_t n) {
    lattice = on_lattice(kind_of(in.entry));
    if (!lattice) {
      read_numbers(in, n, numbers);
    } else if (in.entry == zero_block) {
      std::memset(points.q, 0, sizeof points.q);
    } else {
      return k.unpack(in, n, points);
    }
    return true;
  }

  // Turns lattice points into numbers.
  void leave_lattice(const Kernels& k, std::size_t n, double step) {
    if (!lattice) return;
    dequantise_block(k, points, n, step, 1, numbers);
    lattice = false;
  }
};

// The error of a combination.  It is finite for any frames, because a frame that is written must be readable.
LACONIC_HOST_DEVICE inline double error_of(Op op, double a, double b) {
  return op == Op::sum ? std::min(a + b, std::numeric_limits<double>::max()) : std::max(a, b);
}

}  // namespace laconic::quant
