// SPDX-License-Identifier: BSD-3-Clause
// The files of the programs and libraries that call MPI, as small numbers: entries of a profile have one.
#pragma once

#include <cstdint>
#include <string>

namespace laconic::dropin {

using Caller = std::uint16_t;
inline constexpr Caller no_caller = 0;  // without a profile, or where the file is not known

// The file that has the return address of a call.
Caller caller_at(const void* site);
// The number of a name, here or from another rank.
Caller caller_named(const std::string& name);
// Without folders; empty for no_caller.
std::string name_of(Caller caller);

}  // namespace laconic::dropin
