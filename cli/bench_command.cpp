// SPDX-License-Identifier: BSD-3-Clause
// laconic bench: compares operations with plain MPI.  Arguments and order of work; bench/ does the measurements.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bound.hpp"
#include "bench/arguments.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "text.hpp"
#include "variants.hpp"

#ifdef LACONIC_CLI_MPI
#include "bench/job.hpp"
#include "bench/measure.hpp"
#include "bench/report.hpp"
#include "settings_info.hpp"
#endif

namespace laconic::cli {
namespace {

using bench::Arguments;

#ifdef LACONIC_CLI_MPI

void run(const Arguments& a) {
  const bench::Job job;
  const bench::Ranks& ranks = job.ranks();
  const bool speaks = ranks.rank == 0;
  const bench::Request request = bench::expand(a, ranks.size);
  std::optional<bench::Input> input;
  bench::BufferMemory memory;
  std::unique_ptr<OutputFile> json;
  bench::together(ranks, [&] {
    input.emplace(request.field, ranks.size);
    // Checks before a long measurement that the file can be written.
    if (speaks && !request.json.empty()) check_replaceable(request.json);
    if (speaks && !request.json.empty()) json = std::make_unique<OutputFile>(request.json);
  });

  bench::together(ranks, [&] {
    if (request.on_device) memory = bench::device_memory(ranks.comm);
  });
  const bench::Setting setting{request.field, mpi_name(), ranks.size, memory.name(), memory.mpi_takes_it};
  bench::Bench bench(request, ranks, *input, memory);
  std::vector<std::string> rows;
  bool right = true;
  for (const std::size_t bytes : request.sizes)
    for (const int window : request.windows) {
      const std::vector<bench::Measurement> all = bench.measure(bytes, window);
      for (const auto& m : all) right = right && m.right();
      if (!speaks) continue;
      fmt::print("{}{}", rows.empty() ? "" : "\n", bench::table(request, setting, all));
      std::fflush(stdout);
      for (std::string& row : bench::json_rows(request, setting, all)) rows.push_back(std::move(row));
    }
  bench::together(ranks, [&] {
    if (!json) return;
    json->write(json_list(rows));
    json->commit();
  });
  if (!right) throw Failure("the error of a result exceeded its bound, or ranks that must hold the same bits do not");
}

#else

void run(const Arguments&) { throw usage("bench is not in this build, which was made without MPI (LACONIC_MPI=OFF)"); }

#endif

}  // namespace

void add_bench_command(Command& app) {
  auto a = std::make_shared<Arguments>();
  Command command = app.add_subcommand("bench", "Measure an operation side by side with plain MPI, under mpiexec");
  std::string names;
  for (const bench::OperationName& o : bench::operations) names += (names.empty() ? "" : ", ") + std::string(o.name);
  command.add_option("OPERATION", a->operation, names);
  add_list(
      command, "--against", a->against,
      fmt::format("variants to measure beside plain MPI: tuned, {}, each alone or as VARIANT:CODEC (default: overlap)",
                  variant_list()));
  add_list(command, "--bytes,--sizes", a->sizes,
           "sizes of the largest buffer of a call, or of a message (default: 64K,1M,16M)");
  add_list(command, "--bound", a->bounds, fmt::format("{} (default: rel:1e-3)", bound_forms));
  add_list(command, "--codec", a->codecs,
           "codecs of variants that name none: quant, dense, szx, zfp-abs, zfp-rateN, raw, lossless (default: quant)");
  add_list(
      command, "--effort", a->efforts,
      "beside or in place of codecs: light (quant), dense, and with --against tuned also auto, the faster of both");
  add_list(command, "--algorithm", a->algorithms, "algorithms of collectives: names, auto, or all (default: auto)");
  add_list(command, "--window", a->windows, "for bandwidth, bidirectional: messages under way (default: 2,4)");
  add_list(command, "--chunks", a->chunks, "for messages: chunks of a message, or auto (default: auto)");
  command.add_option("--set", a->settings, "OPTION=VALUE for an option of the library: target, min_bytes, ...")
      .allow_extra_args(false);
  command.add_option("--field", a->field, "a file of float32, or a generator: wave, noise").capture_default_str();
  command.add_option(
      "--grid", a->grid,
      "for stencil and neighborhood collectives: ranks as XxYxZ (default: as close to a cube as possible)");
  command.add_option("--op", a->op, "operation of reductions: sum, max, min, avg").capture_default_str();
  add_whole(command, "--root", a->root, 0, "root of reduce, bcast, scatter, gather");
  add_whole(command, "--iterations", a->iterations, 1, "measured iterations; 10 or more for a meaningful median");
  add_whole(command, "--warmup", a->warmup, 0, "iterations before those that are measured");
  add_whole(command, "--threads", a->threads, 1, 256, "threads that encode and decode");
  add_whole(command, "--depth", a->depth, 1, 64, "chunks under way at a time");
  command.add_option("--rate", a->rate, "rate of the links, for the bandwidth bound: 1gbit, ...").capture_default_str();
  command
      .add_option(
          "--memory", a->memory,
          "memory of the buffers: host, or device (a GPU for each rank; where MPI takes no such memory, plain calls "
          "include copies to the host and back)")
      .capture_default_str();
  command.add_option("--json", a->json, "also write all numbers into this file");
  command.callback([a] { run(*a); });
}

}  // namespace laconic::cli
