// SPDX-License-Identifier: BSD-3-Clause
// For programs that do not know of Laconic: it takes its settings from the environment, and the programs get MPI's own
// results through PMPI, which the drop-in does not intercept.
//
// Arguments of every program: the required accuracy of the results.
//   exact         the bits of MPI's own
//   within E      reductions may be off by E, everything else is exact
//   within E all  everything of floating-point numbers may be off by E
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "../ranks/support.hpp"

namespace dropin {

struct Expectation {
  double bound = 0;
  bool movement = false;

  Expectation(int argc, char** argv) {
    if (argc > 2 && std::string(argv[1]) == "within") bound = std::atof(argv[2]);
    movement = argc > 3 && std::string(argv[3]) == "all";
  }
};

// Numbers about 1, and smooth, so that there is something to compress. Plain sums of them are exact in any order: MPI
// may choose another one for each function.
template <class T>
std::vector<T> numbers(std::size_t count, ranks::Random& random) {
  std::vector<T> x(count);
  const double phase = 6 * random.uniform();
  for (std::size_t i = 0; i < count; ++i) {
    const double value = std::sin(phase + 0.01 * static_cast<double>(i)) + 0.01 * random.uniform();
    x[i] = static_cast<T>(std::is_integral_v<T> ? 1000 * value : std::round(value * 1024) / 1024);
  }
  return x;
}

// Whether `got` equals `right` to the required accuracy; `terms` numbers were added up.
template <class T>
bool alike(const T* got, const T* right, std::size_t count, double bound, int terms = 1) {
  if (bound == 0 || std::is_integral_v<T>) return count == 0 || std::memcmp(got, right, count * sizeof(T)) == 0;
  const double rounding = terms * terms * 2.0 * (sizeof(T) == sizeof(float) ? 1.2e-7 : 2.3e-16);
  for (std::size_t i = 0; i < count; ++i)
    if (!(std::fabs(static_cast<double>(got[i]) - static_cast<double>(right[i])) <= bound + rounding)) return false;
  return true;
}

template <class T>
bool alike(const std::vector<T>& got, const std::vector<T>& right, double bound, int terms = 1) {
  return got.size() == right.size() && alike(got.data(), right.data(), got.size(), bound, terms);
}

template <class T>
MPI_Datatype type_of() {
  if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  return MPI_INT;
}

}  // namespace dropin
