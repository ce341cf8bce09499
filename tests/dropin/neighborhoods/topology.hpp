// SPDX-License-Identifier: BSD-3-Clause
// Random topologies of up to 8 ranks, and what the MPI standard says about them (MPI-4.1, 8.6): who the neighbors of
// each rank are, in which order, and which block of a sender arrives in which block of a receiver. Nothing here was
// taken from the library, nor from what an MPI does.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "../support.hpp"

namespace neighborhoods {

using ranks::Random;
using ranks::text;

enum class Shape { grid, graph, distributed };

struct Topology {
  Shape shape = Shape::grid;
  std::string name;
  MPI_Comm comm = MPI_COMM_NULL;  // null on ranks that have no place in it
  int rank = 0;
  bool of_one = false;  // a grid with a periodic dimension of one rank
  bool of_two = false;
  // Of every rank, in the order of the blocks; MPI_PROC_NULL at the border of a grid that is not periodic.
  std::vector<std::vector<int>> sources;
  std::vector<std::vector<int>> destinations;

  const std::vector<int>& my_sources() const { return sources[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& my_destinations() const { return destinations[static_cast<std::size_t>(rank)]; }

  // Whether any rank has the same source or the same destination twice.
  bool repeats() const {
    const auto twice = [](std::vector<int> list) {
      std::sort(list.begin(), list.end());
      return std::adjacent_find(list.begin(), list.end(), [](int a, int b) { return a == b && a != MPI_PROC_NULL; }) !=
             list.end();
    };
    return std::any_of(sources.begin(), sources.end(), twice) ||
           std::any_of(destinations.begin(), destinations.end(), twice);
  }

  // Whether there are as many edges from one rank to another by the list of either. Open MPI 4.1 makes graphs that it
  // has reordered without this property; no call on these can complete.
  bool fits() const {
    const int size = static_cast<int>(sources.size());
    for (int from = 0; from < size; ++from)
      for (int to = 0; to < size; ++to) {
        const std::vector<int>& out = destinations[static_cast<std::size_t>(from)];
        const std::vector<int>& in = sources[static_cast<std::size_t>(to)];
        if (std::count(out.begin(), out.end(), to) != std::count(in.begin(), in.end(), from)) return false;
      }
    return true;
  }

  // The block of the sender that arrives in this block of the receiver. In a grid the code in 8.6.2 says it: what is
  // sent in negative direction is received from the positive one. In a graph, the code there begins all sends in the
  // order of the destinations, and all receives in the order of the sources; messages between two ranks do not
  // overtake.
  std::size_t origin(int receiver, std::size_t block) const {
    if (shape == Shape::grid) return block ^ 1U;
    const std::vector<int>& in = sources[static_cast<std::size_t>(receiver)];
    const std::vector<int>& out = destinations[static_cast<std::size_t>(in[block])];
    auto before = std::count(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(block), in[block]);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (out[k] == receiver && before-- == 0) return k;
    return out.size();  // no such block: the lists do not belong together
  }
};

template <class T>
void shuffle(std::vector<T>& list, Random& random) {
  for (std::size_t k = list.size(); k > 1; --k) std::swap(list[k - 1], list[random.below(k)]);
}

inline bool chance(Random& random, std::uint64_t one_in) { return random.below(one_in) == 0; }

// The rank next to another one in a dimension of a grid, whose ranks are numbered in row-major order (8.1).
inline int beside(const std::vector<int>& dims, const std::vector<int>& periods, int rank, std::size_t d, int step) {
  int stride = 1;
  for (std::size_t k = d + 1; k < dims.size(); ++k) stride *= dims[k];
  const int place = rank / stride % dims[d];
  int other = place + step;
  if ((other < 0 || other >= dims[d]) && periods[d] == 0) return MPI_PROC_NULL;
  other = (other + dims[d]) % dims[d];
  return rank + (other - place) * stride;
}

inline Topology make_grid(MPI_Comm base, int size, Random& random) {
  Topology t;
  std::vector<int> dims;
  do {
    dims.resize(1 + random.below(3));
    for (int& dim : dims) dim = 1 + static_cast<int>(random.below(4));
  } while (std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()) > size);
  std::vector<int> periods(dims.size());
  for (int& period : periods) period = static_cast<int>(random.below(2));
  const int reorder = static_cast<int>(random.below(2));
  t.name = "grid";
  int places = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    t.name += text("%s%d%s", d > 0 ? " x " : " ", dims[d], periods[d] != 0 ? " periodic" : "");
    t.of_one = t.of_one || (periods[d] != 0 && dims[d] == 1);
    t.of_two = t.of_two || (periods[d] != 0 && dims[d] == 2);
    places *= dims[d];
  }
  for (int r = 0; r < places; ++r) {
    std::vector<int> around;
    for (std::size_t d = 0; d < dims.size(); ++d)
      for (const int step : {-1, 1}) around.push_back(beside(dims, periods, r, d, step));
    t.sources.push_back(around);
    t.destinations.push_back(around);
  }
  MPI_Cart_create(base, static_cast<int>(dims.size()), dims.data(), periods.data(), reorder, &t.comm);
  return t;
}

// The number of edges between any two ranks is the same for both of them, as neighborhood collectives demand (8.6).
inline Topology make_graph(MPI_Comm base, int size, Random& random) {
  Topology t;
  t.shape = Shape::graph;
  const int nodes = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
  const auto node = [&] { return static_cast<int>(random.below(static_cast<std::uint64_t>(nodes))); };
  const bool repeats = chance(random, 3);
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(nodes));
  const auto at = [&](int n) -> std::vector<int>& { return lists[static_cast<std::size_t>(n)]; };
  for (std::uint64_t edges = random.below(3U * static_cast<unsigned>(nodes)); edges > 0; --edges) {
    const int a = node();
    const int b = node();
    if (!repeats && std::count(at(a).begin(), at(a).end(), b) > 0) continue;
    if (at(a).size() >= 10 || at(b).size() >= 10) continue;
    at(a).push_back(b);
    if (a != b) at(b).push_back(a);
  }
  std::vector<int> index;
  std::vector<int> edges;
  for (auto& list : lists) {
    shuffle(list, random);
    edges.insert(edges.end(), list.begin(), list.end());
    index.push_back(static_cast<int>(edges.size()));
  }
  edges.push_back(0);  // never without an address
  t.name = text("graph of %d nodes, %d edges", nodes, index.back());
  MPI_Graph_create(base, nodes, index.data(), edges.data(), static_cast<int>(random.below(2)), &t.comm);
  if (t.comm == MPI_COMM_NULL) return t;
  for (int r = 0; r < nodes; ++r) {
    int degree = 0;
    MPI_Graph_neighbors_count(t.comm, r, &degree);
    std::vector<int> around(static_cast<std::size_t>(degree) + 1);
    MPI_Graph_neighbors(t.comm, r, degree, around.data());
    around.pop_back();
    t.sources.push_back(around);
  }
  t.destinations = t.sources;
  return t;
}

