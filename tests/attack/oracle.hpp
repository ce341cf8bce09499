// SPDX-License-Identifier: BSD-3-Clause
// Whether the results of a call are what docs/error-model.md and laconic.h promise, by exact arithmetic.
#pragma once

#include <vector>

#include "journal.hpp"
#include "layout.hpp"

namespace attack {

// What is known of one call on a communicator.
struct Facts {
  const Call& call;
  const Layout& layout;
  int rank;
  int size;
  const std::vector<Bytes>& inputs;  // of every rank
};

// Checks the numbers of the receive buffer that are results.  `share`: of a result that all ranks hold with the same
// bits each looks at a part only.  Returns how many numbers were looked at.
std::size_t check_results(Journal& journal, const Facts& facts, const laconic_stats& stats, const unsigned char* recv,
                          bool share);

// Of the statistics, what the inputs decide.
void check_stats(Journal& journal, const Facts& facts, const laconic_stats& stats);

// Which results must have the same bits whatever the algorithm, chunks, depth, threads and instruction set: of codec
// quant, those that surely lie on the lattice.  By the order of layout.results.
std::vector<bool> pinned_results(const Facts& facts);

// The absolute error that the bound allows; infinite for those that are known after coding only.
double resolved_bound(const Facts& facts);

}  // namespace attack
