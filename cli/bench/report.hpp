// SPDX-License-Identifier: BSD-3-Clause
// Reports of measurements: tables for users, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "bench/measure.hpp"

namespace laconic::cli::bench {

struct Setting {
  std::string field;  // name of the input
  std::string mpi;    // name of the MPI library
  int ranks = 1;
  std::string memory = "host";   // of the buffers
  bool mpi_takes_memory = true;  // otherwise plain calls include copies
};

// measurements[0] is plain MPI, with which all others are compared.
std::string table(const Request& request, const Setting& setting, const std::vector<Measurement>& measurements);
std::vector<std::string> json_rows(const Request& request, const Setting& setting,
                                   const std::vector<Measurement>& measurements);

// The time in seconds that the bytes of the operation need on the links; 0 if their rate is not known.
double bandwidth_bound(const Request& request, int ranks, std::size_t bytes, int window);

}  // namespace laconic::cli::bench
