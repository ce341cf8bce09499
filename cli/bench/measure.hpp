// SPDX-License-Identifier: BSD-3-Clause
// Measures one operation in all its variants; prints nothing.
#pragma once

#include <laconic/laconic.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/input.hpp"
#include "bench/operation.hpp"

namespace laconic::cli::bench {

// Seconds of one call, as C-Coll breaks them down; means of the ranks and the iterations.
struct Phases {
  double comdecom = 0;   // encode and decode
  double allgather = 0;  // waiting for messages that are results already (of an allreduce)
  double memcpy = 0;     // moving numbers about
  double wait = 0;       // waiting for messages that are added to something, or any where nothing is added
  double reduction = 0;  // adding; with codecs that add exactly also the coding of what is added: one pass does both
  double others = 0;     // agreement, set-up, posting messages
  double total = 0;      // of the library's own clock
  double wait_reducing = 0;  // waiting for messages that are added to something
  double distribute = 0;     // from the last message that is added to something to the end, all of the above
};

struct Measurement {
  Variant variant;
  std::size_t bytes = 0;
  int window = 1;
  std::vector<double> seconds;  // of the slowest rank, per iteration
  double cpu_seconds = 0;       // of all ranks, over all iterations
  Phases phases;
  laconic_stats stats{};  // of the last call, on this rank
  std::string algorithm;  // that ran: not "auto"
  double ratio = 1;       // of all ranks
  double wire_bytes = 0;  // sent by the busiest rank; 0: not known (plain)
  double bound = 0;       // on the error of a result; infinite where nothing is promised in advance
  double achieved = 0;    // as the frames account for it
  double max_error = 0;
  double memory_bytes = 0;  // most of any rank
  bool bound_kept = false;
  bool bits_equal = false;  // all ranks that hold a result hold the same; true where only one does
  bool ran_plain = false;

  double median() const;
  double least() const;
  double most() const;
  double cores() const;
  bool right() const;  // no promise is broken
};

// All variants of one size and window take turns, so that they see the same machine and network.
class Bench {
 public:
  Bench(const Request& request, const Ranks& ranks, const Input& input);
  std::vector<Measurement> measure(std::size_t bytes, int window);

 private:
  void once(Operation& operation, MPI_Comm comm, Measurement& m, bool counts);
  void verify(const Operation& operation, Measurement& m);
  double error_of(float result, const Piece& piece, std::size_t i, double bound, bool& broken) const;

  const Request& request_;
  Ranks ranks_;
  const Input& input_;
};

// Does what may fail on one rank alone; where it fails on any, throws Failure with the message of the first on all.
void together(const Ranks& ranks, const std::function<void()>& work);

}  // namespace laconic::cli::bench
