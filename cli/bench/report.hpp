// SPDX-License-Identifier: BSD-3-Clause
// Measurements for people (tables) and for programs (JSON).
#pragma once

#include <string>
#include <vector>

#include "bench/measure.hpp"

namespace laconic::cli::bench {

struct Setting {
  std::string field;  // what was sent
  std::string mpi;    // which MPI library
  int ranks = 1;
};

// measurements[0] is plain MPI, which all others are compared with.
std::string table(const Request& request, const Setting& setting, const std::vector<Measurement>& measurements);
std::vector<std::string> json_rows(const Request& request, const Setting& setting,
                                   const std::vector<Measurement>& measurements);

// What the bytes of the operation need on the links, in seconds; 0 when their rate is not known.
double bandwidth_bound(const Request& request, int ranks, std::size_t bytes, int window);

}  // namespace laconic::cli::bench
