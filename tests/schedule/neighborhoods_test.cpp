// SPDX-License-Identifier: BSD-3-Clause
// Neighborhood collectives on many topologies: the schedules are sound, and the neighborhoods are those of MPI.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "call/neighborhood.hpp"
#include "schedule/audit.hpp"
#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using Topology = std::vector<Neighborhood>;

Topology grid(const std::vector<int>& dims, const std::vector<int>& periods) {
  int size = 1;
  for (const int dim : dims) size *= dim;
  Topology all;
  for (int r = 0; r < size; ++r) all.push_back(cartesian_neighborhood(dims, periods, r));
  return all;
}

// Edges as MPI_Dist_graph_create_adjacent takes them, in an order that differs between the two ends.
Topology graph(const std::vector<std::vector<int>>& destinations) {
  std::vector<std::vector<int>> sources(destinations.size());
  for (std::size_t r = destinations.size(); r-- > 0;)
    for (const int d : destinations[r]) sources[static_cast<std::size_t>(d)].push_back(static_cast<int>(r));
  Topology all;
  for (std::size_t r = 0; r < destinations.size(); ++r) all.push_back(graph_neighborhood(sources[r], destinations[r]));
  return all;
}

Topology random_graph(int size, int edges, Random& random) {
  std::vector<std::vector<int>> destinations(static_cast<std::size_t>(size));
  const auto n = static_cast<std::uint64_t>(size);
  for (int e = 0; e < edges; ++e) destinations[random.below(n)].push_back(static_cast<int>(random.below(n)));
  return graph(destinations);
}

void check(const Topology& topology, const std::string& what) {
  for (const Algorithm& algorithm : all_algorithms()) {
    if (!traits_of(algorithm.collective).neighborhood()) continue;
    const Audit a = audit(algorithm, static_cast<int>(topology.size()), 0, topology);
    ASSERT_TRUE(a.ok) << what << ", " << algorithm.name() << " " << name_of(algorithm.collective) << ": " << a.problem;
    EXPECT_LE(a.cost.hops, 1);
    EXPECT_LE(a.cost.share, 1);
    for (const Terms& terms : {a.homomorphic, a.reencoding, a.per_hop}) EXPECT_LE(terms.all(), 1);
  }
}

TEST(Neighborhoods, GridsAreSound) {
  for (int x = 1; x <= 5; ++x)
    for (int y = 1; y <= 4; ++y)
      for (const int periodic_x : {0, 1})
        for (const int periodic_y : {0, 1})
          check(grid({x, y}, {periodic_x, periodic_y}), std::to_string(x) + " x " + std::to_string(y));
  check(grid({3, 2, 4}, {1, 1, 0}), "three dimensions");
  check(grid({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}), "five dimensions");
  check(grid({}, {}), "no dimension");
}

TEST(Neighborhoods, GraphsAreSound) {
  const std::uint64_t seed = base_seed();
  SCOPED_TRACE("LACONIC_TEST_SEED=" + std::to_string(seed));
  Random random(seed);
  for (int size = 1; size <= 24; ++size)
    for (const int edges : {0, 1, size / 2, size, 5 * size}) check(random_graph(size, edges, random), "random graph");
  std::vector<std::vector<int>> star(17);
  for (int r = 1; r < 17; ++r) star[0].push_back(r), star[static_cast<std::size_t>(r)].push_back(0);
  check(graph(star), "star");
  std::vector<std::vector<int>> complete(12, std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  check(graph(complete), "complete graph");
  check(graph({{1, 1, 1, 1, 1, 1, 1, 1}, {0}}), "many edges between two ranks");
}

TEST(Neighborhoods, OfAGridAreThoseOfMpi) {
  constexpr std::array<int, 2> dims{3, 4};
  const auto ranks_of = [](const std::vector<Neighbor>& neighbors) {
    std::vector<int> ranks;
    for (const Neighbor& n : neighbors) ranks.push_back(n.rank);
    return ranks;
  };
  const Neighborhood middle = cartesian_neighborhood(dims, std::array<int, 2>{0, 0}, 5);
  EXPECT_EQ(ranks_of(middle.destinations), (std::vector<int>{1, 9, 4, 6}));
  EXPECT_EQ(ranks_of(middle.sources), (std::vector<int>{1, 9, 4, 6}));
  const Neighborhood corner = cartesian_neighborhood(dims, std::array<int, 2>{0, 1}, 11);
  EXPECT_EQ(ranks_of(corner.destinations), (std::vector<int>{7, Neighbor::none, 10, 8}));
}

// A block sent in the negative direction arrives from the positive direction, also where both are the same rank.
TEST(Neighborhoods, OfAGridMatchOppositeDirections) {
  for (const int side : {1, 2, 3}) {
    const Topology ring = grid({side}, {1});
    for (int r = 0; r < side; ++r)
      for (const std::size_t direction : {0u, 1u}) {
        const Neighbor& to = ring[static_cast<std::size_t>(r)].destinations[direction];
        const Neighbor& from = ring[static_cast<std::size_t>(to.rank)].sources[1 - direction];
        EXPECT_EQ(from.rank, r);
        EXPECT_EQ(from.label, to.label);
      }
  }
}

TEST(Neighborhoods, AssumedGridsAreBalanced) {
  EXPECT_EQ(balanced_grid(1), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(balanced_grid(8), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(balanced_grid(12), (std::vector<int>{3, 2, 2}));
  EXPECT_EQ(balanced_grid(7), (std::vector<int>{7, 1, 1}));
  for (int size = 1; size < 40; ++size)
    EXPECT_EQ(assumed_neighborhood(size / 2, size).sources.size(), static_cast<std::size_t>(assumed_neighbors));
}

// The audit finds a schedule that ignores an edge, and one that takes edges in another order than its peer.
TEST(Neighborhoods, AuditFindsWrongSchedules) {
  const Topology two = graph({{1, 1}, {}});
  Algorithm wrong = *find_algorithm(Collective::neighbor_alltoall, "direct");
  wrong.build = [](Place at) {
    Builder s(2);
    return at.rank == 0 ? s.send(0, 1).take() : s.receive(0, 0).take();
  };
  EXPECT_NE(audit(wrong, 2, 0, two).problem.find("never gets block 1"), std::string::npos);
  wrong.build = [](Place at) {
    Builder s(2);
    return at.rank == 0 ? s.send(1, 1).send(0, 1).take() : s.receive(0, 0).receive(1, 0).take();
  };
  EXPECT_NE(audit(wrong, 2, 0, two).problem.find("where it expects"), std::string::npos);
}

}  // namespace
}  // namespace laconic::test
