// SPDX-License-Identifier: BSD-3-Clause
// What the library would do for a collective call, without doing it: no MPI, no data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bound.hpp"
#include "base/dtype.hpp"
#include "base/op.hpp"
#include "codec/codec.hpp"
#include "engine/ledger.hpp"
#include "engine/plan.hpp"
#include "schedule/schedule.hpp"
#include "tune/choose.hpp"

namespace laconic::cli::explain {

struct Question {
  Collective collective = Collective::allreduce;
  std::string name;  // of the call, whose schedules are those of `collective`
  int ranks = 4;
  int rank = 0;
  bool rank_given = false;
  int root = 0;
  std::size_t bytes = 0;  // of the whole data: the largest buffer of the call
  Dtype dtype = Dtype::f32;
  const Codec* codec = nullptr;
  std::string codec_name;  // as it was asked for
  Bound bound;
  bool per_input = false;  // target input
  Op op = Op::sum;
  bool mean = false;
  std::string variant = "overlap";
  std::size_t chunk = 0;  // numbers per frame; 0: as the library chooses
  int depth = default_depth;
  Link link;         // of one message, for the prediction
  double ratio = 4;  // of compression, taken to be this
};

// An algorithm in the eyes of `auto` and over the given link.
struct Candidate {
  const Algorithm* algorithm = nullptr;
  Cost cost;
  Terms terms;
  bool weighed = false;      // by auto
  double auto_seconds = 0;   // with the constants that auto knows
  double seconds = 0;        // over the link, at the ratio
  double plain_seconds = 0;  // over the link, uncompressed
};

// What one rank does.
struct Work {
  Schedule schedule;
  Plan plan;
  std::array<std::size_t, 3> verbs{};  // of one row: send, receive, reduce
  std::size_t rows = 0;                // chunks of every block
  std::size_t chunk = 0;               // numbers per frame
  std::size_t depth = 0;               // rows under way at a time
  std::size_t largest = 0;             // numbers of the largest block
  std::size_t frames = 0;              // sent, in all rows
  double sent = 0;                     // bytes of the numbers in them
  double wire = 0;                     // bytes of the frames, at the ratio
  std::size_t memory = 0;              // for frames
};

struct Answer {
  const Algorithm* algorithm = nullptr;
  Travel travel = Travel::adding;
  Terms terms;
  Budget budget;            // in units of the range where the bound is relative
  bool budgeted = false;    // there is an error to divide
  bool worked_out = false;  // false where even one rank's plan is too large to be made unasked
  Work work;
};

Travel travel_in(const Question& question);
std::vector<Candidate> candidates(const Question& question);
const Algorithm& chosen_by_auto(const Question& question);
Answer answer(const Question& question, const Algorithm& algorithm);

}  // namespace laconic::cli::explain
