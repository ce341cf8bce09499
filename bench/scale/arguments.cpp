// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

namespace laconic::scale {

bool read_arguments(int argc, char** argv, bool speaks, Arguments& a, int& status) {
  CLI::App app("One collective of the library's engine between simulated ranks; started by scale.py");
  app.option_defaults()->always_capture_default();
  app.add_option("--collective", a.collective)
      ->check(CLI::IsMember({"allreduce", "reduce_scatter", "allgather", "bcast", "scatter", "alltoall",
                             "neighbor_alltoall", "stencil"}));
  app.add_option("--grid", a.grid,
                 "sides of the grid of a stencil or of neighbor_alltoall, as 4x2x2; default: as close to a cube as "
                 "possible")
      ->expected(3)
      ->delimiter('x')
      ->check(CLI::PositiveNumber);
  app.add_option("--algorithm", a.algorithm,
                 "an algorithm of the library, messages for a stencil, or mpi for the simulated MPI's own");
  app.add_option("--codec", a.codec)->check(CLI::IsMember({"quant", "raw", "szx", "zfp"}));
  app.add_flag("--per-hop", a.per_hop, "every hop decodes and encodes");
  app.add_option("--bound", a.bound, "abs:E or rel:R; with zfp also rate:BITS, where numbers are only moved");
  app.add_option("--target", a.target)->check(CLI::IsMember({"result", "input", "likely"}));
  app.add_option("--range-of", a.range_of,
                 "the range that rel:R refers to: that of a sum where it is larger, or always "
                 "that of the inputs")
      ->check(CLI::IsMember({"result", "input"}));
  app.add_option("--bytes", a.bytes, "size of the largest buffer; of a stencil, of a face")
      ->check(CLI::Range(std::size_t{4}, std::size_t{1} << 34));
  app.add_option("--field", a.field, "a file of float32")->required()->check(CLI::ExistingFile);
  app.add_flag("--coherent", a.coherent, "contributions are shifted by one number from rank to rank");
  app.add_option("--seed", a.seed, "of the distances of contributions");
  app.add_option("--chunk", a.chunk, "numbers in a frame; 0: as the library chooses");
  app.add_option("--depth", a.depth)->check(CLI::Range(1, 64));
  app.add_flag("--no-overlap", a.no_overlap, "the library's variant nd: a block is coded as a whole, and then sent");
  app.add_option("--threads", a.threads, "cores that code")->check(CLI::Range(1, 256));
  app.add_option("--rates", a.rates,
                 "GB/s of encode, fold, add, decode and, where it is not 30, of the search for the range; default: "
                 "measured")
      ->expected(4, 5)
      ->delimiter(',');
  app.add_flag("--free-coding", a.free_coding, "coding takes no time");
  app.add_flag("--one-result", a.one_result,
               "all ranks write their results to the same memory; equal bits are found by what each rank decodes");
  app.add_option("--iterations", a.iterations)->check(CLI::Range(1, 100));
  app.add_option("--part", a.part,
                 "simulate a part, 1 / this, of the bytes, of a frame and of the rates of coding; --rate is to be the "
                 "same part of the rate that is meant")
      ->check(CLI::Range(std::size_t{1}, std::size_t{64}));
  app.add_option("--rate", a.rate, "of the simulated links, in bit/s")->check(CLI::PositiveNumber);
  app.add_option("--latency", a.latency, "of the simulated network, in seconds")->check(CLI::PositiveNumber);
  app.add_option("--node-rate", a.node_rate, "of messages within a node, in bit/s")->check(CLI::PositiveNumber);
  app.add_option("--node-latency", a.node_latency, "of messages within a node, in seconds")->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    status = error.get_exit_code();
    if (speaks) app.exit(error, std::cout, std::cerr);
    return false;
  }
  return true;
}

}  // namespace laconic::scale
