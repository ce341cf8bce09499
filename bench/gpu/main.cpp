// SPDX-License-Identifier: BSD-3-Clause
// Measures kernels and collectives on a GPU and compares results with the host's; README.md explains the rows.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "measurements.hpp"

namespace {

using namespace laconic::bench;

constexpr const char* usage =
    "bench_gpu --out FILE.json [--topic kernels|pieces|peers|allreduce]... [--seconds N] [--repetitions N] [--tiny]\n"
    "  --seconds: begin nothing after so long; --tiny: a rehearsal, for the emulator\n";

Options complete() {
  Options o;
  for (std::size_t bytes = std::size_t{64} << 10; bytes <= std::size_t{1} << 30; bytes *= 4) o.sizes.push_back(bytes);
  o.allreduce_sizes = {std::size_t{256} << 20, std::size_t{1} << 20, std::size_t{16} << 20};
  return o;
}

void make_tiny(Options& o) {
  o.sizes = {4096, 16384};
  o.usual_size = 16384;
  o.repetitions = 3;
  o.piece_counts = {3};
  o.piece_bytes = 8192;
  o.ranks = {2, 4};
  o.allreduce_sizes = {65536};
}

// Returns false if an argument is not understood.
bool read(int argc, char** argv, Options& o) {
  double seconds = 300;
  bool chosen = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--tiny") {
      make_tiny(o);
      continue;
    }
    if (i + 1 == argc) return false;
    const std::string value = argv[++i];
    if (name == "--out") {
      o.out = value;
    } else if (name == "--seconds") {
      seconds = std::atof(value.c_str());
    } else if (name == "--repetitions") {
      o.repetitions = std::atoi(value.c_str());
    } else if (name == "--topic") {
      if (!chosen) o.kernels = o.pieces = o.peers = o.allreduce = false;
      chosen = true;
      if (value == "kernels")
        o.kernels = true;
      else if (value == "pieces")
        o.pieces = true;
      else if (value == "peers")
        o.peers = true;
      else if (value == "allreduce")
        o.allreduce = true;
      else
        return false;
    } else {
      return false;
    }
  }
  o.begin = std::chrono::steady_clock::now();
  o.end =
      o.begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
  return !o.out.empty() && seconds > 0 && o.repetitions > 0;
}

void describe(const Machine& m, Rows& rows) {
  Row row("machine");
  row.text("gpu", m.name).truth("emulated", emulated).number("driver", m.driver).number("runtime", m.runtime);
  row.number("processors", m.processors).number("l2_bytes", static_cast<double>(m.l2));
  row.number("memory_bytes", static_cast<double>(m.memory)).number("copy_gbs", 1e-9 * m.copy_rate);
  rows.add(row);
}

int run(const Options& o) {
  Rows rows(o.out);
  const Machine machine = examine(o.sizes.back(), o.repetitions);
  describe(machine, rows);
  // The shortest measurement comes first, so that there is always time for it.
  if (o.pieces) measure_pieces(machine, o, rows);
  if (o.peers) measure_peers(machine, o, rows);
  Options kernels = o;
  if (o.allreduce) kernels.end = o.begin + (o.end - o.begin) * 3 / 5;
  if (o.kernels) measure_kernels(machine, kernels, rows);
  if (o.allreduce) measure_allreduce(machine, o, rows);
  std::printf("%d rows in %s, %d of them wrong\n", rows.count(), o.out.c_str(), rows.wrong());
  return rows.wrong() > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = complete();
  if (!read(argc, argv, options)) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
