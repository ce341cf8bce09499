// SPDX-License-Identifier: BSD-3-Clause
// The record of what was tried and what was found.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace attack {

// The journal of one rank.  CHECK() of tests/ranks/support.hpp reports to it.
class Journal {
 public:
  // Sets the case that is under way, for the reports that follow.
  void begin(std::string description) {
    description_ = std::move(description);
    found_ = 0;
    if (on_begin) on_begin(description_);
  }

  // Sets the description alone: the case goes on.
  void now(std::string description) {
    description_ = std::move(description);
    if (on_begin) on_begin(description_);
  }

  void fail(const char* file, int line, const std::string& message);

  // The faults of the case under way, on this rank.
  long long found() const { return found_; }
  const std::string& description() const { return description_; }

  std::function<void(const std::string&)> on_begin;

  // The text printed with each fault: the place, and how to reproduce it.
  std::string origin;

  bool quiet = false;  // faults are expected: they are counted and not printed

  // Counts by group and name, the same on all ranks except for values.
  void count(const std::string& group, const std::string& name, std::uint64_t by = 1) { counts_[group][name] += by; }
  std::uint64_t counted(const std::string& group, const std::string& name) { return counts_[group][name]; }
  const std::map<std::string, std::map<std::string, std::uint64_t>>& counts() const { return counts_; }

 private:
  std::string description_;
  long long found_ = 0;
  std::map<std::string, std::map<std::string, std::uint64_t>> counts_;
};

}  // namespace attack
