// SPDX-License-Identifier: BSD-3-Clause
// The command `laconic`. Every subcommand has its own file; this file has only the common part.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
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

// Prints help and the parser's complaint, on one rank.
int leave(const Session& session, const Application::Answer& answer) {
  if (session.speaks()) {
    fmt::print("{}", answer.out);
    fmt::print(stderr, "{}", answer.complaint);
  }
  return answer.failed ? exit_usage : 0;
}

// Writing the output can fail late, on a full disk or a closed pipe.
int finish_output(const Session& session) {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before) return 0;
  return complain(session, fmt::format("standard output: {}", std::generic_category().message(errno)), exit_failed);
}

int run(int argc, char** argv) {
  const Session session(argc, argv);
  try {
    Application app("laconic", "Error-bounded compressed communication for MPI.", "laconic " LACONIC_VERSION_TEXT);
    Command all = app.command();
    add_advise_command(all);
    add_bench_command(all);
    add_codec_command(all);
    add_doctor_command(all);
    add_explain_command(all);
    add_info_command(all);
    add_profile_command(all);
    add_run_command(all);
    add_tune_command(all);
    const auto commands = app.subcommands();
    if (argc > 1 && argv[1][0] != '-' && std::find(commands.begin(), commands.end(), argv[1]) == commands.end())
      return complain(session,
                      fmt::format("command '{}' is not valid; valid are {}", argv[1], fmt::join(commands, ", ")),
                      exit_usage);
    if (const auto answer = app.parse(argc, argv)) return leave(session, *answer);
  } catch (const Failure& failure) {
    return complain(session, failure.what(), failure.exit_code());
  } catch (const std::exception& error) {
    // This error may have occurred on this rank alone.
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
    return exit_failed;  // not even the error message could be made
  }
}
