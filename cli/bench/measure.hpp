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

// The seconds of one call in the phases of C-Coll; means over the ranks and the iterations.
struct Phases {
  double comdecom = 0;       // encode and decode
  double allgather = 0;      // waiting for messages that are final results (allreduce only)
  double memcpy = 0;         // copying numbers
  double wait = 0;           // waiting for messages to be reduced; for any message if the operation has no reduction
  double reduction = 0;      // adding; with codecs that add exactly, also coding, which is done in the same pass
  double others = 0;         // agreement, set-up, posting messages
  double total = 0;          // total by the library's own clock
  double wait_reducing = 0;  // waiting for messages to be reduced
  double distribute = 0;     // all phases after the last message to be reduced
};

struct Measurement {
  Variant variant;
  std::size_t bytes = 0;
  int window = 1;
  std::vector<double> seconds;  // time of the slowest rank, per iteration
  double cpu_seconds = 0;       // CPU time of all ranks, over all iterations
  Phases phases;
  laconic_stats stats{};  // statistics of the last call, on this rank
  std::string algorithm;  // algorithm that ran: not "auto"
  std::string codec;      // that ran; "none" for plain MPI
  double ratio = 1;       // ratio over all ranks
  double wire_bytes = 0;  // bytes sent by the busiest rank; 0: not known (plain)
  double bound = 0;       // bound on the error of a result; infinite if nothing is promised in advance
  double achieved = 0;    // bound according to the frames
  double max_error = 0;
  double memory_bytes = 0;  // maximum over the ranks
  bool bound_kept = false;
  bool bits_equal = false;  // all ranks that hold a result have the same bits; true if only one rank does
  bool ran_plain = false;

  double median() const;
  double least() const;
  double most() const;
  double cores() const;
  bool right() const;  // whether all promises are kept
};

// All variants of one size and window take turns, so that they see the same machine and network.
class Bench {
 public:
  Bench(const Request& request, const Ranks& ranks, const Input& input, const BufferMemory& memory);
  std::vector<Measurement> measure(std::size_t bytes, int window);

 private:
  void once(Operation& operation, MPI_Comm comm, Measurement& m, bool counts);
  void verify(Operation& operation, Measurement& m);
  double error_of(float result, const Piece& piece, std::size_t i, double bound, bool& broken) const;

  const Request& request_;
  Ranks ranks_;
  const Input& input_;
  const BufferMemory& memory_;
};

// Runs work that may fail on one rank alone. If it fails on any rank, every rank throws Failure with the message of the
// first rank that failed.
void together(const Ranks& ranks, const std::function<void()>& work);

}  // namespace laconic::cli::bench
