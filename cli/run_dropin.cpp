// SPDX-License-Identifier: BSD-3-Clause
#include "run_dropin.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "child.hpp"
#include "failure.hpp"
#include "run_launch.hpp"
#include "settings_info.hpp"

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

void print(const Launch& launch) {
  std::string line;
  for (const auto& [name, value] : launch.environment) line += name + "=" + shell_word(value) + " ";
  for (const std::string& word : launch.command) line += shell_word(word) + " ";
  fmt::print("{}\n", line.substr(0, line.size() - 1));
}

[[noreturn]] void become(const Launch& launch) {
  for (const auto& [name, value] : launch.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : launch.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  throw Failure(fmt::format("{} cannot be run: {}", launch.command.front(), std::strerror(errno)));
}

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

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=./:,@%") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void start_with_dropin(const std::vector<std::string>& command, const std::string& library, bool only_print) {
  Variables variables;
  // Checks first, so that a mistake is found before anything is started.
  if (const std::string problem = dropin_problem(); !problem.empty()) throw usage(problem);
  // Passes variables from the outer environment too, since the launcher may not forward them.
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.rfind("LACONIC_", 0) == 0)
      variables.emplace_back(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
  }
  std::string preload = find_library(library);
  std::vector<std::string> warnings = warnings_about(program_of(command), preload);
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0')
    preload += std::string(":") + others;
  variables.emplace_back("LD_PRELOAD", preload);
  const Launch job = launch(command, variables);
  warnings.insert(warnings.end(), job.warnings.begin(), job.warnings.end());
  for (const std::string& warning : warnings) fmt::print(stderr, "laconic: warning: {}\n", warning);
  if (only_print) return print(job);
  become(job);
}

}  // namespace laconic::cli
