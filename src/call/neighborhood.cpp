// SPDX-License-Identifier: BSD-3-Clause
#include "call/neighborhood.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace laconic {
namespace {

std::vector<Neighbor> labelled(std::span<const int> ranks) {
  std::map<int, int> edges;  // to each rank, so far
  std::vector<Neighbor> neighbors;
  neighbors.reserve(ranks.size());
  for (const int rank : ranks) {
    if (rank < 0)
      neighbors.push_back({});
    else
      neighbors.push_back({rank, edges[rank]++});
  }
  return neighbors;
}

bool repeats(const std::vector<Neighbor>& neighbors) {
  std::vector<int> ranks;
  for (const Neighbor& neighbor : neighbors)
    if (neighbor.exists()) ranks.push_back(neighbor.rank);
  std::sort(ranks.begin(), ranks.end());
  return std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end();
}

}  // namespace

bool Neighborhood::repeats() const { return laconic::repeats(sources) || laconic::repeats(destinations); }

Neighborhood graph_neighborhood(std::span<const int> sources, std::span<const int> destinations) {
  return {labelled(sources), labelled(destinations)};
}

Neighborhood cartesian_neighborhood(std::span<const int> dims, std::span<const int> periods, int rank) {
  Neighborhood all;
  int stride = 1;  // between ranks that are neighbours in this dimension
  for (const int dim : dims) stride *= dim;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const int above = stride;
    stride /= dims[d];
    const int place = rank % above / stride;
    const auto rank_at = [&](int other) {
      if (other < 0 || other >= dims[d]) {
        if (periods[d] == 0) return Neighbor::none;
        other = (other + dims[d]) % dims[d];
      }
      return rank + (other - place) * stride;
    };
    const int negative = static_cast<int>(2 * d);
    const int positive = negative + 1;
    const auto neighbor = [](int of, int label) { return of < 0 ? Neighbor{} : Neighbor{of, label}; };
    all.destinations.push_back(neighbor(rank_at(place - 1), negative));
    all.destinations.push_back(neighbor(rank_at(place + 1), positive));
    all.sources.push_back(neighbor(rank_at(place - 1), positive));
    all.sources.push_back(neighbor(rank_at(place + 1), negative));
  }
  return all;
}

std::vector<int> balanced_grid(int ranks) {
  // The largest factors come first; each one multiplies the side that is shortest so far.
  std::vector<int> factors;
  for (int n = ranks, prime = 2; n > 1; ++prime)
    for (; n % prime == 0; n /= prime) factors.push_back(prime);
  std::vector<int> grid(3, 1);
  for (auto f = factors.rbegin(); f != factors.rend(); ++f) *std::min_element(grid.begin(), grid.end()) *= *f;
  std::sort(grid.begin(), grid.end(), std::greater<>());
  return grid;
}

Neighborhood assumed_neighborhood(int rank, int ranks) {
  constexpr std::array<int, 3> periodic{1, 1, 1};
  return cartesian_neighborhood(balanced_grid(ranks), periodic, rank);
}

}  // namespace laconic
