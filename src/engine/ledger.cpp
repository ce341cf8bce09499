// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ledger.hpp"

#include <algorithm>
#include <cmath>

namespace laconic {

Travel travel_of(const Codec& codec, bool per_hop) {
  if (per_hop) return Travel::per_hop;
  return codec.exact_sums() ? Travel::homomorphic : Travel::reencoding;
}

Terms terms_of(const Algorithm& algorithm, Ranks ranks, Travel travel) {
  if (travel == Travel::homomorphic) return reduces(algorithm.collective) ? Terms{ranks.size, 0} : Terms{0, 1};
  const Terms terms = algorithm.terms(ranks, travel);
  return terms.all() > 0 ? terms : Terms{0, 1};
}

Budget allow_rounding(Budget budget, std::uint32_t coarser) {
  if (coarser == 0) return budget;
  budget.coarser = coarser;
  budget.last_allowance = std::ldexp(budget.allowance, static_cast<int>(coarser));
  budget.worst_case *= 1 + std::ldexp(1.0, static_cast<int>(coarser)) / budget.terms;
  return budget;
}

Budget make_room_for_rounding(Budget budget, std::uint32_t coarser) {
  if (coarser == 0 || !(budget.allowance > 0)) return budget;
  const double bound = budget.worst_case;
  budget.allowance *= budget.terms / (budget.terms + std::ldexp(1.0, static_cast<int>(coarser)));
  budget = allow_rounding(budget, coarser);
  budget.worst_case = bound;
  return budget;
}

Budget divide_bound(double bound, bool per_input, Op op, bool mean, const Algorithm& algorithm, Ranks ranks,
                    Travel travel) {
  Budget budget;
  Terms terms = terms_of(algorithm, ranks, travel);
  budget.terms = static_cast<std::uint32_t>(terms.all());
  // A maximum is one of the contributions, so it has the error of one encode, unless later hops round it again.
  if (op != Op::sum && travel == Travel::homomorphic) terms = {1, 0};
  // The mean of all ranks divides the error of their sum.
  const double divisor = mean ? ranks.size : 1;
  budget.worst_case = per_input ? bound * terms.all() / divisor : bound;
  if (per_input) {
    budget.allowance = budget.last_allowance = bound;
    return budget;
  }
  // A result travels as far as all of its contributions together: half of the bytes are in frames of results, so they
  // get half of the bound (this minimises sum(bytes_i * log(1 / allowance_i)) for a given sum of allowances).
  // The factor 1 - 2^-50 gives up the last bits, so that the rounded sum of the allowances never exceeds the bound.
  const double whole = bound * divisor * (1 - 0x1p-50);
  const bool both = terms.intermediate > 0 && terms.final > 0;
  const double part = both ? whole / 2 : whole;
  budget.allowance = part / std::max(terms.intermediate, 1);
  budget.last_allowance = part / std::max(terms.final, 1);
  // Homomorphic addition needs the same lattice, and so the same allowance, in all frames.
  if (travel == Travel::homomorphic) budget.allowance = budget.last_allowance = whole / terms.all();
  return budget;
}

}  // namespace laconic
