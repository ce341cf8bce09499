// SPDX-License-Identifier: BSD-3-Clause
// Sums of many ranks in this process.
#pragma once

#include <string>

#include "data.hpp"
#include "trial.hpp"

namespace laconic::sweep {

// Adds up parts of a field on 64 ranks (quick: 16), with relative bounds from 1e-2 to 1e-6, every algorithm of an
// allreduce, every set of kernels of `quant` and chunks of two sizes.  All results must be within the bound, and have
// the same bits on all ranks and in all these ways.  Returns false when the file cannot be read.
bool try_many_ranks(const std::string& path, const Extent& extent, Tally& tally);

}  // namespace laconic::sweep
