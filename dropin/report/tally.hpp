// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the calls, by operation and communicator.
#pragma once

#include <laconic/laconic.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "calls/operation.hpp"
#include "core/bounds.hpp"
#include "report/reason.hpp"
#include "report/traffic.hpp"

namespace laconic::dropin {

inline constexpr std::size_t codecs = LACONIC_CODEC_DENSE + 1;  // by laconic_codec
inline constexpr std::size_t through_host_reasons = LACONIC_THROUGH_HOST_MPI + 1;

struct Tally {
  std::uint64_t calls = 0;
  std::uint64_t compressed = 0;
  std::array<std::uint64_t, reasons> plain{};
  std::uint64_t bytes = 0;  // this rank's contributions to compressed calls
  std::uint64_t sent = 0;
  std::uint64_t uncompressed = 0;
  double seconds = 0;  // time in compressed calls
  double bound = 0;
  double achieved = 0;
  std::uint64_t audits = 0;
  double error = 0;                                                // largest error found by an audit
  double plain_seconds = 0;                                        // time in the plain calls of audits
  std::array<std::uint64_t, codecs> by_codec{};                    // the compressed collectives with each codec
  std::array<std::uint64_t, through_host_reasons> through_host{};  // compressed calls by laconic_through_host
  std::uint64_t looked = 0;             // compressed calls whose numbers were compared with the bound
  std::uint64_t exceeds = 0;            // those of them whose bound exceeds the median magnitude
  std::vector<std::uint64_t> by_bound;  // the compressed calls with the bound of each item of LACONIC_BOUND
};

// The collective and the size of a class of calls of the tuner.
using ClassKey = std::pair<std::string, std::uint64_t>;

struct TallyGroup {
  std::string name;
  int ranks = 1;
  std::array<Tally, num_operations> by_operation{};
  // The tuner's classes of calls.  Each communicator has its own tuner.  Where several communicators have one name, the
  // group keeps the class of the communicator that made most calls.
  std::map<ClassKey, laconic_tuning> classes;
  TrafficTable traffic;  // empty without a report
};

class Tallies {
 public:
  static Tallies& instance();

  // The group of communicators with this name and size. The reference stays valid.
  TallyGroup& group(const std::string& name, int ranks);

  void plain(TallyGroup& group, Operation operation, Reason reason);
  void compressed(TallyGroup& group, Operation operation, const laconic_stats& stats, const CallBound& bound);
  void audited(TallyGroup& group, Operation operation, double error, double seconds);
  // Counts a call that contributes bytes, compressed or not.
  void carried(TallyGroup& group, const TrafficKey& of, std::uint64_t bytes, double seconds);
  // Whether the contents of the next call are to be looked at, and what was found.
  enum class Due : std::uint8_t { no, first, again };
  Due sample_due(TallyGroup& group, const TrafficKey& of);
  void sampled(TallyGroup& group, const TrafficKey& of, const Sample& sample);
  // Whether the numbers of the compressed call that was counted last are to be compared with its bound, and the result.
  bool look_due(TallyGroup& group, Operation operation);
  void looked(TallyGroup& group, Operation operation, bool exceeds);
  // Takes what the tuner of a communicator of this group knows now.
  void tuned(TallyGroup& group, MPI_Comm comm);

  // Adds the counts of an operation on any communicator to `tally` as well, until unwatch() is called.
  void watch(Operation operation, Tally& tally);
  void unwatch(Operation operation, Tally& tally);
  // Calls f() with the lock held, so that no tally changes during it.
  template <class F>
  void change(F f) {
    const std::lock_guard lock(mutex_);
    f();
  }

  // Serialises the tallies for other ranks: one line for each operation called on each communicator.
  std::string to_text();
  // Merges the lines of other ranks: bytes are summed; counts, times and errors are the maximum over the ranks.
  static void merge(const std::string& text, std::map<std::string, TallyGroup>& into);

 private:
  std::mutex mutex_;
  std::map<std::string, TallyGroup> groups_;
  std::array<std::vector<Tally*>, num_operations> watchers_;
  template <class F>
  void count(TallyGroup& group, Operation operation, F f);
};

}  // namespace laconic::dropin
