// SPDX-License-Identifier: BSD-3-Clause
// The arguments of one simulated collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace laconic::scale {

struct Arguments {
  std::string collective = "allreduce";
  std::vector<int> grid;           // of a stencil and of neighbor_alltoall; empty: as close to a cube as possible
  std::string algorithm = "ring";  // "mpi": the simulated MPI's own collective; "messages": of a stencil
  std::string codec = "quant";
  bool per_hop = false;  // every hop decodes and encodes, as C-Coll's CPR-P2P does
  std::string bound = "rel:1e-3";
  std::string target = "result";  // or "input", which is C-Coll's meaning of a bound, or "likely"
  std::string range_of = "result";
  std::size_t bytes = std::size_t{1} << 20;
  std::string field;       // a file of float32
  bool coherent = false;   // contributions are shifted by one number from rank to rank, else by random distances
  std::uint64_t seed = 1;  // of the random distances
  std::size_t chunk = 0;   // numbers in a frame; 0: as the library chooses
  int depth = 4;
  bool no_overlap = false;  // blocks are coded as a whole, and none while another is on the wire
  int threads = 1;
  std::vector<double> rates;  // GB/s: encode, fold, add, decode, search; empty: measured before the simulation begins
  bool free_coding = false;   // coding takes no time
  bool one_result = false;    // all ranks write their results to the same memory
  int iterations = 1;
  // Divides the bytes, the numbers in a frame and the rates of coding.  If the rate of the network is divided by as
  // much, the call takes the same simulated time with less memory.
  std::size_t part = 1;
  double rate = 100e9;      // of the simulated links, in bit/s, for the prediction of the model
  double latency = 2e-6;    // of the simulated network, in seconds
  double node_rate = 96e9;  // the same of messages within a node
  double node_latency = 300e-9;
};

// Returns false where the program should end with `status`, after --help or an argument that is not valid.
bool read_arguments(int argc, char** argv, bool speaks, Arguments& arguments, int& status);

}  // namespace laconic::scale
