// SPDX-License-Identifier: BSD-3-Clause
// Runs commands and captures their output.
#pragma once

#include <string>
#include <vector>

namespace laconic::cli {

struct Said {
  std::string text;        // output of both streams
  bool started = false;    // false: the command cannot be run
  bool timed_out = false;  // the command and its child processes were ended
  int code = -1;           // exit code; -1: the command was not started, or a signal ended it

  bool good() const { return started && !timed_out && code == 0; }
};

// Runs a command in its own process group, with empty input. Every entry of `environment` is "NAME=value".
Said ask(const std::vector<std::string>& words, const std::vector<std::string>& environment, double seconds);

// Runs a command in the environment of this process.
Said ask(const std::vector<std::string>& words, double seconds = 30);

// The environment of this process without the names that begin with `prefix`.
std::vector<std::string> environment_without(const std::string& prefix);

// The path of this executable.
std::string own_file();

}  // namespace laconic::cli
