// SPDX-License-Identifier: BSD-3-Clause
#include "engine/predict.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace laconic {
namespace {

// The errors that add up in a maximum, for codecs that encode it at every hop.  Whenever a greater number replaces the
// current one, the errors so far disappear; among n numbers this happens about ln n times.  In between, the number has
// been decoded before, and encoding it again hardly changes it.  Measurements show that 1 + 2 log2 n errors are enough
// (docs/error-model.md).
Terms while_choosing(Terms terms) {
  const int errors = 1 + 2 * static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(terms.all(), 1)) - 1));
  const int last = std::min(terms.final, errors);
  return {std::min(terms.intermediate, errors - last), last};
}

// The errors that add up in a result; these may be fewer than the worst case that the ledger has to count.
Terms adding_up(Terms terms, Op op, const Algorithm& algorithm, Ranks ranks, Travel travel, const ErrorShape& shape) {
  const bool chooses = op != Op::sum && reduces(algorithm.collective);
  if (chooses && travel == Travel::homomorphic) return {1, 0};
  if (chooses && !shape.lattice) return while_choosing(terms);
  if (travel != Travel::per_hop || !shape.lattice) return terms;
  // Rounding to a lattice preserves order, so the maximum of rounded numbers is the rounded maximum: one error.
  if (chooses) return {1, 0};
  // A number decoded from the lattice is rounded to the same lattice point again: of the hops of a final result, only
  // the first makes an error.
  return {std::min(terms.all(), terms_of(algorithm, ranks, Travel::reencoding).all()), 0};
}

// The integral of the standard normal distribution function from minus infinity to z.
double integral_of_normal(double z) {
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return z * std::erfc(-z / std::numbers::sqrt2) / 2 + density;
}

}  // namespace

double likely_of_sum(double half, double deviation) {
  if (!(deviation > 0)) return likely_share * half;
  // The share of sums within t.  All lengths are in units of the deviation, so that bounds of any size work.
  const double h = half / deviation;
  const auto share_within = [h](double t) {
    if (h == 0) return std::erf(t / std::numbers::sqrt2);
    return (integral_of_normal(t + h) - integral_of_normal(t - h)) / h - 1;
  };
  double least = 0;
  double greatest = h + 3;
  for (int i = 0; i < 60; ++i) {
    const double middle = (least + greatest) / 2;
    (share_within(middle) < likely_share ? least : greatest) = middle;
  }
  return greatest * deviation;
}

Budget budget_for(double bound, BoundTarget target, Op op, bool mean, const Algorithm& algorithm, Ranks ranks,
                  const Codec& codec, bool per_hop) {
  const Travel travel = travel_of(codec, per_hop);
  const Budget strict = divide_bound(bound, target == BoundTarget::input, op, mean, algorithm, ranks, travel);
  if (target != BoundTarget::likely || op != Op::sum || !reduces(algorithm.collective)) return strict;
  // The likely error of a result is proportional to the allowance, if all encodes have the same.
  const double of_one = predict_error(1, BoundTarget::input, op, mean, algorithm, ranks, codec, per_hop).likely;
  const double allowance = of_one > 0 ? bound / of_one : 0;
  if (allowance <= std::max(strict.allowance, strict.last_allowance)) return strict;
  return divide_bound(allowance, true, op, mean, algorithm, ranks, travel);
}

Prediction predict_error(double bound, BoundTarget target, Op op, bool mean, const Algorithm& algorithm, Ranks ranks,
                         const Codec& codec, bool per_hop) {
  Prediction p;
  const Travel travel = travel_of(codec, per_hop);
  const ErrorShape shape = codec.error_shape();
  p.budget = budget_for(bound, target, op, mean, algorithm, ranks, codec, per_hop);
  p.terms = adding_up(terms_of(algorithm, ranks, travel), op, algorithm, ranks, travel, shape);
  if (shape.none()) return p;
  p.worst_case = p.budget.worst_case;
  const double earlier = p.budget.allowance;
  const double last = p.budget.last_allowance;
  // The variances of independent errors add up, so their standard deviations add in quadrature.
  const auto deviation_of = [&](int earlier_terms, int last_terms) {
    return shape.deviation * std::hypot(earlier * std::sqrt(earlier_terms), last * std::sqrt(last_terms));
  };
  const double divisor = mean ? ranks.size : 1;
  p.drift = shape.drift * (earlier * p.terms.intermediate + last * p.terms.final) / divisor;
  p.deviation = deviation_of(p.terms.intermediate, p.terms.final) / divisor;
  if (shape.lattice) {
    // The largest uniform error is modelled exactly, and the sum of the others as normal: this is exact for one error,
    // and within a few per cent of the convolution for two or more.
    const bool last_is_largest = p.terms.intermediate == 0 || (p.terms.final > 0 && last > earlier);
    const double half = last_is_largest ? last : earlier;
    const double others = last_is_largest ? deviation_of(p.terms.intermediate, p.terms.final - 1)
                                          : deviation_of(p.terms.intermediate - 1, p.terms.final);
    p.likely = likely_of_sum(half, others) / divisor;
  } else {
    p.likely = p.drift + 2 * p.deviation;
  }
  p.likely = std::min(p.likely, p.worst_case);
  return p;
}

}  // namespace laconic
