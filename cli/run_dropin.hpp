// SPDX-License-Identifier: BSD-3-Clause
// The location of the drop-in library, checks whether a program can use it, and the start of a program with it.
#pragma once

#include <string>
#include <vector>

namespace laconic::cli {

inline constexpr const char* library_name = "liblaconic-mpi.so";

// The library that the user named, or the one beside this command, as installed or as built.  Throws Failure.
std::string find_library(const std::string& asked);

// Returns the reasons why the drop-in cannot be loaded in front of the MPI of a program.
std::vector<std::string> warnings_about(const std::string& program, const std::string& library);

// A word of a command for a shell, in quotes if it needs them.
std::string shell_word(const std::string& word);

// Becomes the command, with the drop-in and the variables LACONIC_... of this process for its ranks. Checks the
// settings first, so that a mistake is found before anything is started. `library`: as for find_library().
// `only_print`: prints the command and returns. Throws Failure.
void start_with_dropin(const std::vector<std::string>& command, const std::string& library, bool only_print);

}  // namespace laconic::cli
