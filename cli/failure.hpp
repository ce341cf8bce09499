// SPDX-License-Identifier: BSD-3-Clause
// The exception with which a command ends: a message for the user, and the exit code for scripts.
#pragma once

#include <stdexcept>
#include <string>

#include "base/status.hpp"

namespace laconic::cli {

inline constexpr int exit_failed = 1;  // files, memory, frames
inline constexpr int exit_usage = 2;   // the request is invalid

class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& message, int exit_code = exit_failed)
      : std::runtime_error(message), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

inline Failure usage(const std::string& message) { return Failure(message, exit_usage); }

inline void require(const Status& status, const std::string& what) {
  if (!status) throw Failure(what + ": " + status.message());
}

}  // namespace laconic::cli
