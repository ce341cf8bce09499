// SPDX-License-Identifier: BSD-3-Clause
// Measures a codec on one field under one bound: size, error and speed. Prints nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "base/bound.hpp"
#include "codec/codec.hpp"
#include "codec/range.hpp"
#include "field.hpp"

namespace laconic::cli {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Setup {
  std::size_t chunk = 65536;  // numbers per frame; 0: one frame
  int repeat = 7;             // timed repetitions; 0: no speeds
  int threads = 1;
  std::size_t tile = 0;  // bytes for the speed measurement: the field repeated or cut; 0: the field itself
};

// Speeds in 1e9 bytes of uncompressed numbers per second.
struct Speed {
  double best = unknown;
  double median = unknown;
};

struct Errors {
  double max_error = 0;  // over the finite numbers; infinite if one of them was not decoded as finite
  std::uint64_t violations = 0;
  std::uint64_t beyond_rounding = 0;  // violations beyond the rounding of the dtype (docs/error-model.md)
  double nrmse = 0;
  double psnr = std::numeric_limits<double>::infinity();
};

// A bound with its original spelling, so that results can be found by it.
struct AskedBound {
  std::string text;
  Bound bound;
};

// The promise of a bound for every number.
struct Promise {
  enum class Kind { nothing, error, bits } kind = Kind::error;
  double error = 0;     // largest absolute error; NaN and infinities are always kept
  double relative = 0;  // largest error as a fraction of the scale of the number's block; 0: `error` applies
  BlockScale scale = BlockScale::rms;
  std::size_t chunk = 0;  // numbers per frame, at whose start a block begins; 0: one frame
};

struct Measurement {
  Status status;  // not ok: the codec does not support this, and only the first fields are valid
  std::string codec;
  std::string bound;
  std::size_t count = 0;
  std::size_t bytes = 0;  // size of all frames, headers included
  double allowance = 0;   // the bound as an absolute error; 0 if nothing may be rounded, or there is no error bound
  Errors errors;
  std::size_t speed_bytes = 0;  // size of the numbers that speeds were measured on
  Speed copy;                   // memcpy
  Speed encode;
  Speed decode;
  Speed fold;
  Speed add;

  double ratio(Dtype dtype) const;
};

// Whether the codec supports this mode.
bool offers(const Codec& codec, const Bound& bound);

// The bound for a field of this range, as the library resolves it.
Status resolve(const Bound& bound, const Range& range, Dtype dtype, Coding& coding, Promise& promise);

Errors compare(const void* exact, const void* got, std::size_t count, Dtype dtype, const Range& range,
               const Promise& promise);

Measurement measure(const Codec& codec, const AskedBound& asked, const Field& field, const Range& range,
                    const Setup& setup);

}  // namespace laconic::cli
