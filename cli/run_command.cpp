// SPDX-License-Identifier: BSD-3-Clause
// laconic run: starts an unmodified MPI program with the drop-in in front of its MPI library.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "failure.hpp"
#include "run_dropin.hpp"
#include "run_launch.hpp"
#include "settings_info.hpp"

namespace laconic::cli {
namespace {

// Options that become environment variables.
struct Option {
  const char* flag;
  const char* variable;
  const char* help;
};
constexpr std::array<Option, 18> options{{
    {"--bound", "LACONIC_BOUND", "abs:E, rel:E, rms:E, rate:B or lossless; without a bound no call is compressed"},
    {"--target", "LACONIC_TARGET", "numbers that the bound applies to: result, input or likely"},
    {"--codec", "LACONIC_CODEC", "a codec that laconic info lists"},
    {"--effort", "LACONIC_EFFORT",
     "auto: frames as small as make calls faster; light: codec quant; dense: codec dense (docs/tuning.md)"},
    {"--algorithm", "LACONIC_ALGORITHM", "an algorithm that laconic info lists"},
    {"--variant", "LACONIC_VARIANT", "overlap, or for comparison nd, cpr-p2p, host-centric, plain"},
    {"--denormals", "LACONIC_DENORMALS", "treatment of denormal numbers: round or exact (docs/drop-in.md)"},
    {"--checksum", "LACONIC_CHECKSUM", "checksums of frames: on or off (docs/settings.md)"},
    {"--tune", "LACONIC_TUNE",
     "on: leave calls to MPI that are faster without compression; off; a file of laconic tune (docs/tuning.md)"},
    {"--chunk-elements", "LACONIC_CHUNK_ELEMENTS", "numbers per frame"},
    {"--depth", "LACONIC_DEPTH", "chunks under way at a time"},
    {"--threads", "LACONIC_THREADS", "threads that encode and decode"},
    {"--min-bytes", "LACONIC_MIN_BYTES", "calls with fewer bytes are left to MPI"},
    {"--include", "LACONIC_INCLUDE", "further calls to compress, as in bcast,alltoall (docs/drop-in.md)"},
    {"--p2p", "LACONIC_P2P", "1: also compress messages between two ranks"},
    {"--exclude", "LACONIC_EXCLUDE", "calls to leave to MPI, as in comm:io,site:libfftw*"},
    {"--report", "LACONIC_REPORT", "report at the end: summary, each or json:FILE"},
    {"--audit", "LACONIC_AUDIT",
     "N: also make every Nth call plainly; N:plain: and the program keeps the plain result"},
}};

struct Arguments {
  std::array<std::string, options.size()> values;
  std::string library;
  bool print = false;
  std::vector<std::string> command;
};

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=./:,@%") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void print(const Launch& launch) {
  std::string line;
  for (const auto& [name, value] : launch.environment) line += name + "=" + quoted(value) + " ";
  for (const std::string& word : launch.command) line += quoted(word) + " ";
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

void run(const Arguments& arguments) {
  const std::vector<std::string>& command = arguments.command;
  if (command.empty())
    throw usage("the command to run is missing, as in: laconic run --bound rel:1e-4 -- mpiexec -n 4 ./app");
  Variables variables;
  for (std::size_t k = 0; k < options.size(); ++k)
    if (!arguments.values[k].empty()) setenv(options[k].variable, arguments.values[k].c_str(), 1);
  // Checks first, so that a mistake is found before anything is started.
  if (const std::string problem = dropin_problem(); !problem.empty()) throw usage(problem);
  // Passes variables from the outer environment too, since the launcher may not forward them.
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.rfind("LACONIC_", 0) == 0)
      variables.emplace_back(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
  }
  std::string preload = find_library(arguments.library);
  std::vector<std::string> warnings = warnings_about(program_of(command), preload);
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0')
    preload += std::string(":") + others;
  variables.emplace_back("LD_PRELOAD", preload);
  const Launch job = launch(command, variables);
  warnings.insert(warnings.end(), job.warnings.begin(), job.warnings.end());
  for (const std::string& warning : warnings) fmt::print(stderr, "laconic: warning: {}\n", warning);
  if (arguments.print) return print(job);
  become(job);
}

}  // namespace

void add_run_command(Command& app) {
  const auto arguments = std::make_shared<Arguments>();
  Command command = app.add_subcommand("run", "Run an unmodified MPI program with its collectives compressed");
  for (std::size_t k = 0; k < options.size(); ++k)
    command.add_option(options[k].flag, arguments->values[k], options[k].help);
  command.add_option("--library", arguments->library, fmt::format("{} of another build", library_name));
  command.add_flag("--print", arguments->print, "Print the command and do not run it");
  command.add_option("command", arguments->command, "The command to run, after --");
  command.footer("Example: laconic run --bound rel:1e-4 --report summary -- mpiexec -n 4 ./app");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace laconic::cli
