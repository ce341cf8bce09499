// SPDX-License-Identifier: BSD-3-Clause
// The bound of a user in the parameters of a codec.
#pragma once

#include "base/bound.hpp"
#include "codec/codec.hpp"
#include "codec/range.hpp"

namespace laconic {

// The coding of numbers of this type, as far as the bound determines it without the numbers.
Coding coding_for(const Bound& bound, Dtype dtype);

// The bound as an absolute error: 0, which rounds nothing, for lossless and for a relative bound on numbers without a
// range; infinity where the range is too large for a relative bound.
double absolute_bound(const Bound& bound, const Range& range);

// The greatest magnitude in a range; 0 where it is not known.
double greatest_magnitude(const Range& range);

}  // namespace laconic
