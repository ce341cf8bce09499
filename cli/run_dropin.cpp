// SPDX-License-Identifier: BSD-3-Clause
#include "run_dropin.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>

#include "child.hpp"
#include "failure.hpp"
#include "run_launch.hpp"

namespace laconic::cli {

std::string find_library(const std::string& asked) {
  if (!asked.empty()) {
    if (access(asked.c_str(), R_OK) == 0) return asked;
    throw usage(fmt::format("library '{}' cannot be read", asked));
  }
  const std::string own = own_file();
  const std::string here = own.substr(0, own.rfind('/'));
  std::string places;
  for (const char* folder : {"/../" LACONIC_CLI_LIBDIR, "/../lib", "/../lib64", "/../dropin"}) {
    const std::string candidate = here + folder + "/" + library_name;
    std::array<char, PATH_MAX> real{};
    if (realpath(candidate.c_str(), real.data()) != nullptr) return real.data();
    places += (places.empty() ? "" : ", ") + candidate;
  }
  throw Failure(fmt::format("{} was not found ({}); name it with --library", library_name, places));
}

namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, "; ")); }

}  // namespace

std::vector<std::string> warnings_about(const std::string& program, const std::string& library) {
  std::vector<std::string> warnings;
  const Linked theirs = linked_to(program);
  if (program.empty() || !theirs.is_program) return warnings;  // a script: the libraries it loads are not known
  const Linked ours = linked_to(library);
  if (theirs.libraries.empty() && theirs.holds_mpi)
    warnings.push_back(fmt::format("{} is statically linked to MPI; the drop-in cannot intercept its calls", program));
  if (theirs.libraries.empty() || ours.libraries.empty()) return warnings;
  if (theirs.libraries.front() != ours.libraries.front())
    warnings.push_back(fmt::format("{} uses {}, but {} was built for {}; use the Laconic that was built for its MPI",
                                   program, joined(theirs.libraries), library_name, joined(ours.libraries)));
  return warnings;
}

}  // namespace laconic::cli
