// SPDX-License-Identifier: BSD-3-Clause
// The profile of the process, which pins the decisions on calls (docs/tuning.md).
#pragma once

#include <string>

#include "base/status.hpp"
#include "tune/profile.hpp"

namespace laconic {

// Reads the profile, unless it has been read.  A process uses one: another file is an error.  May be called before
// MPI_Init, and by several threads.
Status use_profile(const std::string& file);

// nullptr if none has been read.  It stays until the process ends.
const Profile* used_profile();

}  // namespace laconic
