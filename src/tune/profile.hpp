// SPDX-License-Identifier: BSD-3-Clause
// What `laconic tune` has measured on a machine, and the decisions that follow.  They depend on nothing else, so they
// are the same in every run and on every rank.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "tune/candidates.hpp"

namespace laconic {

class Profile {
 public:
  // Calls of one collective and size (class_bytes()).
  struct Class {
    Collective collective = Collective::allreduce;
    double bytes = 0;
    double plain = 0;                      // seconds of MPI's own collective
    Effort effort = Effort::light;         // the fastest with compression
    const Algorithm* algorithm = nullptr;  // the fastest with it
    int rows = 0;                          // that it was the fastest with
    double compressed = 0;                 // seconds of it
  };

  // A verdict on a call: the algorithm with its number of rows and its effort, or nullptr if the call is left to MPI.
  struct Verdict {
    const Algorithm* algorithm = nullptr;
    int rows = 0;
    Effort effort = Effort::light;
    double plain = 0;       // seconds
    double compressed = 0;  // seconds with the fastest algorithm; 0: no algorithm serves the call
    bool measured = false;  // both; else they are predicted
  };

  // Text is what text() returns; other lines than those are errors.  Needs at least one class.
  static Status parse(std::string_view text, Profile& profile);
  static Status read(const std::string& file, Profile& profile);
  std::string text() const;

  // Calls of a measured class are decided by the measurements, if they are of an effort that the call may use.  For
  // others, the model takes the path from the most similar class, and how far its prediction was off there.
  Verdict decide(const CallModel& call) const;

  // The verdict on messages between two ranks: they cost as much as a broadcast to one rank.
  Verdict decide_on_messages(double bytes, Effort effort) const;

  // The predicted seconds of the class's algorithm, from the cost of coding and the plain time.  Returns nothing if the
  // plans are too large to be walked.
  std::optional<double> predicted(const Class& c) const;

  // The seconds that decide() would predict for one of the profile's classes if it were not measured.  Needs another.
  double predicted_from_others(const Class& c) const;

  // The path that the most similar class implies.
  Path path_for(const CallModel& call) const;

  int ranks = 0;
  bool within_node = false;  // all ranks were on one node
  std::string remark;        // one line for people: the MPI library, the data, the settings
  CodingCosts coding;        // with light also that of a codec that has no effort
  std::vector<Class> classes;

 private:
  CodingCosts coding_for(Effort effort) const;
  const Class& nearest(const CallModel& call) const;
  CallModel model_of(const Class& c) const;
  Path path_of(const Class& c) const;
};

}  // namespace laconic
