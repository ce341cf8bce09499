// SPDX-License-Identifier: BSD-3-Clause
// The error ledger: the error that one encode may make so that the result keeps its bound
// (docs/error-model.md).
#pragma once

#include <cstdint>

#include "base/op.hpp"
#include "codec/codec.hpp"
#include "schedule/schedule.hpp"

namespace laconic {

struct Budget {
  double allowance = 0;       // the bound for one encode of a partial result
  double last_allowance = 0;  // the bound for one encode of a final result, or for rounding it once more
  double worst_case = 0;      // error of the result, <= the bound if the bound applies to the result
  std::uint32_t terms = 1;    // number of single-encode errors that the result may hold
  std::uint32_t coarser = 0;  // Coding::coarser: how results are rounded once more

  // Sets the parameters of a coding operation.  sum: the operation adds.
  void apply(bool sum, Coding& coding) const {
    coding.allowance = allowance;
    coding.terms = sum ? terms : 1;
    coding.coarser = coarser;
  }
};

// The way in which partial results travel, given what the codec can add.  per_hop: every hop decodes and re-encodes.
Travel travel_of(const Codec& codec, bool per_hop);

// The number of single-encode errors that a result may hold.
Terms terms_of(const Algorithm& algorithm, Ranks ranks, Travel travel);

// Homomorphic sums that are rounded once more, to a lattice 2^coarser times as coarse, have the error of 2^coarser more
// encodes.  allow_rounding() adds it to the error of the result; make_room_for_rounding() leaves that error as it is
// and takes it from the encodes.
Budget allow_rounding(Budget budget, std::uint32_t coarser);
Budget make_room_for_rounding(Budget budget, std::uint32_t coarser);

// `bound` applies to the result (to the mean if mean is set), or to every encode if per_input is set.
Budget divide_bound(double bound, bool per_input, Op op, bool mean, const Algorithm& algorithm, Ranks ranks,
                    Travel travel);

}  // namespace laconic
