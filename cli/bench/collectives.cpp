// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

#include "bench/operation.hpp"
#include "call/arguments.hpp"
#include "call/neighborhood.hpp"

namespace laconic::cli::bench {
namespace {

template <class Count, class Displacement>
struct Side {
  void* buffer;
  Count count;
  const Count* counts;
  const Displacement* displs;
  MPI_Datatype type;
};

// Counts and displacements of one side of a call, in the types of MPI and of Laconic.
struct Parts {
  std::vector<int> counts, displs;
  std::vector<MPI_Count> large_counts;
  std::vector<MPI_Aint> large_displs;

  void widen() {
    large_counts.assign(counts.begin(), counts.end());
    large_displs.assign(displs.begin(), displs.end());
  }
  Side<int, int> small(const float* buffer, int count) const {
    return {const_cast<float*>(buffer), count, counts.data(), displs.data(), MPI_FLOAT};
  }
  Side<MPI_Count, MPI_Aint> large(const float* buffer, int count) const {
    return {const_cast<float*>(buffer), count, large_counts.data(), large_displs.data(), MPI_FLOAT};
  }
};

// Divides `whole` into one part per rank.  Uneven parts are in the ratio 1 : 2 : 3 : 1 : 2 : ...
std::vector<int> parts(int whole, int ranks, bool uneven, int turn) {
  std::vector<int> counts(static_cast<std::size_t>(ranks));
  const auto weight = [&](int p) { return uneven ? 1 + (p + turn) % 3 : 1; };
  int weights = 0;
  for (int p = 0; p < ranks; ++p) weights += weight(p);
  for (int p = 0; p < ranks; ++p) counts[static_cast<std::size_t>(p)] = whole / weights * weight(p);
  return counts;
}

std::vector<int> one_behind_the_other(const std::vector<int>& counts) {
  std::vector<int> displs(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), displs.begin(), 0);
  return displs;
}

class CollectiveOperation final : public Operation {
 public:
  CollectiveOperation(const Request& request, std::size_t bytes, const Ranks& ranks, const Input& input,
                      const BufferMemory& memory)
      : Operation(memory),
        routine_(request.operation.routine),
        traits_(traits_of(routine_)),
        grid_(request.grid),
        ranks_(ranks),
        comm_(ranks.comm),
        root_(request.root),
        op_(request.op == "max"   ? MPI_MAX
            : request.op == "min" ? MPI_MIN
                                  : MPI_SUM),
        mean_(request.op == "avg") {
    const int whole = static_cast<int>(bytes / sizeof(float));
    if (traits_.neighborhood()) {
      cut_for_neighbors(whole);
    } else {
      cut(whole);
      place();
    }
    fill(input, ranks_.rank, first_);
    sent_.widen();
    received_.widen();
  }

