// SPDX-License-Identifier: BSD-3-Clause
// The selection of measurements, and their time limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace laconic::bench {

struct Options {
  std::string out;
  bool kernels = true;
  bool pieces = true;
  bool peers = false;  // a fault of a codec of others would end the other topics
  bool allreduce = true;
  int repetitions = 20;
  std::vector<std::size_t> sizes;      // bytes of numbers
  std::size_t usual_size = 64u << 20;  // for all cases that are not measured at every size
  std::vector<int> piece_counts{8, 64};
  std::size_t piece_bytes = 1u << 20;
  std::vector<int> ranks{8, 2, 4};
  std::vector<std::size_t> allreduce_sizes;  // bytes of each rank
  std::chrono::steady_clock::time_point begin;
  std::chrono::steady_clock::time_point end;  // no measurement begins after it

  bool late() const { return std::chrono::steady_clock::now() > end; }
};

}  // namespace laconic::bench
