// SPDX-License-Identifier: BSD-3-Clause
// The candidates for a collective on hosts: algorithms, with the times that the model predicts for them (walk.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/schedule.hpp"
#include "tune/coding_cost.hpp"
#include "tune/walk.hpp"

namespace laconic {

struct Candidate {
  const Algorithm* algorithm = nullptr;
  double predicted = 0;  // seconds
  double measured = 0;   // seconds; 0: not measured
};

// Calls of one kind, as far as all ranks know it.
struct CallModel {
  Collective collective = Collective::allreduce;
  double bytes = 0;      // size of the largest buffer, before compression
  bool partial = false;  // ranks see different counts, and `bytes` stands for any size
  int size = 1;
  Travel travel = Travel::homomorphic;
  int depth = 4;
  bool relative = false;       // the bound is relative to the range of the numbers
  std::uint64_t settings = 0;  // a hash of the settings that matter for the time of a call
};

// The path between ranks of one node, where the ranks copy the data themselves, and between nodes.  Both are only
// where the model starts from: path_of() learns more from the time of a plain call.
Path path_within_node();
Path path_between_nodes();

// The path on which MPI's own collective would take `seconds`, if it used the fastest of our algorithms without
// compression.  `start`: the path as far as it is known.
Path path_of(const CallModel& call, double seconds, const Path& start);

// All algorithms that serve the call, the fastest first.
std::vector<Candidate> candidates(const CallModel& call, const CodingCost& cost, const Path& path);

}  // namespace laconic
