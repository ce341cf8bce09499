// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

namespace laconic {

#define LACONIC_ALGORITHM(function) Algorithm function();
#include "schedule/algorithms.def"
#undef LACONIC_ALGORITHM

const std::vector<Algorithm>& all_algorithms() {
  static const std::vector<Algorithm> algorithms{
#define LACONIC_ALGORITHM(function) function(),
#include "schedule/algorithms.def"
#undef LACONIC_ALGORITHM
  };
  return algorithms;
}

const Algorithm* find_algorithm(Collective collective, AlgorithmName name) {
  for (const Algorithm& algorithm : all_algorithms())
    if (algorithm.collective == collective && algorithm.id == name) return &algorithm;
  return nullptr;
}

const Algorithm* find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm& algorithm : all_algorithms())
    if (algorithm.collective == collective && algorithm.name() == name) return &algorithm;
  return nullptr;
}

}  // namespace laconic
