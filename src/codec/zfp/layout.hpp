// SPDX-License-Identifier: BSD-3-Clause
// The layout of a frame of zfp, for the host and for kernels (docs/wire-format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/host_device.hpp"
#include "codec/codec.hpp"

namespace laconic::zfp {

// The number of values that are coded together and can be decoded on their own.
inline constexpr std::size_t piece_values = 4096;
inline constexpr std::size_t block_values = 4;  // zfp's block, in one dimension

// The payload: mode, 0, parameter; a size for each piece; the pieces.
inline constexpr std::size_t head_bytes = 4;
inline constexpr std::size_t size_bytes = 2;
static_assert(piece_values * sizeof(double) <= std::numeric_limits<std::uint16_t>::max());

constexpr std::size_t pieces_of(std::size_t count) { return (count + piece_values - 1) / piece_values; }

// The size of n numbers of a piece, with `block_bits` bits per block.
constexpr std::size_t rate_bytes(std::size_t n, std::size_t block_bits) {
  return ((n + block_values - 1) / block_values * block_bits + 7) / 8;
}

// zfp scales a block by 2^(30 - e) or 2^(62 - e), where e is the exponent of its largest number, in the type of the
// numbers.  For tiny numbers that factor is infinity, and the result is undefined.  Numbers below these limits are
// coded as 0.
template <class T>
inline constexpr T tiny = T(0x1p-950);
template <>
inline constexpr float tiny<float> = 0x1p-90f;

template <class T>
LACONIC_HOST_DEVICE inline T without_tiny(T x) {
  return (x < 0 ? -x : x) < tiny<T> ? T(0) : x;
}

inline constexpr int least_exponent = -1074;  // the lowest bit plane that is sent: zfp's ZFP_MIN_EXP

enum class Mode : std::uint8_t {
  exact = 0,     // all pieces are raw
  accuracy = 1,  // parameter: the lowest bit plane that is kept, as an exponent of 2
  rate = 2,      // parameter: bits per block of four numbers
};

constexpr int least_rate(Dtype dtype) { return dtype == Dtype::f32 ? 1 + 8 : 1 + 11; }
constexpr int raw_rate(Dtype dtype) { return dtype == Dtype::f32 ? 128 : 256; }

struct Parameters {
  Mode mode = Mode::exact;
  std::int16_t parameter = 0;

  static Parameters make(const Coding& coding);

  constexpr bool valid(Dtype dtype) const {
    switch (mode) {
      case Mode::exact: return parameter == 0;
      case Mode::accuracy: return parameter >= least_exponent && parameter < std::numeric_limits<double>::max_exponent;
      case Mode::rate: return parameter >= least_rate(dtype) && parameter < raw_rate(dtype);
    }
    return false;
  }
  bool operator==(const Parameters&) const = default;
};

}  // namespace laconic::zfp
