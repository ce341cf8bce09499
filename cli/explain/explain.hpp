// SPDX-License-Identifier: BSD-3-Clause
// Predicts the behaviour of the library for a collective call, without MPI and without data.
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
  std::string name;  // name of the call, whose schedules are those of `collective`
  int ranks = 4;
  int rank = 0;
  bool rank_given = false;
  int root = 0;
  std::size_t bytes = 0;  // size of the whole data: the largest buffer of the call
  Dtype dtype = Dtype::f32;
  const Codec* codec = nullptr;
  std::string codec_name;  // as the user spelled it
  Bound bound;
  bool per_input = false;  // target input
  Op op = Op::sum;
  bool mean = false;
  std::string variant = "overlap";
  std::size_t chunk = 0;  // numbers per frame; 0: chosen by the library
  int depth = default_depth;
  Link link;         // link for one message, for the prediction
  double ratio = 4;  // assumed compression ratio
};

// An algorithm with its cost according to `auto` and its time over the given link.
struct Candidate {
  const Algorithm* algorithm = nullptr;
  Cost cost;
  Terms terms;
  bool weighed = false;      // whether auto considers it
  double auto_seconds = 0;   // time with the constants of auto
  double seconds = 0;        // time over the link, at the ratio
  double plain_seconds = 0;  // time over the link, uncompressed
};

// The work of one rank.
struct Work {
  Schedule schedule;
  Plan plan;
  std::array<std::size_t, 3> verbs{};  // steps of one row: send, receive, reduce
  std::size_t rows = 0;                // chunks of every block
  std::size_t chunk = 0;               // numbers per frame
  std::size_t depth = 0;               // rows in flight at a time
  std::size_t largest = 0;             // numbers in the largest block
  std::size_t frames = 0;              // frames sent, in all rows
  double sent = 0;                     // bytes of the numbers in these frames
  double wire = 0;                     // bytes of the frames, at the ratio
  std::size_t memory = 0;              // bytes for frames
};

struct Answer {
  const Algorithm* algorithm = nullptr;
  Travel travel = Travel::homomorphic;
  Terms terms;
  Budget budget;            // in units of the range if the bound is relative
  bool budgeted = false;    // whether there is an error bound to divide
  bool worked_out = false;  // false if even one rank's plan is too large to be made without a request
  Work work;
};

Travel travel_in(const Question& question);
std::vector<Candidate> candidates(const Question& question);
const Algorithm& chosen_by_auto(const Question& question);
Answer answer(const Question& question, const Algorithm& algorithm);

}  // namespace laconic::cli::explain
