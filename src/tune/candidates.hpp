// SPDX-License-Identifier: BSD-3-Clause
// The candidates for a collective on hosts: algorithms, numbers of rows and efforts, with the times that the model
// predicts for them (walk.hpp), and plain MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/names.hpp"
#include "schedule/schedule.hpp"
#include "tune/chunk.hpp"
#include "tune/coding_cost.hpp"
#include "tune/walk.hpp"

namespace laconic {

struct Candidate {
  const Algorithm* algorithm = nullptr;
  int rows = 0;  // that blocks are cut into; 0: as choose_chunk() does
  Effort effort = Effort::light;
  double predicted = 0;  // seconds
  double measured = 0;   // seconds; 0: not measured
  Timing timing;         // how the predicted seconds divide, without the agreement that comes before
};

// The path between ranks of one node, where the ranks copy the data themselves, and between nodes.  Both are only
// where the model starts from: path_of() learns more from the time of a plain call.
Path path_within_node();
Path path_between_nodes();

// Calls of one kind, as far as all ranks know it.
struct CallModel {
  Collective collective = Collective::allreduce;
  double bytes = 0;  // size of the largest buffer, before compression
  // No rank knows the sizes of the others.  Calls of all sizes are one class; `bytes` is assumed until the ranks agree.
  bool any_size = false;
  int size = 1;
  const NodeShape* nodes = nullptr;  // where all ranks know it
  Travel travel = Travel::homomorphic;
  CodecName codec = CodecName::quant;  // unless the ranks choose dense; has no effect on times
  Effort effort = Effort::light;       // that the call may use; automatic: both
  std::size_t chunk = 0;               // numbers per frame, where the user asks for it; else 0
  int depth = default_depth;           // rows under way at a time
  bool relative = false;               // the bound is relative to the range of the numbers
  bool nonblocking = false;            // calls that teach each other alone, because they overlap
  bool persistent = false;             // starts of one persistent operation, which teach each other alone
  std::uint64_t settings = 0;          // a hash of the settings that matter for the time of a call
  WalkLimits limits = quick_walk;
  Path within = path_within_node();  // between ranks of a node, where messages within a node are told from others
  // The path is that of a cable, which the ranks of a node share.  Else it is that of a rank, as it follows from the
  // time of a plain call, and only algorithms that follow the nodes know of them.
  bool shared_cables = false;
};

// Sizes are rounded up to a power of two, so that similar calls are one class.
double class_bytes(double bytes);

// For each effort whose cost is known, all algorithms that serve the call, each with the number of rows that is
// predicted to be the fastest; the fastest first, but dense only where it gains clearly (clear_gain).  The fastest
// algorithm of an effort is there with the next smaller and larger number of rows, too.  Algorithms whose plans are too
// large to be walked are left out.
std::vector<Candidate> candidates(const CallModel& call, const CodingCosts& costs, const Path& path);

// The same algorithms without compression, but those that follow the nodes.  The first is the model of MPI's own
// collective.
std::vector<Candidate> uncompressed_candidates(const CallModel& call, const Path& path);

// The path on which MPI's own collective would take `seconds`.  `start`: the path as far as it is known.
Path path_of(const CallModel& call, double seconds, const Path& start);

}  // namespace laconic
