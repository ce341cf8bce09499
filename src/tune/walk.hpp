// SPDX-License-Identifier: BSD-3-Clause
// The predicted time of a collective on hosts or devices, from a walk along the plans that lower() makes of its
// algorithm, so that a new algorithm needs no formula.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "schedule/schedule.hpp"
#include "tune/chunk.hpp"
#include "tune/device_model.hpp"
#include "tune/hops.hpp"
#include "tune/task_graph.hpp"

namespace laconic {

// The network path between any two ranks.  Each rank has one outgoing and one incoming link; where messages within a
// node are told from others, the ranks of a node share the links to other nodes.
struct Path {
  double latency = 5e-6;  // seconds per message
  double bytes_per_second = 12.5e9;
  double per_message = 1e-6;  // seconds that a sender's link is busy with each message, whatever its size
  // Seconds that a rank's core is busy with each message besides coding its frames: it posts messages and looks for
  // those that arrive.
  double posting = 0;
  // The share of its rate that an incoming link loses for each further peer that sends at the same time, down to half
  // of the rate.
  double congestion = 0;
  // Up to this size MPI sends a message at once and keeps it for the receiver.  A larger one waits for its receive to
  // be posted.
  double eager_bytes = 64 << 10;
  // The ranks copy the messages themselves, as within a node, and do nothing else meanwhile.
  bool moved_by_ranks = false;
};

struct Journey {
  double bytes = 0;  // size of all the data, before compression
  int size = 1;
  int root = 0;
  Travel travel = Travel::homomorphic;
  double ratio = 1;  // compression ratio of every frame
  // Rows share device and path: while one is on the wire another is coded.  Beyond the number that is walked, the
  // time grows as it does between half as many and that many, but at least by what the busiest core or link needs.
  int rows = 1;
  std::uint32_t blocks_per_message = 1;
  // Rows under way at a time: another one begins on a rank when one has ended there.
  int depth = default_depth;
  // As the engine does on hosts: the actions of a row follow one another, a message begins when its receive has been
  // posted, and there are limits on running ahead (schedule.hpp).  Else whatever has its operands begins.
  bool in_order = false;
  // Where messages within a node are told from others (Hops::nodes()): the shape of the nodes, and the path between
  // ranks of one node where it is another than that between nodes.
  const NodeShape* nodes = nullptr;
  std::optional<Path> within{};
};

inline constexpr int most_walked_rows = 8;

// The predicted time of an operation.  Every kernel begins when all its operands are there.  Kernels of one kind on the
// same hop are one launch if the coder says so, and then wait for the last of their messages.  Returns nothing if the
// plans are too large to be walked quickly.
std::optional<Timing> time_of(const Algorithm& algorithm, const Journey& journey, const Coder& coder, const Path& path);

// The same for plans already made for the size, root, travel and messages of the journey.  most_rows: rows that are
// walked, at least 2.
std::optional<Timing> time_of(Collective collective, const Hops& hops, const Journey& journey, const Coder& coder,
                              const Path& path, int most_rows = most_walked_rows);

}  // namespace laconic
