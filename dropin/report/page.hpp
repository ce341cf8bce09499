// SPDX-License-Identifier: BSD-3-Clause
// The report as a page of HTML, LACONIC_REPORT=html:FILE.
#pragma once

#include <cstdio>

#include "core/settings.hpp"
#include "report/coverage.hpp"
#include "report/figures.hpp"

namespace laconic::dropin {

// Writes one page that fetches nothing from elsewhere and runs no script.  complete: it is of all ranks.
void write_page(std::FILE* out, const Settings& settings, const Groups& groups, const Coverage& coverage,
                bool complete);

}  // namespace laconic::dropin