// The lists of all ranks, from those that each rank has.
inline std::vector<std::vector<int>> lists_of_all(const std::vector<int>& mine, MPI_Comm comm, int size) {
  constexpr std::size_t most = 64;
  std::vector<int> all(most * static_cast<std::size_t>(size));
  std::array<int, most> padded{};
  padded[0] = static_cast<int>(mine.size());
  std::copy(mine.begin(), mine.end(), padded.begin() + 1);
  PMPI_Allgather(padded.data(), most, MPI_INT, all.data(), most, MPI_INT, comm);
  std::vector<std::vector<int>> lists;
  for (auto at = all.begin(); at != all.end(); at += most) lists.emplace_back(at + 1, at + 1 + *at);
  return lists;
}

// MPI_Dist_graph_create of MPICH now and then mixes up what a rank hears of its edges from several ranks, itself among
// them: lists do not fit each other, or it crashes.
#ifdef MPICH_VERSION
constexpr bool one_names_all = true;
#else
constexpr bool one_names_all = false;
#endif

// MPI_Dist_graph_create, in which any rank may name any edge, or MPI_Dist_graph_create_adjacent.
inline Topology make_distributed(MPI_Comm base, int size, Random& random) {
  Topology t;
  t.shape = Shape::distributed;
  int me = 0;
  MPI_Comm_rank(base, &me);
  const auto any = [&] { return static_cast<int>(random.below(static_cast<std::uint64_t>(size))); };
  const bool repeats = chance(random, 3);
  const bool adjacent = chance(random, 2);
  const bool weighted = chance(random, 2);
  const int reorder = static_cast<int>(random.below(2));
  const int namer = any();
  std::vector<std::pair<int, int>> edges;
  std::vector<int> named_by;
  const std::uint64_t most = random.below(4U * static_cast<unsigned>(size));
  for (std::uint64_t k = 0; k < most; ++k) {
    const std::pair<int, int> edge{any(), any()};
    const int by = one_names_all ? namer : any();
    if (!repeats && std::count(edges.begin(), edges.end(), edge) > 0) continue;
    const auto full = [&](auto end) {
      return std::count_if(edges.begin(), edges.end(), [&](const auto& e) { return end(e) == end(edge); }) >= 10;
    };
    if (full([](const auto& e) { return e.first; }) || full([](const auto& e) { return e.second; })) continue;
    edges.push_back(edge);
    named_by.push_back(by);
  }
  const std::vector<int> weights(64, 3);
  const int* const of = weighted ? weights.data() : MPI_UNWEIGHTED;
  if (adjacent) {
    // Both lists in orders of their own.
    auto in = edges;
    shuffle(in, random);
    shuffle(edges, random);
    std::vector<int> sources;
    std::vector<int> destinations;
    for (const auto& [from, to] : in)
      if (to == me) sources.push_back(from);
    for (const auto& [from, to] : edges)
      if (from == me) destinations.push_back(to);
    const int indegree = static_cast<int>(sources.size());
    const int outdegree = static_cast<int>(destinations.size());
    sources.push_back(0);
    destinations.push_back(0);
    MPI_Dist_graph_create_adjacent(base, indegree, sources.data(), of, outdegree, destinations.data(), of,
                                   MPI_INFO_NULL, reorder, &t.comm);
  } else {
    std::vector<int> sources;
    std::vector<int> degrees;
    std::vector<int> destinations;
    for (std::size_t k = 0; k < edges.size(); ++k) {
      if (named_by[k] != me) continue;
      if (sources.empty() || sources.back() != edges[k].first) {
        sources.push_back(edges[k].first);
        degrees.push_back(0);
      }
      ++degrees.back();
      destinations.push_back(edges[k].second);
    }
    const int n = static_cast<int>(sources.size());
    for (auto* list : {&sources, &degrees, &destinations}) list->push_back(0);
    MPI_Dist_graph_create(base, n, sources.data(), degrees.data(), destinations.data(), of, MPI_INFO_NULL, reorder,
                          &t.comm);
  }
  t.name = text("%s graph of %d edges", adjacent ? "adjacent" : "distributed", static_cast<int>(edges.size()));
  int indegree = 0;
  int outdegree = 0;
  int has_weights = 0;
  MPI_Dist_graph_neighbors_count(t.comm, &indegree, &outdegree, &has_weights);
  std::vector<int> in(static_cast<std::size_t>(indegree) + 1);
  std::vector<int> out(static_cast<std::size_t>(outdegree) + 1);
  std::vector<int> in_weights = in;
  std::vector<int> out_weights = out;
  MPI_Dist_graph_neighbors(t.comm, indegree, in.data(), has_weights != 0 ? in_weights.data() : MPI_UNWEIGHTED,
                           outdegree, out.data(), has_weights != 0 ? out_weights.data() : MPI_UNWEIGHTED);
  in.pop_back();
  out.pop_back();
  t.sources = lists_of_all(in, t.comm, size);
  t.destinations = lists_of_all(out, t.comm, size);
  return t;
}

// All ranks of `base` draw alike.
inline Topology draw(MPI_Comm base, Random& random) {
  int size = 0;
  MPI_Comm_size(base, &size);
  const std::uint64_t which = random.below(4);
  Topology t = which < 2    ? make_grid(base, std::min(size, 8), random)
               : which == 2 ? make_graph(base, size, random)
                            : make_distributed(base, size, random);
  if (t.comm != MPI_COMM_NULL) MPI_Comm_rank(t.comm, &t.rank);
  return t;
}

}  // namespace neighborhoods
