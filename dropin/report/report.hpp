// SPDX-License-Identifier: BSD-3-Clause
// The output of LACONIC_REPORT.
#pragma once

#include "core/settings.hpp"
#include "report/tally.hpp"

namespace laconic::dropin {

// The report at the end of the program: rank 0 of MPI_COMM_WORLD prints it for all ranks. Collective over
// MPI_COMM_WORLD.
void report_all(const Settings& settings);

// The report of this rank alone, if the program ends without MPI_Finalize. Calls no MPI function, because MPI may be
// unusable by then.
void report_own(const Settings& settings);

// The report of one call, printed when it has completed.
void report_call(const TallyGroup& group, Operation operation, Form form, std::uint64_t bytes,
                 const laconic_stats& stats, const CallBound& bound);

}  // namespace laconic::dropin
