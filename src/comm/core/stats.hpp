// SPDX-License-Identifier: BSD-3-Clause
// Statistics of one call, and their sums over the calls on a communicator.
#pragma once

#include <cstddef>

#include "base/sized.hpp"
#include "comm/core/known_options.hpp"
#include "laconic/laconic.h"
#include "tune/message_tuner.hpp"
#include "tune/tuner.hpp"

namespace laconic {

laconic_stats empty_stats();

// Where an application wants the statistics of a call, and the size of the struct that it has there.
struct StatsSink {
  laconic_stats* to = nullptr;  // nullptr: nowhere
  std::size_t size = 0;

  void write(const laconic_stats& stats) const {
    if (to != nullptr) write_sized(stats, to, size);
  }
};

// Returns where to write the statistics of a call.  Options may be invalid; then there is no sink.
inline StatsSink sink_of(const laconic_options& options) {
  if (options.size != sizeof options || !is_size_of_stats(options.stats_size)) return {};
  return {options.stats, options.stats_size};
}

// What is known about a class of calls, for the application.
laconic_tuning tuning_of(const CallClass& known);
laconic_tuning tuning_of(const MessageClass& known);

// Counts a call that was left to MPI, as accumulate() of its statistics would.
inline void count_plain(laconic_stats& stats, laconic_plain_reason reason, std::size_t bytes_in, double seconds) {
  ++stats.calls;
  ++stats.plain_calls;
  stats.plain_reason = reason;
  stats.bytes_in += bytes_in;
  stats.seconds_other += seconds;
  stats.seconds_total += seconds;
}

// Adds one call to a total.
void accumulate(laconic_stats& total, const laconic_stats& call);

}  // namespace laconic
