// SPDX-License-Identifier: BSD-3-Clause
// The settings that the library would read from this environment. They belong to the module comm, which needs MPI's
// headers; MPI is not initialised.
#pragma once

#include <string>
#include <vector>

namespace laconic::cli {

struct Setting {
  std::string name;
  std::string value;
  bool is_default = true;
  std::string source;  // source of a value that is not the default
};

// Throws Failure if the library would report an error. The result is empty in a build without MPI.
std::vector<Setting> environment_settings();

// The MPI library that this command was linked to.
std::string mpi_name();

// Returns the error that the drop-in would report about its environment. It is empty if there is none, or if this build
// has no drop-in.
std::string dropin_problem();

}  // namespace laconic::cli
