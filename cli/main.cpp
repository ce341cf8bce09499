// SPDX-License-Identifier: BSD-3-Clause
// The command `laconic`. One file per subcommand; here only what is common to all.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <sstream>
#include <string>

#include "commands.hpp"
#include "failure.hpp"
#include "session.hpp"

using namespace laconic::cli;

namespace {

int complain(const Session& session, const std::string& what, int exit_code) {
  if (session.speaks()) fmt::print(stderr, "laconic: {}\n", what);
  return exit_code;
}

// Help and what the parser has to say, from one rank.
int leave(const Session& session, const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out;
  std::ostringstream complaint;
  const int code = app.exit(error, out, complaint);
  if (session.speaks()) {
    fmt::print("{}", out.str());
    fmt::print(stderr, "{}", complaint.str());
  }
  return code == 0 ? 0 : exit_usage;
}

int run(int argc, char** argv) {
  const Session session(argc, argv);
  CLI::App app("Error-bounded compressed communication for MPI.", "laconic");
  try {
    app.set_version_flag("--version", "laconic " LACONIC_VERSION_TEXT);
    app.require_subcommand(1);
    add_bench_command(app);
    add_codec_command(app);
    add_explain_command(app);
    add_info_command(app);
    add_run_command(app);
    const auto commands = app.get_subcommands([](CLI::App*) { return true; });
    const auto named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), named)) {
      std::string names;
      for (const CLI::App* command : commands) names += (names.empty() ? "" : ", ") + command->get_name();
      return complain(session, fmt::format("command '{}' is not valid; valid are {}", argv[1], names), exit_usage);
    }
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return leave(session, app, error);
  } catch (const Failure& failure) {
    return complain(session, failure.what(), failure.exit_code());
  } catch (const std::exception& error) {
    // This rank alone may have come here.
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    fmt::print(stderr, "laconic: {}\n", memory ? "out of memory" : error.what());
    session.give_up(exit_failed);
    return exit_failed;
  }
  // What was printed may not have arrived: a full disk, a closed pipe.
  if (std::fflush(stdout) != 0) return complain(session, "the output cannot be written", exit_failed);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {
    return exit_failed;  // not even the message of what went wrong could be made
  }
}
