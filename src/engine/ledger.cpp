#include "engine/ledger.hpp"

#include <algorithm>

namespace laconic {

Budget divide_bound(double bound, bool per_input, Op op, bool mean, const Algorithm& algorithm, int size,
                    const Codec& codec) {
  Budget budget;
  const int terms = codec.exact_sums() ? size : std::max(1, algorithm.reencoded_terms(size));
  budget.terms = static_cast<std::uint32_t>(terms);
  // A maximum is one of the contributions, so its error is that of one, unless hops round it again.
  const int added = op == Op::sum ? terms : codec.exact_sums() ? 1 : terms;
  // The mean of `size` ranks divides the error of their sum.
  const double share = mean ? static_cast<double>(added) / size : added;
  // The last bits are given up so that `added` times the allowance, rounded, is not above the bound.
  budget.allowance = per_input ? bound : bound / share * (1 - 0x1p-50);
  budget.worst_case = per_input ? bound * share : bound;
  return budget;
}

}  // namespace laconic
