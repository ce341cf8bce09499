// SPDX-License-Identifier: BSD-3-Clause
// What LACONIC_REPORT prints.
#pragma once

#include "core/settings.hpp"
#include "report/tally.hpp"

namespace laconic::dropin {

// At the end: of all ranks, by rank 0 of MPI_COMM_WORLD. Collective over it.
void report_all(const Settings& settings);

// What this rank knows, where the ranks do not come together any more, and perhaps MPI is gone.
void report_own(const Settings& settings);

// One call, as it has ended.
void report_call(const TallyGroup& group, Operation operation, Form form, std::uint64_t bytes,
                 const laconic_stats& stats);

}  // namespace laconic::dropin
