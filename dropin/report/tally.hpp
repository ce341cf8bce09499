// SPDX-License-Identifier: BSD-3-Clause
// What is counted of the calls, by operation and communicator.
#pragma once

#include <laconic/laconic.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "calls/operation.hpp"

namespace laconic::dropin {

// Why a call was left to MPI.
enum class Reason : std::uint8_t {
  touched,  // it was not
  no_bound,
  rule,
  type,
  op,
  small,
  one_rank,
  itself,
  intercomm,
  foreign,
  differ,
  asked,
  audit,
  arguments,
  memory,
  longer,
  threads,
  form,
  device,
  unprepared,
  refused
};

inline constexpr std::size_t reasons = 21;

// In words, for reports.
const char* text_of(Reason reason);
const char* key_of(Reason reason);

struct Tally {
  std::uint64_t calls = 0;
  std::uint64_t compressed = 0;
  std::array<std::uint64_t, reasons> plain{};
  std::uint64_t bytes = 0;  // of this rank's contributions to calls that were compressed
  std::uint64_t sent = 0;
  std::uint64_t uncompressed = 0;
  double seconds = 0;  // in calls that were compressed
  double bound = 0;
  double achieved = 0;
  std::uint64_t audits = 0;
  double error = 0;          // largest found by an audit
  double plain_seconds = 0;  // of the plain calls of audits
};

struct TallyGroup {
  std::string name;
  int ranks = 1;
  std::array<Tally, num_operations> by_operation{};
};

class Tallies {
 public:
  static Tallies& instance();

  // Of a communicator of this name and size; it stays where it is.
  TallyGroup& group(const std::string& name, int ranks);

  void plain(TallyGroup& group, Operation operation, Reason reason);
  void compressed(TallyGroup& group, Operation operation, const laconic_stats& stats);
  void audited(TallyGroup& group, Operation operation, double error, double seconds);

  // What is counted of an operation on any communicator is counted here, too, until it is no longer wanted.
  void watch(Operation operation, Tally& tally);
  void unwatch(Operation operation, Tally& tally);
  // Calls f() while nothing is counted.
  template <class F>
  void change(F f) {
    const std::lock_guard lock(mutex_);
    f();
  }

  // One line for each operation of each communicator that was called, for other ranks to read.
  std::string to_text();
  // Adds the lines of another rank: counts are the most of any rank, bytes are those of all.
  static void merge(const std::string& text, std::map<std::string, TallyGroup>& into);

 private:
  std::mutex mutex_;
  std::map<std::string, TallyGroup> groups_;
  std::array<std::vector<Tally*>, num_operations> watchers_;
  template <class F>
  void count(TallyGroup& group, Operation operation, F f);
};

}  // namespace laconic::dropin
