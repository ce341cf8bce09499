// SPDX-License-Identifier: BSD-3-Clause
// The knowledge of `laconic run` about launchers and programs: the way settings reach the ranks, and the MPI library
// that a program uses.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace laconic::cli {

// The path at which execvp would find a program; empty if it would not find it.
std::string in_path(const std::string& word);

enum class Launcher { hydra, open_mpi, srun, unknown };

// The family of a launcher, from its name and the output of --version. The result is `unknown` also if the command is
// the program itself.
Launcher launcher_of(const std::string& command);
const char* name_of(Launcher launcher);

using Variables = std::vector<std::pair<std::string, std::string>>;

struct Launch {
  std::vector<std::string> command;
  Variables environment;              // environment of the launcher itself
  std::vector<std::string> warnings;  // reasons why the settings may not reach the ranks
};

// The command that starts the ranks with these variables. If the launcher has an option for it, only the ranks get the
// variables.
Launch launch(const std::vector<std::string>& command, const Variables& variables);

// The MPI libraries that a file is linked to, with the places where they were found ("libmpi.so.12 => /usr/lib/...").
struct Linked {
  bool is_program = false;               // a file that can be loaded
  bool holds_mpi = false;                // it contains functions of MPI
  std::vector<std::string> libraries{};  // names of MPI libraries that it loads
};
Linked linked_to(const std::string& file);

// The word of a command that is the program; empty if none is found.
std::string program_of(const std::vector<std::string>& command);

}  // namespace laconic::cli
