// SPDX-License-Identifier: BSD-3-Clause
// Communicators with topologies of several kinds, and the blocks that a rank sends and receives on them, worked out
// without the library.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "support.hpp"

namespace ranks {

// A block that arrives: the rank that sends it, and its place among the blocks that this rank sends.
struct Arrival {
  int rank = -1;  // -1: there is no neighbor
  int slot = 0;
};

class Topology {
 public:
  enum class Kind : std::uint8_t { grid, torus, line, graph, uneven, repeated };
  static constexpr int kinds = 6;

  // Collective over `base`.  A communicator of each kind is made once and kept as an attribute of `base`, because
  // handles of communicators that were freed are used again, and not by all ranks alike.
  static const Topology& of(MPI_Comm base, Kind kind) {
    static const int key = [] {
      int made = MPI_KEYVAL_INVALID;
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr);
      return made;
    }();
    Kept* kept = nullptr;
    int found = 0;
    MPI_Comm_get_attr(base, key, static_cast<void*>(&kept), &found);
    if (!found) {
      kept = new Kept;
      MPI_Comm_set_attr(base, key, kept);
    }
    std::unique_ptr<Topology>& topology = (*kept)[kind];
    if (!topology) topology.reset(new Topology(base, kind));
    return *topology;
  }

  MPI_Comm comm() const { return comm_; }
  const std::vector<int>& destinations(int rank) const { return destinations_[static_cast<std::size_t>(rank)]; }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }

  // Whether several edges lead from one rank to another.  MPICH 4.0 (MPI_Neighbor_alltoallv) and Open MPI 4.1 (its
  // nonblocking calls) match them in another way than MPI demands of Cartesian topologies.
  bool repeats_edges() const {
    for (const auto& of_rank : destinations_)
      for (const int r : of_rank)
        if (r >= 0 && std::count(of_rank.begin(), of_rank.end(), r) > 1) return true;
    return false;
  }

 private:
  using Kept = std::map<Kind, std::unique_ptr<Topology>>;

  static int forget(MPI_Comm, int, void* kept, void*) {
    delete static_cast<Kept*>(kept);
    return MPI_SUCCESS;
  }

  Topology(MPI_Comm base, Kind kind) {
    MPI_Comm_rank(base, &rank_);
    MPI_Comm_size(base, &size_);
    destinations_.resize(static_cast<std::size_t>(size_));
    switch (kind) {
      case Kind::grid: make_grid(base, 2, 0); break;
      case Kind::torus: make_grid(base, 3, 1); break;
      case Kind::line: make_grid(base, 1, 0); break;
      case Kind::graph: make_graph(base); break;
      default: make_edges(kind == Kind::repeated), make_distributed_graph(base); break;
    }
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    laconic_comm_set_info(comm_, MPI_INFO_NULL);
  }

  void make_grid(MPI_Comm base, int dimensions, int periodic) {
    std::vector<int> dims(static_cast<std::size_t>(dimensions));
    const std::vector<int> periods(dims.size(), periodic);
    MPI_Dims_create(size_, dimensions, dims.data());
    MPI_Cart_create(base, dimensions, dims.data(), periods.data(), 0, &comm_);
    std::vector<int> place(dims.size());
    for (int r = 0; r < size_; ++r) {
      MPI_Cart_coords(comm_, r, dimensions, place.data());
      for (std::size_t d = 0; d < dims.size(); ++d)
        for (const int step : {-1, 1}) {
          std::vector<int> there = place;
          there[d] += step;
          int to = -1;
          if (periodic != 0 || (there[d] >= 0 && there[d] < dims[d])) MPI_Cart_rank(comm_, there.data(), &to);
          destinations_[static_cast<std::size_t>(r)].push_back(to);
        }
    }
    // What comes from one direction was sent in the opposite one.
    for (int slot = 0; slot < static_cast<int>(destinations(rank_).size()); ++slot)
      arrivals_.push_back({destinations(rank_)[static_cast<std::size_t>(slot)], slot ^ 1});
  }

  // A ring with a chord, every edge in both directions.
  void make_graph(MPI_Comm base) {
    for (int r = 0; r < size_; ++r) {
      std::vector<int>& mine = destinations_[static_cast<std::size_t>(r)];
      for (const int to : {(r + 1) % size_, (r + size_ - 1) % size_, (2 * size_ - 1 - r) % size_})
        if (to != r && std::count(mine.begin(), mine.end(), to) == 0) mine.push_back(to);
    }
    std::vector<int> ends;
    std::vector<int> edges;
    for (const auto& of_rank : destinations_) {
      edges.insert(edges.end(), of_rank.begin(), of_rank.end());
      ends.push_back(static_cast<int>(edges.size()));
    }
    if (edges.empty()) return make_distributed_graph(base);  // MPICH makes no graph without edges
    MPI_Graph_create(base, size_, ends.data(), edges.data(), 0, &comm_);
    for (const int from : destinations(rank_)) arrivals_.push_back(nth_to_me(from, 0));
  }

  // The n-th block that a rank sends to this one.
  Arrival nth_to_me(int from, int n) const {
    const std::vector<int>& there = destinations(from);
    for (int slot = 0; slot < static_cast<int>(there.size()); ++slot)
      if (there[static_cast<std::size_t>(slot)] == rank_ && n-- == 0) return {from, slot};
    return {};
  }

  // Uneven degrees; some ranks send nothing, some receive nothing.
  void make_edges(bool repeated) {
    Random random(static_cast<std::uint64_t>(size_) * 2 + (repeated ? 1 : 0));
    const auto n = static_cast<std::uint64_t>(size_);
    for (int r = 0; r < size_; ++r) {
      std::vector<int>& mine = destinations_[static_cast<std::size_t>(r)];
      const auto degree = r % 3 == 1 ? 0 : random.below(n + 1);
      for (std::uint64_t k = 0; k < degree; ++k) {
        const int to = static_cast<int>(random.below(n));
        if (to % 4 == 2 || (!repeated && std::count(mine.begin(), mine.end(), to) > 0)) continue;
        mine.push_back(to);
      }
    }
  }

  void make_distributed_graph(MPI_Comm base) {
    std::vector<int> sources;
    for (int from = size_ - 1; from >= 0; --from) {
      const auto edges = std::count(destinations(from).begin(), destinations(from).end(), rank_);
      for (int k = 0; k < static_cast<int>(edges); ++k) {
        sources.push_back(from);
        arrivals_.push_back(nth_to_me(from, k));
      }
    }
    const std::vector<int>& mine = destinations(rank_);
    MPI_Dist_graph_create_adjacent(base, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(mine.size()), mine.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm_);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  std::vector<std::vector<int>> destinations_;  // of every rank
  std::vector<Arrival> arrivals_;               // on this rank
};

}  // namespace ranks
