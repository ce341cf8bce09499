// SPDX-License-Identifier: BSD-3-Clause
// Predicts the errors of a result before it is computed: the worst case that the ledger allows, and the error that most
// numbers do not exceed (docs/error-model.md has the derivation and its assumptions).
#pragma once

#include "base/names.hpp"
#include "base/op.hpp"
#include "codec/codec.hpp"
#include "engine/ledger.hpp"
#include "schedule/schedule.hpp"

namespace laconic {

// The share of numbers that are within two standard deviations of a normal distribution, as C-Coll states it.
inline constexpr double likely_share = 0.9544;

struct Prediction {
  Budget budget;          // the same budget that the engine would use
  Terms terms;            // number of single-encode errors that can add up in a result
  double worst_case = 0;  // 0 for lossless codecs
  double drift = 0;       // the largest possible sum of the systematic (one-sided) errors
  double deviation = 0;   // standard deviation of the errors around the drift
  double likely = 0;      // the error that likely_share of the numbers do not exceed
};

// The budget of a bound on this target.  BoundTarget::likely: likely_share of the results keep the bound if the errors
// of different encodes are independent; for operations other than sums it is the same as BoundTarget::result.
Budget budget_for(double bound, BoundTarget target, Op op, bool mean, const Algorithm& algorithm, Ranks ranks,
                  const Codec& codec, bool per_hop);

// The parameters are those of budget_for().  The errors of different encodes are assumed to be independent.
Prediction predict_error(double bound, BoundTarget target, Op op, bool mean, const Algorithm& algorithm, Ranks ranks,
                         const Codec& codec, bool per_hop);

// The magnitude that likely_share of the sums do not exceed, where each sum adds a number uniform in -half ... half and
// a normal one with the given standard deviation.
double likely_of_sum(double half, double deviation);

}  // namespace laconic
