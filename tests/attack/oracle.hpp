// SPDX-License-Identifier: BSD-3-Clause
// Checks by exact arithmetic that the results of a call are as docs/error-model.md and laconic.h promise.
#pragma once

#include <vector>

#include "journal.hpp"
#include "layout.hpp"

namespace attack {

// The known facts of one call on a communicator.
struct Facts {
  const Call& call;
  const Layout& layout;
  int rank;
  int size;
  const std::vector<Bytes>& inputs;  // the inputs of every rank
};

// Checks the numbers of the receive buffer that are results.  `share`: all ranks hold the result with the same bits, so
// each rank checks only a part of it.  Returns the count of numbers checked.
std::size_t check_results(Journal& journal, const Facts& facts, const laconic_stats& stats, const unsigned char* recv,
                          bool share);

// Checks the part of the statistics that the inputs determine.
void check_stats(Journal& journal, const Facts& facts, const laconic_stats& stats);

// The results that must have the same bits whatever the algorithm, chunks, depth, threads and instruction set: for the
// codec quant, those that surely lie on the lattice.  In the order of layout.results.
std::vector<bool> pinned_results(const Facts& facts);

// The absolute error that the bound allows; infinite for bounds that are known only after coding.
double resolved_bound(const Facts& facts);

}  // namespace attack
