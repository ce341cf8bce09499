// SPDX-License-Identifier: BSD-3-Clause
// The predictions of lattice points, as docs/wire-format.md specifies them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/target.hpp"
#include "codec/dense/format.hpp"

namespace laconic::dense {

// The functions are always inlined: otherwise the linker could give code for one instruction set to all.
LACONIC_INLINE std::uint32_t point_at(const std::int32_t* q, std::ptrdiff_t i) {
  return static_cast<std::uint32_t>(q[i]);
}

LACONIC_INLINE std::uint32_t prediction(Predictor predictor, const std::int32_t* q, std::ptrdiff_t i,
                                        std::ptrdiff_t lag) {
  switch (predictor) {
    case Predictor::none: return 0;
    case Predictor::last: return point_at(q, i - 1);
    case Predictor::line: return 2 * point_at(q, i - 1) - point_at(q, i - 2);
    case Predictor::above: return point_at(q, i - lag);
    case Predictor::above_line: return point_at(q, i - 1) + point_at(q, i - lag) - point_at(q, i - lag - 1);
  }
  return 0;
}

}  // namespace laconic::dense
