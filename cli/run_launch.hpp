// SPDX-License-Identifier: BSD-3-Clause
// What `laconic run` knows of launchers and programs: how settings reach the ranks, and which MPI a program uses.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace laconic::cli {

// A program as execvp would find it; empty if it would not.
std::string in_path(const std::string& word);

enum class Launcher { hydra, open_mpi, srun, unknown };

// Which family a launcher belongs to, from its name and from what it says about itself. `unknown` also where the
// command is the program itself.
Launcher launcher_of(const std::string& command);
const char* name_of(Launcher launcher);

using Variables = std::vector<std::pair<std::string, std::string>>;

struct Launch {
  std::vector<std::string> command;
  Variables environment;              // of the launcher itself
  std::vector<std::string> warnings;  // what may keep the settings from the ranks
};

// The command that starts the ranks with these variables. Where the launcher can be told, the variables are for the
// ranks alone.
Launch launch(const std::vector<std::string>& command, const Variables& variables);

// What a file is linked to of MPI: the names of libraries and where they were found ("libmpi.so.12 => /usr/lib/...").
struct Linked {
  bool is_program = false;               // something that can be loaded
  bool holds_mpi = false;                // it has functions of MPI in itself
  std::vector<std::string> libraries{};  // names of MPI libraries that it loads
};
Linked linked_to(const std::string& file);

// The program among the words of a command; empty if none is found.
std::string program_of(const std::vector<std::string>& command);

}  // namespace laconic::cli
