// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ledger.hpp"

#include <algorithm>

namespace laconic {

Travel travel_of(const Codec& codec, bool per_hop) {
  if (per_hop) return Travel::per_hop;
  return codec.exact_sums() ? Travel::adding : Travel::reencoding;
}

Terms terms_of(const Algorithm& algorithm, int size, Travel travel) {
  if (travel == Travel::adding) return reduces(algorithm.collective) ? Terms{size, 0} : Terms{0, 1};
  const Terms terms = algorithm.terms(size, travel);
  return terms.all() > 0 ? terms : Terms{0, 1};
}

Budget divide_bound(double bound, bool per_input, Op op, bool mean, const Algorithm& algorithm, int size,
                    Travel travel) {
  Budget budget;
  Terms terms = terms_of(algorithm, size, travel);
  budget.terms = static_cast<std::uint32_t>(terms.all());
  // A maximum is one of the contributions, so its error is that of one, unless hops round it again.
  if (op != Op::sum && travel == Travel::adding) terms = {1, 0};
  // The mean of `size` ranks divides the error of their sum.
  const double divisor = mean ? size : 1;
  budget.worst_case = per_input ? bound * terms.all() / divisor : bound;
  if (per_input) {
    budget.allowance = budget.last_allowance = bound;
    return budget;
  }
  // A result travels as far as everything that it was made of: half of the bytes are of frames of the last kind, so
  // half of the bound goes there (minimising sum(bytes_i * log(1 / allowance_i)) for a given sum of allowances).
  // The last bits are given up so that what the allowances add up to, rounded, is not above the bound.
  const double whole = bound * divisor * (1 - 0x1p-50);
  const bool both = terms.earlier > 0 && terms.last > 0;
  const double part = both ? whole / 2 : whole;
  budget.allowance = part / std::max(terms.earlier, 1);
  budget.last_allowance = part / std::max(terms.last, 1);
  // Where frames are added there is one lattice.
  if (travel == Travel::adding) budget.allowance = budget.last_allowance = whole / terms.all();
  return budget;
}

}  // namespace laconic
