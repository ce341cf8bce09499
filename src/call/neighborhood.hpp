// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of a rank in the topology of a communicator (MPI 4.0, section 8.6).
#pragma once

#include <span>
#include <vector>

namespace laconic {

// One edge of the topology, seen from one of its ends.  Two ranks may be connected by several edges in one direction.
// The label tells them apart: it is the same at both ends.
struct Neighbor {
  static constexpr int none = -1;  // at the border of a grid that is not periodic

  int rank = none;
  int label = 0;
  constexpr bool exists() const { return rank >= 0; }
};

// Sources and destinations in the order in which MPI arranges their blocks.
struct Neighborhood {
  std::vector<Neighbor> sources;
  std::vector<Neighbor> destinations;

  // Whether several edges connect this rank with another one, or with itself, in one direction.
  bool repeats() const;
};

// The neighbourhood in a graph.  Edges between the same two ranks are matched in the order of the lists, as messages
// are.
Neighborhood graph_neighborhood(std::span<const int> sources, std::span<const int> destinations);

// The neighbourhood of a rank in a Cartesian grid, whose ranks are numbered in row-major order.  Each dimension has two
// neighbours: first the one in negative, then the one in positive direction.  A block that is sent in negative
// direction is received from the positive direction, also where both neighbours are the same rank.
Neighborhood cartesian_neighborhood(std::span<const int> dims, std::span<const int> periods, int rank);

// The number of sources in assumed_neighborhood().
inline constexpr int assumed_neighbors = 6;

// A periodic grid of three dimensions that is as close to a cube as the number of ranks allows, for predictions of
// calls whose topology is unknown.
std::vector<int> balanced_grid(int ranks);
Neighborhood assumed_neighborhood(int rank, int ranks);

}  // namespace laconic
