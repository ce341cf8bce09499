// SPDX-License-Identifier: BSD-3-Clause
// laconic profile: runs an unmodified MPI program without compression, and reports which settings would compress what
// it sends.
#include <fmt/format.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "child.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "run_dropin.hpp"
#include "run_launch.hpp"

namespace laconic::cli {
namespace {

struct Arguments {
  std::string exclude;
  std::string json;
  std::string library;
  bool print = false;
  std::vector<std::string> command;
};

std::string real_path(const std::string& path) {
  std::array<char, PATH_MAX> real{};
  return !path.empty() && realpath(path.c_str(), real.data()) != nullptr ? real.data() : path;
}

// The command line that the profile suggests, with a newline in place of the options.
std::string suggested(const Arguments& arguments) {
  const std::string own = own_file();
  std::string line = real_path(in_path("laconic")) == real_path(own) ? "laconic" : shell_word(own);
  line += " run";
  if (!arguments.library.empty()) line += " --library " + shell_word(arguments.library);
  line += "\n--";
  for (const std::string& word : arguments.command) line += ' ' + shell_word(word);
  return line;
}

// As settings of the drop-in that hold a command are written: launchers do not pass all characters on.
std::string encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                       c == '.' || c == '-' || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

void profile(const Arguments& arguments) {
  if (arguments.command.empty())
    throw usage("the command to run is missing, as in: laconic profile -- mpiexec -n 4 ./app");
  if (!arguments.exclude.empty()) setenv("LACONIC_EXCLUDE", arguments.exclude.c_str(), 1);
  setenv("LACONIC_REPORT", arguments.json.empty() ? "profile" : ("profile:json:" + arguments.json).c_str(), 1);
  setenv("LACONIC_PROFILE_COMMAND", encoded(suggested(arguments)).c_str(), 1);
  start_with_dropin(arguments.command, arguments.library, arguments.print);
}

}  // namespace

void add_profile_command(Command& app) {
  const auto arguments = std::make_shared<Arguments>();
  Command command =
      app.add_subcommand("profile", "Find the settings that compress what an unmodified MPI program sends");
  command.add_option("--exclude", arguments->exclude, "calls to leave to MPI, as in comm:io,site:libfftw*");
  command.add_option("--json", arguments->json, "Also write the profile to this file, as JSON");
  command.add_option("--library", arguments->library, fmt::format("{} of another build", library_name));
  command.add_flag("--print", arguments->print, "Print the command and do not run it");
  command.add_option("command", arguments->command, "The command to run, after --");
  command.footer("Example: laconic profile -- mpiexec -n 4 ./app");
  command.callback([arguments] { profile(*arguments); });
}

}  // namespace laconic::cli
