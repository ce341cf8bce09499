// SPDX-License-Identifier: BSD-3-Clause
// What the errors of a result will be like before it is formed: the worst that the ledger allows, and what most numbers
// keep (docs/error-model.md, which derives it and says what it takes for granted).
#pragma once

#include "base/op.hpp"
#include "codec/codec.hpp"
#include "engine/ledger.hpp"
#include "schedule/schedule.hpp"

namespace laconic {

// The share of numbers that are within two standard deviations of a normal distribution, as C-Coll states it.
inline constexpr double likely_share = 0.9544;

struct Prediction {
  Budget budget;          // as the engine would have it
  Terms terms;            // errors of one encode that can add up in a result
  double worst_case = 0;  // 0 for codecs that round nothing
  double drift = 0;       // what errors that lean to one side may add up to
  double deviation = 0;   // standard deviation of the errors about that
  double likely = 0;      // likely_share of the numbers are off by at most this
};

// Everything as for divide_bound().  For errors of different encodes that are independent of each other.
Prediction predict_error(double bound, bool per_input, Op op, bool mean, const Algorithm& algorithm, int size,
                         const Codec& codec, bool per_hop);

// What likely_share of the sums of a number that is uniform in -half ... half and one that is normal do not exceed.
double likely_of_sum(double half, double deviation);

}  // namespace laconic
