// SPDX-License-Identifier: BSD-3-Clause
// The error ledger: how large an error one encode may make, so that the result keeps its bound
// (docs/error-model.md).
#pragma once

#include <cstdint>

#include "base/op.hpp"
#include "codec/codec.hpp"
#include "schedule/schedule.hpp"

namespace laconic {

struct Budget {
  double allowance = 0;       // of one encode on the way to a result
  double last_allowance = 0;  // of one encode of a result
  double worst_case = 0;      // of the result, <= the bound where the bound is on the result
  std::uint32_t terms = 1;    // errors of one encode that the result may hold
};

// What a sum is made of, in a message of the kind that the codec can travel as.
Travel travel_of(const Codec& codec, bool per_hop);

// The errors of one encode that a result may hold.
Terms terms_of(const Algorithm& algorithm, int size, Travel travel);

// `bound`: on the result (of the mean, when mean is set), or on every encode when per_input is set.
Budget divide_bound(double bound, bool per_input, Op op, bool mean, const Algorithm& algorithm, int size,
                    Travel travel);

}  // namespace laconic
