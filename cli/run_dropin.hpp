// SPDX-License-Identifier: BSD-3-Clause
// The location of the drop-in library, and checks whether a program can use it.
#pragma once

#include <string>
#include <vector>

namespace laconic::cli {

inline constexpr const char* library_name = "liblaconic-mpi.so";

// The library that the user named, or the one beside this command, as installed or as built.  Throws Failure.
std::string find_library(const std::string& asked);

// Returns the reasons why the drop-in cannot be loaded in front of the MPI of a program.
std::vector<std::string> warnings_about(const std::string& program, const std::string& library);

}  // namespace laconic::cli
