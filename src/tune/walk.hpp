// SPDX-License-Identifier: BSD-3-Clause
// How long a collective on devices takes: a walk along the plans that lower() makes of its algorithm, so that a new
// algorithm needs no formula.
#pragma once

#include <cstddef>
#include <optional>

#include "schedule/schedule.hpp"
#include "tune/device_model.hpp"
#include "tune/hops.hpp"
#include "tune/task_graph.hpp"

namespace laconic {

// Between any two ranks, each of which has one way out and one way in.
struct Path {
  double latency = 5e-6;  // seconds, of a message
  double bytes_per_second = 12.5e9;
  double per_message = 1e-6;  // seconds that a sender is busy with each
};

struct Journey {
  double bytes = 0;  // of the whole data, before compression
  int size = 1;
  int root = 0;
  Travel travel = Travel::adding;
  double ratio = 1;  // of compression, of every frame
  int rows = 1;      // which share device and path: while one is on the wire another is coded
};

// Every kernel begins when all that it reads is there; kernels of one kind on the same hop are one launch where the
// coder says so, and then wait for the last of their messages.  What is left out: that ranks do not run ahead of their
// peers without limit, and congestion between paths.  Nothing where the plans are too large to be walked in a moment.
std::optional<Timing> time_of(const Algorithm& algorithm, const Journey& journey, const Coder& coder, const Path& path);

// The same where the plans have been made, for the size, root and travel of the journey.
std::optional<Timing> time_of(Collective collective, const Hops& hops, const Journey& journey, const Coder& coder,
                              const Path& path);

}  // namespace laconic
