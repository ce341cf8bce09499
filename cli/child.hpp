// SPDX-License-Identifier: BSD-3-Clause
// Commands that are run for what they say.
#pragma once

#include <string>
#include <vector>

namespace laconic::cli {

struct Said {
  std::string text;        // on both streams
  bool started = false;    // false: it cannot be run
  bool timed_out = false;  // it and all that it started were ended
  int code = -1;           // exit code; -1: it was not started, or ended by a signal

  bool good() const { return started && !timed_out && code == 0; }
};

// In a process group of its own, with nothing to read. environment: "NAME=value" each.
Said ask(const std::vector<std::string>& words, const std::vector<std::string>& environment, double seconds);

// In the environment of this process.
Said ask(const std::vector<std::string>& words, double seconds = 30);

// This process's, but for names that begin with `prefix`.
std::vector<std::string> environment_without(const std::string& prefix);

// The file of this command.
std::string own_file();

}  // namespace laconic::cli
