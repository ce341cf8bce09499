// SPDX-License-Identifier: BSD-3-Clause
// Places of ranks in a job, with the neighborhoods that the library assumes where it does not know the topology, and on
// nodes that only the number of ranks determines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

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

// The ranks that follow one another are on one node, or dealt round the nodes.
inline std::vector<std::uint64_t> identities(int nodes, int per_node, bool round_robin) {
  std::vector<std::uint64_t> all;
  for (int r = 0; r < nodes * per_node; ++r)
    all.push_back(static_cast<std::uint64_t>(round_robin ? r % nodes : r / per_node));
  return all;
}

// The nodes of so many ranks: as many on each as the square root allows, at least two.  nullptr for primes.
inline const NodeShape* nodes_of(int size) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<NodeShape>> all;
  const std::lock_guard lock(mutex);
  const auto [found, fresh] = all.try_emplace(size);
  if (!fresh) return found->second.get();
  int per_node = 1;
  for (int n = 2; n * n <= size; ++n)
    if (size % n == 0) per_node = n;
  const int nodes = size / per_node;
  if (per_node > 1) found->second = std::make_unique<NodeShape>(identities(nodes, per_node, nodes % 2 == 0));
  return found->second.get();
}

inline Ranks ranks_of(int size) { return {size, nodes_of(size)}; }

inline Place place_at(int rank, int size, int root = 0) {
  return {rank, size, root, &neighborhood_at(rank, size), nodes_of(size)};
}

}  // namespace laconic::test
