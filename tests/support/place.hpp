// SPDX-License-Identifier: BSD-3-Clause
// Places of ranks in a job, with the neighborhoods that the library assumes where it does not know the topology.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "schedule/schedule.hpp"

namespace laconic::test {

// Kept until the end of the program.
inline const Neighborhood& neighborhood_at(int rank, int size) {
  static std::mutex mutex;
  static std::map<std::pair<int, int>, Neighborhood> all;
  const std::lock_guard lock(mutex);
  const auto [found, fresh] = all.try_emplace({rank, size});
  if (fresh) found->second = assumed_neighborhood(rank, size);
  return found->second;
}

inline Place place_at(int rank, int size, int root = 0) { return {rank, size, root, &neighborhood_at(rank, size)}; }

}  // namespace laconic::test
