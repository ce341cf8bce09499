// SPDX-License-Identifier: BSD-3-Clause
// The topics of the benchmark.
#pragma once

#include "machine.hpp"
#include "options.hpp"
#include "rows.hpp"

namespace laconic::bench {

// The kernels of every codec that has some.
void measure_kernels(const Machine& machine, const Options& options, Rows& rows);

// One launch for several arrays against one launch for a single one as long as all of them.
void measure_pieces(const Machine& machine, const Options& options, Rows& rows);

// Ranks in this process, all on one device.
void measure_allreduce(const Machine& machine, const Options& options, Rows& rows);

}  // namespace laconic::bench
