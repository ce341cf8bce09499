// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/topology.hpp"

#include <cstddef>
#include <vector>

namespace laconic {
namespace {

std::vector<int> numbers(int count) { return std::vector<int>(static_cast<std::size_t>(count)); }

Neighborhood in_grid(MPI_Comm comm, int rank) {
  int dimensions = 0;
  MPI_Cartdim_get(comm, &dimensions);
  auto dims = numbers(dimensions);
  auto periods = numbers(dimensions);
  auto place = numbers(dimensions);
  MPI_Cart_get(comm, dimensions, dims.data(), periods.data(), place.data());
  return cartesian_neighborhood(dims, periods, rank);
}

// The edges of an MPI_Graph_create graph lead both ways.
Neighborhood in_graph(MPI_Comm comm, int rank) {
  int degree = 0;
  MPI_Graph_neighbors_count(comm, rank, &degree);
  auto neighbors = numbers(degree);
  MPI_Graph_neighbors(comm, rank, degree, neighbors.data());
  return graph_neighborhood(neighbors, neighbors);
}

Neighborhood in_distributed_graph(MPI_Comm comm) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  auto sources = numbers(in);
  auto destinations = numbers(out);
  auto source_weights = numbers(in);
  auto destination_weights = numbers(out);
  MPI_Dist_graph_neighbors(comm, in, sources.data(), weighted ? source_weights.data() : MPI_UNWEIGHTED, out,
                           destinations.data(), weighted ? destination_weights.data() : MPI_UNWEIGHTED);
  return graph_neighborhood(sources, destinations);
}

}  // namespace

std::optional<Neighborhood> find_neighborhood(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  int rank = 0;
  MPI_Topo_test(comm, &kind);
  MPI_Comm_rank(comm, &rank);
  if (kind == MPI_CART) return in_grid(comm, rank);
  if (kind == MPI_GRAPH) return in_graph(comm, rank);
  if (kind == MPI_DIST_GRAPH) return in_distributed_graph(comm);
  return std::nullopt;
}

}  // namespace laconic
