// SPDX-License-Identifier: BSD-3-Clause
// Predicts the behaviour of the library for a collective call, without MPI and without data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bound.hpp"
#include "base/dtype.hpp"
#include "base/op.hpp"
#include "codec/codec.hpp"
#include "engine/plan.hpp"
#include "engine/predict.hpp"
#include "schedule/schedule.hpp"
#include "tune/candidates.hpp"
#include "tune/profile.hpp"

namespace laconic::cli::explain {

struct Question {
  Collective collective = Collective::allreduce;
  std::string name;  // name of the call, whose schedules are those of `collective`
  int ranks = 4;
  std::optional<NodeShape> nodes;  // on which the ranks run; unknown: the predictions know one kind of path
  int rank = 0;
  bool rank_given = false;
  int root = 0;
  std::size_t bytes = 0;  // size of the whole data: the largest buffer of the call
  Dtype dtype = Dtype::f32;
  const Codec* codec = nullptr;
  std::string codec_name;  // as the user spelled it
  Bound bound;
  BoundTarget target = BoundTarget::result;
  Op op = Op::sum;
  bool mean = false;
  std::string variant = "overlap";
  std::size_t chunk = 0;  // numbers per frame; 0: chosen by the library
  int depth = default_depth;
  Path path = path_between_nodes();
  double ratio = assumed_ratio;  // of every frame
  CodingCost coding = assumed_cost();
  std::optional<Profile> profile;  // that path, ratio and coding are from

  const NodeShape* shape() const { return nodes ? &*nodes : nullptr; }
};

// An algorithm with its predicted times.  They are empty where its plans are too large to be walked.
struct Row {
  const Algorithm* algorithm = nullptr;
  Terms terms;
  std::optional<Candidate> compressed;    // over the path of the question, at its ratio
  std::optional<Candidate> uncompressed;  // over the same path
  int ranks = 0;                          // for which the times are: where the plans are too large, fewer
};

// All algorithms for the call, and what auto takes.
struct Comparison {
  std::vector<Row> rows;
  const Algorithm* chosen = nullptr;  // where nothing is measured, or by the profile if that compresses
  std::optional<double> plain;        // seconds of MPI's own collective: the fastest algorithm without compression
  std::optional<Profile::Verdict> verdict;
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
  std::size_t messages_sent = 0;       // in one row
  std::size_t messages_taken = 0;      // in one row
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
Comparison compare(const Question& question);
Answer answer(const Question& question, const Algorithm& algorithm);

}  // namespace laconic::cli::explain
