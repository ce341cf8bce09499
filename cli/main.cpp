// SPDX-License-Identifier: BSD-3-Clause
// The command `laconic`. One file per subcommand; here only what is common to all.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <sstream>
#include <string>
#include <system_error>

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
int leave(const Session& session, CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out;
  std::ostringstream complaint;
  app.failure_message([](const CLI::App* command, const CLI::Error& e) {
    return fmt::format("laconic: {}\nRun with {} for more information.\n", e.what(),
                       command->get_help_ptr()->get_name());
  });
  const int code = app.exit(error, out, complaint);
  if (session.speaks()) {
    fmt::print("{}", out.str());
    fmt::print(stderr, "{}", complaint.str());
  }
  return code == 0 ? 0 : exit_usage;
}

// Writing the output can fail late, on a full disk or a closed pipe.
int finish_output(const Session& session) {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before) return 0;
  return complain(session, fmt::format("standard output: {}", std::generic_category().message(errno)), exit_failed);
}

int run(int argc, char** argv) {
  const Session session(argc, argv);
  CLI::App app("Error-bounded compressed communication for MPI.", "laconic");
  try {
    app.set_version_flag("--version", "laconic " LACONIC_VERSION_TEXT);
    app.require_subcommand(1);
    Command all(app);
    add_bench_command(all);
    add_codec_command(all);
    add_doctor_command(all);
    add_explain_command(all);
    add_info_command(all);
    add_run_command(all);
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
  return finish_output(session);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {
    return exit_failed;  // not even the message of what went wrong could be made
  }
}
