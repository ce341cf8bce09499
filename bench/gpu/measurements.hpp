// SPDX-License-Identifier: BSD-3-Clause
// The topics of the benchmark.
#pragma once

#include "machine.hpp"
#include "options.hpp"
#include "rows.hpp"

namespace laconic::bench {

// The kernels of every codec that has kernels.
void measure_kernels(const Machine& machine, const Options& options, Rows& rows);

// One launch for several arrays, compared with one launch for a single array of the same total length.
void measure_pieces(const Machine& machine, const Options& options, Rows& rows);

// The codecs of others that this build has.
void measure_peers(const Machine& machine, const Options& options, Rows& rows);

// An allreduce of ranks in this process, all on one device.
void measure_allreduce(const Machine& machine, const Options& options, Rows& rows);

}  // namespace laconic::bench