  int compressed(const laconic_options& options) override {
    const auto send = sent_.large(in_.data(), count());
    const auto recv = received_.large(out_.data(), count());
    const MPI_Op op = mean_ ? LACONIC_AVG : op_;
    switch (routine_) {
#define LACONIC_COLLECTIVE(name, Name, ...)                                             \
  case Routine::name:                                                                   \
    return std::apply([&](auto... a) { return laconic_##name(a..., comm_, &options); }, \
                      arguments_of<Routine::name>(send, recv, op, root_));
#include "call/collectives.def"
    }
    return MPI_ERR_INTERN;
  }

  void use(MPI_Comm comm) override { comm_ = comm; }

  bool replicated() const override { return traits_.replicates(); }

 private:
  // The count of the buffer, or of a block where all blocks are equal or this rank has its own.
  int count() const { return traits_.cut_freely() ? whole_ : own_; }

  bool in_place() const override { return traits_.one_buffer() && ranks_.rank == root_; }

  int call_plain() override {
    const int code = call_mpi();
    if (mean_)  // MPI has no mean, so a program divides the sum itself
      for (float& x : out_.on_host()) x /= static_cast<float>(ranks_.size);
    return code;
  }

  int call_mpi() {
    const auto send = sent_.small(in_.data(), count());
    const auto recv = received_.small(out_.data(), count());
    switch (routine_) {
#define LACONIC_COLLECTIVE(name, Name, ...)                               \
  case Routine::name:                                                     \
    return std::apply([&](auto... a) { return MPI_##Name(a..., comm_); }, \
                      arguments_of<Routine::name>(send, recv, op_, root_));
#include "call/collectives.def"
    }
    return MPI_ERR_INTERN;
  }

  void cut(int whole) {
    const bool uneven = traits_.send.counting != Counting::equal || traits_.recv.counting != Counting::equal;
    received_.counts = parts(whole, ranks_.size, uneven, 0);
    whole_ = traits_.cut_freely() ? whole : std::accumulate(received_.counts.begin(), received_.counts.end(), 0);
    if (traits_.all_to_all()) {
      sent_.counts = parts(whole, ranks_.size, uneven, ranks_.rank);
      // The part of a peer's buffer that is for this rank, and its offset.
      for (int p = 0; p < ranks_.size; ++p) {
        const std::vector<int> row = parts(whole, ranks_.size, uneven, p);
        const auto me = static_cast<std::size_t>(ranks_.rank);
        received_.counts[static_cast<std::size_t>(p)] = row[me];
        expect({static_cast<std::size_t>(row[me]), p, static_cast<std::size_t>(one_behind_the_other(row)[me])});
      }
    } else {
      sent_.counts = received_.counts;
    }
    sent_.displs = one_behind_the_other(sent_.counts);
    received_.displs = one_behind_the_other(received_.counts);
    own_ = received_.counts[static_cast<std::size_t>(ranks_.rank)];
  }

  // The parts of a rank for its neighbors in a periodic grid.  A rank that sends one block sends the first of them.
  std::vector<int> parts_of_neighbors(int whole, int rank) const {
    const bool uneven = traits_.recv.counting != Counting::equal;
    return parts(whole, assumed_neighbors, uneven, rank);
  }

  void cut_for_neighbors(int whole) {
    constexpr std::array<int, 3> periodic{1, 1, 1};
    const Neighborhood neighborhood = cartesian_neighborhood(grid_, periodic, ranks_.rank);
    sent_.counts = parts_of_neighbors(whole, ranks_.rank);
    sent_.displs = one_behind_the_other(sent_.counts);
    own_ = sent_.counts[0];
    in_.resize(static_cast<std::size_t>(traits_.send.cut() ? sent_.displs.back() + sent_.counts.back() : own_));
    for (const Neighbor& source : neighborhood.sources) {
      const std::vector<int> row = parts_of_neighbors(whole, source.rank);
      const auto part = static_cast<std::size_t>(traits_.send.cut() ? source.label : 0);
      received_.counts.push_back(row[part]);
      expect({static_cast<std::size_t>(row[part]), source.rank,
              static_cast<std::size_t>(one_behind_the_other(row)[part])});
    }
    received_.displs = one_behind_the_other(received_.counts);
  }

  // Makes room for this rank's input and records the numbers that it expects to receive.
  void place() {
    const auto me = static_cast<std::size_t>(ranks_.rank);
    const auto whole = static_cast<std::size_t>(whole_);
    const auto own = static_cast<std::size_t>(own_);
    const auto first = static_cast<std::size_t>(received_.displs[me]);
    const bool root = ranks_.rank == root_;
    const bool has_block = traits_.send.contents == Contents::block;
    if (traits_.all_to_all())
      in_.resize(static_cast<std::size_t>(sent_.displs.back()) + static_cast<std::size_t>(sent_.counts.back()));
    else if (!traits_.send.root_only || root)
      in_.resize(has_block ? own : whole);
    first_ = has_block ? first : 0;
    if (traits_.all_to_all() || (traits_.recv.root_only && !root)) return;
    const int source = traits_.reduces ? Piece::reduced : root_;
    const int contributions = contributions_of(traits_.pattern, {ranks_.rank, ranks_.size, root_});
    if (contributions == 0) return out_.resize(whole);  // the first rank of an exclusive scan has no result
    if (traits_.cut_freely()) return expect({whole, source, 0, contributions});
    if (!traits_.recv.cut()) return expect({own, source, first, contributions});
    for (std::size_t p = 0; p < received_.counts.size(); ++p)
      expect({static_cast<std::size_t>(received_.counts[p]), static_cast<int>(p),
              static_cast<std::size_t>(received_.displs[p])});
  }

  Routine routine_;
  CollectiveTraits traits_;
  std::array<int, 3> grid_;
  Ranks ranks_;
  MPI_Comm comm_;
  int root_;
  MPI_Op op_;
  bool mean_;
  int whole_ = 0;          // numbers in the largest buffer
  int own_ = 0;            // numbers in this rank's block
  std::size_t first_ = 0;  // this rank's input begins with this number
  Parts sent_, received_;
};

}  // namespace

int Operation::plain() {
  if (!staged_) return call_plain();
  in_.to_host();
  in_.stage(true);
  out_.stage(true);
  const int code = call_plain();
  in_.stage(false);
  out_.stage(false);
  out_.to_device();
  return code;
}

void Operation::reset() {
  if (in_place())
    out_.on_host() = in_.on_host();
  else
    std::fill(out_.on_host().begin(), out_.on_host().end(), std::numeric_limits<float>::quiet_NaN());
  out_.to_device();
}

const std::vector<float>& Operation::fetch_result() {
  out_.to_host();
  return out_.on_host();
}

void Operation::fill(const Input& input, int rank, std::size_t first) {
  input.fill(in_.on_host(), rank, first);
  in_.to_device();
}

void Operation::expect(const Piece& piece) {
  pieces_.push_back(piece);
  out_.resize(out_.on_host().size() + piece.count);
}

std::unique_ptr<Operation> make_collective(const Request& request, std::size_t bytes, const Ranks& ranks,
                                           const Input& input, const BufferMemory& memory) {
  return std::make_unique<CollectiveOperation>(request, bytes, ranks, input, memory);
}

}  // namespace laconic::cli::bench
