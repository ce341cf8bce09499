// The error ledger: how large an error one encode may make, so that the result keeps its bound
// (docs/error-model.md).
#pragma once

#include <cstdint>

#include "base/op.hpp"
#include "codec/codec.hpp"
#include "schedule/schedule.hpp"

namespace laconic {

struct Budget {
  double allowance = 0;     // of one encode
  double worst_case = 0;    // of the result, <= the bound where the bound is on the result
  std::uint32_t terms = 1;  // errors of one encode that the result may hold
};

// `bound`: on the result (of the mean, when mean is set), or on every rank's contribution when per_input is set.
Budget divide_bound(double bound, bool per_input, Op op, bool mean, const Algorithm& algorithm, int size,
                    const Codec& codec);

}  // namespace laconic
