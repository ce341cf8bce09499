// SPDX-License-Identifier: BSD-3-Clause
// The command `laconic`. One file per subcommand; here only what is common to all.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

#include "commands.hpp"
#include "failure.hpp"

namespace {

int complain(const std::string& what, int exit_code) {
  fmt::print(stderr, "laconic: {}\n", what);
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace laconic::cli;
  CLI::App app("Error-bounded compressed communication for MPI.", "laconic");
  try {
    app.set_version_flag("--version", "laconic " LACONIC_VERSION_TEXT);
    app.require_subcommand(1);
    add_codec_command(app);
    add_info_command(app);
    const auto commands = app.get_subcommands([](CLI::App*) { return true; });
    const auto named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), named)) {
      std::string names;
      for (const CLI::App* command : commands) names += (names.empty() ? "" : ", ") + command->get_name();
      return complain(fmt::format("command '{}' is not valid; valid are {}", argv[1], names), exit_usage);
    }
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_usage;
  } catch (const Failure& failure) {
    return complain(failure.what(), failure.exit_code());
  } catch (const std::bad_alloc&) {
    return complain("out of memory", exit_failed);
  } catch (const std::exception& error) {
    return complain(error.what(), exit_failed);
  }
  // What was printed may not have arrived: a full disk, a closed pipe.
  if (std::fflush(stdout) != 0) return complain("the output cannot be written", exit_failed);
  return 0;
}
