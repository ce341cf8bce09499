// SPDX-License-Identifier: BSD-3-Clause
// laconic run: starts an unmodified MPI program with the drop-in in front of its MPI library.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "failure.hpp"
#include "run_dropin.hpp"

namespace laconic::cli {
namespace {

// Options that become environment variables.
struct Option {
  const char* flag;
  const char* variable;
  const char* help;
};
constexpr std::array<Option, 18> options{{
    {"--bound", "LACONIC_BOUND",
     "abs:E, rel:E, range:E, block:E, rms:E, rate:B or lossless, or a list as in send=abs:1e-9,rel:1e-6 "
     "(docs/drop-in.md); without a bound no call is compressed"},
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
    {"--include", "LACONIC_INCLUDE",
     "further calls to compress, as in bcast,alltoall, or all, messages too (docs/drop-in.md)"},
    {"--p2p", "LACONIC_P2P",
     "1: also compress messages between two ranks; 0: leave them to MPI, whatever --include says"},
    {"--exclude", "LACONIC_EXCLUDE", "calls to leave to MPI, as in comm:io,site:libfftw*"},
    {"--report", "LACONIC_REPORT",
     "report at the end: summary, each, json:FILE or html:FILE; laconic profile has one of its own"},
    {"--audit", "LACONIC_AUDIT",
     "N: also make every Nth call plainly; N:plain: and the program keeps the plain result"},
}};

struct Arguments {
  std::array<std::string, options.size()> values;
  std::string library;
  bool print = false;
  std::vector<std::string> command;
};

void run(const Arguments& arguments) {
  const std::vector<std::string>& command = arguments.command;
  if (command.empty())
    throw usage("the command to run is missing, as in: laconic run --bound rel:1e-4 -- mpiexec -n 4 ./app");
  for (std::size_t k = 0; k < options.size(); ++k)
    if (!arguments.values[k].empty()) setenv(options[k].variable, arguments.values[k].c_str(), 1);
  start_with_dropin(command, arguments.library, arguments.print);
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
