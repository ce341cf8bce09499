// SPDX-License-Identifier: BSD-3-Clause
#include "engine/predict.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace laconic {
namespace {

// Of the greatest number, for codecs that encode it again and again.  Whenever a greater one comes its errors are gone,
// which of n happens about ln n times; in between it is a number that was decoded, and is encoded again nearly as it
// is.  1 + 2 log2 n errors are measured to be enough (docs/error-model.md).
Terms while_choosing(Terms terms) {
  const int errors = 1 + 2 * static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(terms.all(), 1)) - 1));
  const int last = std::min(terms.last, errors);
  return {std::min(terms.earlier, errors - last), last};
}

// The errors that add up in a result, which may be fewer than the ledger has to count.
Terms adding_up(Terms terms, Op op, const Algorithm& algorithm, int size, Travel travel, const ErrorShape& shape) {
  const bool chooses = op != Op::sum && reduces(algorithm.collective);
  if (chooses && travel == Travel::adding) return {1, 0};
  if (chooses && !shape.lattice) return while_choosing(terms);
  if (travel != Travel::per_hop || !shape.lattice) return terms;
  // Rounding to a lattice keeps the order, so the greatest of rounded numbers is the greatest, rounded.
  if (chooses) return {1, 0};
  // A number that came off the lattice goes back to where it was: hops of a result make no error but the first.
  return {std::min(terms.all(), terms_of(algorithm, size, Travel::reencoding).all()), 0};
}

// Integral of the normal distribution function.
double integral_of_normal(double z) {
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return z * std::erfc(-z / std::numbers::sqrt2) / 2 + density;
}

}  // namespace

double likely_of_sum(double half, double deviation) {
  if (!(deviation > 0)) return likely_share * half;
  // The share within t, with everything in units of the deviation, so that bounds of any size will do.
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

Prediction predict_error(double bound, bool per_input, Op op, bool mean, const Algorithm& algorithm, int size,
                         const Codec& codec, bool per_hop) {
  Prediction p;
  const Travel travel = travel_of(codec, per_hop);
  const ErrorShape shape = codec.error_shape();
  p.budget = divide_bound(bound, per_input, op, mean, algorithm, size, travel);
  p.terms = adding_up(terms_of(algorithm, size, travel), op, algorithm, size, travel, shape);
  if (shape.none()) return p;
  p.worst_case = p.budget.worst_case;
  const double earlier = p.budget.allowance;
  const double last = p.budget.last_allowance;
  // Standard deviations of independent errors add up as their squares do.
  const auto deviation_of = [&](int earlier_terms, int last_terms) {
    return shape.deviation * std::hypot(earlier * std::sqrt(earlier_terms), last * std::sqrt(last_terms));
  };
  const double divisor = mean ? size : 1;
  p.drift = shape.drift * (earlier * p.terms.earlier + last * p.terms.last) / divisor;
  p.deviation = deviation_of(p.terms.earlier, p.terms.last) / divisor;
  if (shape.lattice) {
    // The largest of the uniform errors as it is, and the others as if they were normal: exact for one, and from two
    // on within a few per cent of their convolution.
    const bool last_is_largest = p.terms.earlier == 0 || (p.terms.last > 0 && last > earlier);
    const double half = last_is_largest ? last : earlier;
    const double others = last_is_largest ? deviation_of(p.terms.earlier, p.terms.last - 1)
                                          : deviation_of(p.terms.earlier - 1, p.terms.last);
    p.likely = likely_of_sum(half, others) / divisor;
  } else {
    p.likely = p.drift + 2 * p.deviation;
  }
  p.likely = std::min(p.likely, p.worst_case);
  return p;
}

}  // namespace laconic
