// SPDX-License-Identifier: BSD-3-Clause
// The user's settings: options, hints and environment variables are three ways to write the same settings.  A
// laconic_options holds them; 0 means that a field is left to the next source.
#pragma once

#include <mpi.h>

#include <string_view>
#include <utility>

#include "base/bound.hpp"
#include "base/status.hpp"
#include "laconic/laconic.h"

namespace laconic {

// Calls that are smaller are left to MPI, unless the user asks for others.  Where the ranks learn which calls are
// faster compressed, smaller calls may be, except within a node, where even the tuner's few instructions would show.
inline constexpr std::int64_t default_min_bytes = 65536;
inline constexpr std::int64_t default_min_bytes_tuned = 16384;

// Sets the option `name` from text; an error leaves options as they were.
Status set_option(laconic_options& options, std::string_view name, std::string_view value);

// Checks every field, because a caller may have set it to any value.
Status check_options(const laconic_options& options);

// Checks that codec and effort do not contradict each other.
Status check_effort(const laconic_options& options);

// Checks that the fields fit together, after the settings of all sources have been merged.
Status check_together(const laconic_options& options);

// The error for options->plain in a call that cannot leave the MPI call to its caller.
Status plain_not_allowed();

// Takes the fields that are unset in `options` from `fallback`.
void fill_unset(laconic_options& options, const laconic_options& fallback);

// Reads every variable LACONIC_*; unknown ones are errors.  After an error, the valid ones are still taken.
Status read_environment(laconic_options& options);

// Reads every key laconic_*, in the same way.
Status read_info(MPI_Info info, laconic_options& options);

Bound bound_of(const laconic_options& options);

}  // namespace laconic
