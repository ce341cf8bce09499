// SPDX-License-Identifier: BSD-3-Clause
// What was measured of each variant, as a table for people and as JSON.
#pragma once
#include <laconic/laconic.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

inline constexpr std::array<const char*, 6> phase_names{"encode", "decode", "reduce", "copy", "wait", "other"};

struct Variant {
  std::string name, bound_text, algorithm, codec;
  bool plain = false;
  laconic_options options{};
  laconic_stats stats{};
  std::vector<double> seconds;     // of the slowest rank, per iteration
  double cpu_seconds = 0;          // of all ranks, over all iterations
  std::array<double, 6> phases{};  // mean of ranks and iterations
  double max_error = 0, ratio = 1, wire_bytes = 0, bound = 0;
  bool bits_equal = false, bound_kept = false;
};

struct Run {
  std::string field, mpi;  // what was summed; which MPI library did it
  std::size_t bytes = 0;
  int ranks = 0, iterations = 0, warmup = 0;
  double rate = 0, bandwidth_bound = 0;  // bit/s and seconds; 0: unknown
};

// variants[0] is plain MPI, which all others are compared with.
void print_table(const Run& run, const std::vector<Variant>& variants);
bool write_json(const std::string& file, const Run& run, const std::vector<Variant>& variants);
