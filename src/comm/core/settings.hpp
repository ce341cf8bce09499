// SPDX-License-Identifier: BSD-3-Clause
// What the user asked for: options, hints and environment variables are three ways to write the same settings.
// A laconic_options holds them; 0 means that a field is left to the next source.
#pragma once

#include <mpi.h>

#include <string_view>
#include <utility>

#include "base/bound.hpp"
#include "base/status.hpp"
#include "laconic/laconic.h"

namespace laconic {

inline constexpr std::int64_t default_min_bytes = 65536;

// Sets the option `name` from text; an error leaves options as they were.
Status set_option(laconic_options& options, std::string_view name, std::string_view value);

// Checks every field as a caller may have filled it.
Status check_options(const laconic_options& options);

// Checks what fields mean together, once nothing is unset that any source has set.
Status check_together(const laconic_options& options);

// Fields that are unset in `options` from `fallback`.
void fill_unset(laconic_options& options, const laconic_options& fallback);

// Every variable LACONIC_*; unknown ones are errors.
Status read_environment(laconic_options& options);

// Every key laconic_*; unknown ones are errors.
Status read_info(MPI_Info info, laconic_options& options);

Bound bound_of(const laconic_options& options);

}  // namespace laconic
