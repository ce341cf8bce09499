// SPDX-License-Identifier: BSD-3-Clause
// Frames that hold chosen lattice points, made and read through Codec alone. They rely on two properties of the wire
// format: q * step is exact in float64, and blocks of lattice points are the same for every number type.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/codec.hpp"
#include "wire/frame.hpp"

namespace laconic::test {

// The step of float64 frames for an allowance; 0 when there is no lattice.
inline double step_of(const Codec& codec, double allowance) {
  const double number = 0;
  Coding coding;
  coding.dtype = Dtype::f64;
  coding.allowance = allowance;
  std::vector<std::byte> frame(codec.capacity(1, coding.dtype));
  const Coded coded = codec.encode(&number, 1, coding, frame);
  wire::Header header;
  return coded.status.ok() && wire::read_header({frame.data(), coded.bytes}, header).ok() ? header.step : 0;
}

// An allowance of float64 that leads to this step, or 0 when there is none.  Steps grow with the allowance, and are a
// little less than twice as large; beyond both ends there is no lattice.
inline double allowance_of_step(const Codec& codec, double step) {
  const auto too_small = [&](double allowance) {
    const double found = step_of(codec, allowance);
    return found != 0 ? found < step : allowance < step / 2;
  };
  double below = step / 8;
  double above = step;
  for (double middle; middle = below + (above - below) / 2, middle > below && middle < above;)
    (too_small(middle) ? below : above) = middle;
  return step_of(codec, above) == step ? above : 0;
}

// The same frame with another type in its header.
inline std::vector<std::byte> as_type(std::span<const std::byte> frame, Dtype dtype) {
  std::vector<std::byte> copy(frame.begin(), frame.end());
  wire::Header header;
  if (!wire::read_header(frame, header).ok()) return {};
  header.dtype = dtype;
  wire::write_header(header, copy);
  return copy;
}

template <class C>
constexpr bool has_greatest = requires(C& c) {
  c.greatest;
};

// Tells the codec the greatest magnitude of the data, where the codec accepts it; bounds hold to the bit then.
template <class C>
bool tell_greatest(C& coding, double greatest) {
  if constexpr (has_greatest<C>) coding.greatest = greatest;
  return has_greatest<C>;
}

}  // namespace laconic::test
