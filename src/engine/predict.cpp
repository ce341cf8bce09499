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

namespace {

// How much coarser the lattice of results is made: 2^k errors of one encode each.  Bits of contributions grow by
// log2(1 + 2^k / N), or for the likely error by half of log2(1 + 4^k / N), and those of results by k less.  Half of the
// bytes are in frames of results, so 2^k = N, or sqrt(N), costs least; below 8, or 16 ranks it gains nothing.
// (docs/error-model.md)
std::uint32_t coarser_for(BoundTarget target, Op op, const Algorithm& algorithm, Ranks ranks, const Codec& codec,
                          Travel travel) {
  if (algorithm.collective != Collective::allreduce || op != Op::sum || travel != Travel::homomorphic) return 0;
  if (target == BoundTarget::input || !codec.rounds_results()) return 0;
  const auto log = static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(ranks.size)) - 1);
  if (target == BoundTarget::likely) return ranks.size < 16 ? 0 : std::min(log / 2, largest_coarser);
  return ranks.size < 8 ? 0 : std::min(log, largest_coarser);
}

Prediction errors_of(const Budget& budget, Op op, bool mean, const Algorithm& algorithm, Ranks ranks,
                     const Codec& codec, Travel travel) {
  Prediction p;
  const ErrorShape shape = codec.error_shape();
  p.budget = budget;
  p.terms = adding_up(terms_of(algorithm, ranks, travel), op, algorithm, ranks, travel, shape);
  if (shape.none()) return p;
  p.worst_case = budget.worst_case;
  const double earlier = budget.allowance;
  const double last = budget.last_allowance;
  // The variances of independent errors add up, so their standard deviations add in quadrature.
  const auto deviation_of = [&](double earlier_terms, double last_terms) {
    return shape.deviation * std::hypot(earlier * std::sqrt(earlier_terms), last * std::sqrt(last_terms));
  };
  const double divisor = mean ? ranks.size : 1;
  p.drift = shape.drift * (earlier * p.terms.intermediate + last * p.terms.final) / divisor;
  if (budget.coarser > 0) {
    // Sums are integers, so rounding them to multiples of M = 2^coarser, ties to even, has the variance (M^2 + 2) / 12
    // steps^2, a little more than the M^2 / 12 of a uniform error: 2 more errors of one encode.
    p.deviation = deviation_of(p.terms.all() + 2, 1) / divisor;
    p.likely = likely_of_sum(last, deviation_of(p.terms.all() + 2, 0)) / divisor;
  } else if (shape.lattice) {
    // The largest uniform error is modelled exactly, and the sum of the others as normal: this is exact for one error,
    // and within a few per cent of the convolution for two or more.
    p.deviation = deviation_of(p.terms.intermediate, p.terms.final) / divisor;
    const bool last_is_largest = p.terms.intermediate == 0 || (p.terms.final > 0 && last > earlier);
    const double half = last_is_largest ? last : earlier;
    const double others = last_is_largest ? deviation_of(p.terms.intermediate, p.terms.final - 1)
                                          : deviation_of(p.terms.intermediate - 1, p.terms.final);
    p.likely = likely_of_sum(half, others) / divisor;
  } else {
    p.deviation = deviation_of(p.terms.intermediate, p.terms.final) / divisor;
    p.likely = p.drift + 2 * p.deviation;
  }
  p.likely = std::min(p.likely, p.worst_case);
  return p;
}

}  // namespace

Budget budget_for(double bound, BoundTarget target, Op op, bool mean, const Algorithm& algorithm, Ranks ranks,
                  const Codec& codec, bool per_hop) {
  const Travel travel = travel_of(codec, per_hop);
  const auto coarser = [&](BoundTarget t) { return coarser_for(t, op, algorithm, ranks, codec, travel); };
  const auto divide = [&](double b, bool per_input) {
    return divide_bound(b, per_input, op, mean, algorithm, ranks, travel);
  };
  if (target == BoundTarget::input) return divide(bound, true);
  const Budget strict = divide(bound, false);
  if (target == BoundTarget::likely && op == Op::sum && reduces(algorithm.collective)) {
    // The likely error of a result is proportional to the allowance, if all encodes have the same.
    const auto likely = [&](double allowance) { return allow_rounding(divide(allowance, true), coarser(target)); };
    const double of_one = errors_of(likely(1), op, mean, algorithm, ranks, codec, travel).likely;
    const double allowance = of_one > 0 ? bound / of_one : 0;
    if (allowance > std::max(strict.allowance, strict.last_allowance)) return likely(allowance);
  }
  return make_room_for_rounding(strict, coarser(BoundTarget::result));
}

Prediction predict_error(double bound, BoundTarget target, Op op, bool mean, const Algorithm& algorithm, Ranks ranks,
                         const Codec& codec, bool per_hop) {
  return errors_of(budget_for(bound, target, op, mean, algorithm, ranks, codec, per_hop), op, mean, algorithm, ranks,
                   codec, travel_of(codec, per_hop));
}

}  // namespace laconic
