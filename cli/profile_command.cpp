// SPDX-License-Identifier: BSD-3-Clause
// laconic profile and laconic advise: run an unmodified MPI program without compression, and report which settings
// would compress what it sends, and what each bound would do.
#include <fmt/format.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "child.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "options.hpp"
#include "run_dropin.hpp"
#include "run_launch.hpp"

namespace laconic::cli {
namespace {

struct Arguments {
  std::string name;    // of the subcommand
  std::string report;  // LACONIC_REPORT
  std::optional<double> error;
  std::optional<double> psnr;
  std::optional<double> saved;
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

// The value of LACONIC_ADVICE; the drop-in checks it.
std::string goal_of(const Arguments& arguments) {
  std::string goal;
  for (const auto& [name, value] :
       {std::pair{"error", arguments.error}, {"psnr", arguments.psnr}, {"saved", arguments.saved}}) {
    if (!value) continue;
    if (!goal.empty()) throw usage("--error, --psnr and --saved: only one of them can be given");
    goal = fmt::format("{}:{}", name, *value);
  }
  return goal;
}

void profile(const Arguments& arguments) {
  if (arguments.command.empty())
    throw usage(fmt::format("the command to run is missing, as in: laconic {} -- mpiexec -n 4 ./app", arguments.name));
  if (!arguments.exclude.empty()) setenv("LACONIC_EXCLUDE", arguments.exclude.c_str(), 1);
  setenv("LACONIC_REPORT", (arguments.report + (arguments.json.empty() ? "" : ":json:" + arguments.json)).c_str(), 1);
  if (const std::string goal = goal_of(arguments); !goal.empty()) setenv("LACONIC_ADVICE", goal.c_str(), 1);
  setenv("LACONIC_PROFILE_COMMAND", encoded(suggested(arguments)).c_str(), 1);
  start_with_dropin(arguments.command, arguments.library, arguments.print);
}

void add_command(Command& command, const std::shared_ptr<Arguments>& arguments) {
  command.add_option("--exclude", arguments->exclude, "calls to leave to MPI, as in comm:io,site:libfftw*");
  command.add_option("--json", arguments->json,
                     fmt::format("Also write the {} to this file, as JSON", arguments->report));
  command.add_option("--library", arguments->library, fmt::format("{} of another build", library_name));
  command.add_flag("--print", arguments->print, "Print the command and do not run it");
  command.add_option("command", arguments->command, "The command to run, after --");
  command.footer(fmt::format("Example: laconic {} -- mpiexec -n 4 ./app", arguments->name));
  command.callback([arguments] { profile(*arguments); });
}

}  // namespace

void add_profile_command(Command& app) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->name = arguments->report = "profile";
  Command command =
      app.add_subcommand(arguments->name, "Find the settings that compress what an unmodified MPI program sends");
  add_command(command, arguments);
}

void add_advise_command(Command& app) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->name = "advise";
  arguments->report = "advice";
  Command command = app.add_subcommand(arguments->name, "Choose a bound for what an unmodified MPI program sends");
  add_real(command, "--error", arguments->error, false, "The largest error, as a share of the range of the numbers")
      .type_name("R");
  add_real(command, "--psnr", arguments->psnr, false, "The least PSNR of samples").type_name("DB");
  add_real(command, "--saved", arguments->saved, false, "Bytes to save at least").type_name("PERCENT");
  add_command(command, arguments);
}

}  // namespace laconic::cli
