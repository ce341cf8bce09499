// SPDX-License-Identifier: BSD-3-Clause
// The conversion of blocks of numbers, on the lattice and off it: the kernel operations for every type.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "base/combine.hpp"
#include "codec/quant/far_blocks.hpp"
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

// Calls the function of one of the types that kernels take.
template <class T, class Single, class Double>
void dequantise_with(std::size_t n, T* x, Single&& single, Double&& wide) {
  if constexpr (std::is_same_v<T, float>) {
    single(x);
  } else if constexpr (std::is_same_v<T, double>) {
    wide(x);
  } else {
    // A conversion through float32 would round the product twice.
    double numbers[block_values];
    wide(numbers);
    for (std::size_t i = 0; i < n; ++i) x[i] = T(numbers[i]);
  }
}

template <class T>
void dequantise_block(const Kernels& k, const Points& points, std::size_t n, double step, double divisor, T* x) {
  dequantise_with(
      n, x, [&](float* out) { k.dequantise_f32(points, n, step, divisor, out); },
      [&](double* out) { k.dequantise_f64(points, n, step, divisor, out); });
}

inline bool quantise_far_block(const Kernels& k, const float* x, std::size_t n, const Lattice& lattice, Points& low,
                               Points& high) {
  return k.far.quantise_f32(x, n, lattice, low, high);
}
inline bool quantise_far_block(const Kernels& k, const double* x, std::size_t n, const Lattice& lattice, Points& low,
                               Points& high) {
  return k.far.quantise_f64(x, n, lattice, low, high);
}

template <class T>
void dequantise_far_block(const Kernels& k, const Points& low, const Points& high, std::size_t n, double step,
                          double divisor, T* x) {
  dequantise_with(
      n, x, [&](float* out) { k.far.dequantise_f32(low, high, n, step, divisor, out); },
      [&](double* out) { k.far.dequantise_f64(low, high, n, step, divisor, out); });
}

// Rounds the points of a result to multiples of 2^coarser, and divides them by it.
inline void coarsen(Points& points, std::uint32_t coarser, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) points.q[i] = coarse_point(points.q[i], coarser);
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

// The points of a block, of 32 or, where it is far, of 64 bits: then `points` are their low parts.
struct AnyPoints {
  Points points;
  Points high;
  bool far = false;

  // Rounds own numbers; false when they do not all have points.
  template <class T>
  bool round(const Kernels& k, const T* x, std::size_t n, const Lattice& lattice) {
    far = false;
    if (quantise_block(k, x, n, lattice, points)) return true;
    far = lattice.largest_far > 0 && quantise_far_block(k, x, n, lattice, points, high);
    return far;
  }

  // Reads the points of a block; false when it is not valid.
  bool read(const Kernels& k, const Packed& in, std::size_t n) {
    far = is_far(in);
    return far ? unpack_far(k, in, n, points, high) : unpack_any(k, in, n, points);
  }

  // The sum of a far block and any other is far, also where its points would fit 32 bits: so the bytes of a sum do not
  // depend on the order of the additions.
  void combine_with(const Kernels& k, Op op, AnyPoints& other, std::size_t n) {
    if (!far && !other.far) return k.combine(op, points, other.points, n);
    make_far();
    other.make_far();
    k.far.combine(op, points, high, other.points, other.high, n);
  }

  // Rounds the points of a result to multiples of 2^coarser, and divides them by it.
  void coarsen(std::uint32_t coarser, std::size_t n) {
    if (!far) return quant::coarsen(points, coarser, n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t q = coarse_far_point(far_point(points.q[i], high.q[i]), coarser);
      points.q[i] = low_of(q);
      high.q[i] = high_of(q);
    }
  }

  Entry pack(const Kernels& k, std::size_t n, std::byte* out) {
    return far ? pack_far(k, points, high, n, out) : k.pack(points, n, out);
  }

  template <class T>
  void decode(const Kernels& k, std::size_t n, double step, double divisor, T* x) const {
    if (far)
      dequantise_far_block(k, points, high, n, step, divisor, x);
    else
      dequantise_block(k, points, n, step, divisor, x);
  }

  void make_far() {
    if (!far) std::memset(high.q, 0, sizeof high.q);
    far = true;
  }
};

// The error of a combination.  It is finite for any frames, because a frame that is written must be readable.
LACONIC_HOST_DEVICE inline double error_of(Op op, double a, double b) {
  return op == Op::sum ? std::min(a + b, std::numeric_limits<double>::max()) : std::max(a, b);
}

}  // namespace laconic::quant
