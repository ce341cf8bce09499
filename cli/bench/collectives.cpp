// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "bench/operation.hpp"

namespace laconic::cli::bench {
namespace {

// The arguments of any of the calls.
struct Call {
  const float* in = nullptr;
  float* out = nullptr;
  int whole = 0;  // numbers of the largest buffer
  int own = 0;    // of this rank's block
  std::vector<int> counts, displs, in_counts, in_displs;
  std::vector<MPI_Count> large_counts, large_in_counts;
  std::vector<MPI_Aint> large_displs, large_in_displs;
  MPI_Datatype type = MPI_FLOAT;
  MPI_Op op = MPI_SUM;
  MPI_Op compressed_op = MPI_SUM;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

struct Functions {
  int (*plain)(const Call&);
  int (*compressed)(const Call&, const laconic_options*);
};

const std::map<std::string_view, Functions>& functions() {
  static const std::map<std::string_view, Functions> table{
      {"allreduce",
       {[](const Call& c) { return MPI_Allreduce(c.in, c.out, c.whole, c.type, c.op, c.comm); },
        [](const Call& c, const laconic_options* o) {
          return laconic_allreduce(c.in, c.out, c.whole, c.type, c.compressed_op, c.comm, o);
        }}},
      {"reduce",
       {[](const Call& c) { return MPI_Reduce(c.in, c.out, c.whole, c.type, c.op, c.root, c.comm); },
        [](const Call& c, const laconic_options* o) {
          return laconic_reduce(c.in, c.out, c.whole, c.type, c.compressed_op, c.root, c.comm, o);
        }}},
      {"reduce_scatter",
       {[](const Call& c) { return MPI_Reduce_scatter(c.in, c.out, c.counts.data(), c.type, c.op, c.comm); },
        [](const Call& c, const laconic_options* o) {
          return laconic_reduce_scatter(c.in, c.out, c.large_counts.data(), c.type, c.compressed_op, c.comm, o);
        }}},
      {"reduce_scatter_block",
       {[](const Call& c) { return MPI_Reduce_scatter_block(c.in, c.out, c.own, c.type, c.op, c.comm); },
        [](const Call& c, const laconic_options* o) {
          return laconic_reduce_scatter_block(c.in, c.out, c.own, c.type, c.compressed_op, c.comm, o);
        }}},
      {"allgather",
       {[](const Call& c) { return MPI_Allgather(c.in, c.own, c.type, c.out, c.own, c.type, c.comm); },
        [](const Call& c, const laconic_options* o) {
          return laconic_allgather(c.in, c.own, c.type, c.out, c.own, c.type, c.comm, o);
        }}},
      {"allgatherv",
       {[](const Call& c) {
          return MPI_Allgatherv(c.in, c.own, c.type, c.out, c.counts.data(), c.displs.data(), c.type, c.comm);
        },
        [](const Call& c, const laconic_options* o) {
          return laconic_allgatherv(c.in, c.own, c.type, c.out, c.large_counts.data(), c.large_displs.data(), c.type,
                                    c.comm, o);
        }}},
      {"bcast",
       {[](const Call& c) { return MPI_Bcast(c.out, c.whole, c.type, c.root, c.comm); },
        [](const Call& c, const laconic_options* o) {
          return laconic_bcast(c.out, c.whole, c.type, c.root, c.comm, o);
        }}},
      {"scatter",
       {[](const Call& c) { return MPI_Scatter(c.in, c.own, c.type, c.out, c.own, c.type, c.root, c.comm); },
        [](const Call& c, const laconic_options* o) {
          return laconic_scatter(c.in, c.own, c.type, c.out, c.own, c.type, c.root, c.comm, o);
        }}},
      {"scatterv",
       {[](const Call& c) {
          return MPI_Scatterv(c.in, c.counts.data(), c.displs.data(), c.type, c.out, c.own, c.type, c.root, c.comm);
        },
        [](const Call& c, const laconic_options* o) {
          return laconic_scatterv(c.in, c.large_counts.data(), c.large_displs.data(), c.type, c.out, c.own, c.type,
                                  c.root, c.comm, o);
        }}},
      {"gather",
       {[](const Call& c) { return MPI_Gather(c.in, c.own, c.type, c.out, c.own, c.type, c.root, c.comm); },
        [](const Call& c, const laconic_options* o) {
          return laconic_gather(c.in, c.own, c.type, c.out, c.own, c.type, c.root, c.comm, o);
        }}},
      {"gatherv",
       {[](const Call& c) {
          return MPI_Gatherv(c.in, c.own, c.type, c.out, c.counts.data(), c.displs.data(), c.type, c.root, c.comm);
        },
        [](const Call& c, const laconic_options* o) {
          return laconic_gatherv(c.in, c.own, c.type, c.out, c.large_counts.data(), c.large_displs.data(), c.type,
                                 c.root, c.comm, o);
        }}},
      {"alltoall",
       {[](const Call& c) { return MPI_Alltoall(c.in, c.own, c.type, c.out, c.own, c.type, c.comm); },
        [](const Call& c, const laconic_options* o) {
          return laconic_alltoall(c.in, c.own, c.type, c.out, c.own, c.type, c.comm, o);
        }}},
      {"alltoallv",
       {[](const Call& c) {
          return MPI_Alltoallv(c.in, c.in_counts.data(), c.in_displs.data(), c.type, c.out, c.counts.data(),
                               c.displs.data(), c.type, c.comm);
        },
        [](const Call& c, const laconic_options* o) {
          return laconic_alltoallv(c.in, c.large_in_counts.data(), c.large_in_displs.data(), c.type, c.out,
                                   c.large_counts.data(), c.large_displs.data(), c.type, c.comm, o);
        }}},
  };
  return table;
}

// `whole` in one part for each rank.  Uneven: parts as 1 : 2 : 3 : 1 : 2 : ...
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
  CollectiveOperation(const Request& request, std::size_t bytes, const Ranks& ranks, const Input& input)
      : functions_(functions().at(request.operation.name)),
        collective_(request.operation.collective),
        ranks_(ranks),
        mean_(request.op == "avg") {
    call_.comm = ranks.comm;
    call_.root = request.root;
    call_.op = request.op == "max" ? MPI_MAX : request.op == "min" ? MPI_MIN : MPI_SUM;
    call_.compressed_op = mean_ ? LACONIC_AVG : call_.op;
    cut(static_cast<int>(bytes / sizeof(float)), request.operation.name);
    place(input);
    call_.large_counts.assign(call_.counts.begin(), call_.counts.end());
    call_.large_displs.assign(call_.displs.begin(), call_.displs.end());
    call_.large_in_counts.assign(call_.in_counts.begin(), call_.in_counts.end());
    call_.large_in_displs.assign(call_.in_displs.begin(), call_.in_displs.end());
    call_.in = in_.data();
    call_.out = out_.data();
  }

  int plain() override {
    const int code = functions_.plain(call_);
    if (mean_)  // MPI has no mean: this is what a program does about it
      for (float& x : out_) x /= static_cast<float>(ranks_.size);
    return code;
  }

  int compressed(const laconic_options& options) override { return functions_.compressed(call_, &options); }

  void use(MPI_Comm comm) override { call_.comm = comm; }

  void reset() override {
    if (collective_ == Collective::bcast && ranks_.rank == call_.root)
      out_ = in_;
    else
      Operation::reset();
  }

  bool replicated() const override {
    return collective_ == Collective::allreduce || collective_ == Collective::allgather ||
           collective_ == Collective::bcast;
  }

 private:
  void cut(int whole, std::string_view name) {
    const bool uneven = name == "reduce_scatter" || name.back() == 'v';
    call_.counts = parts(whole, ranks_.size, uneven, 0);
    const bool blocks =
        collective_ != Collective::allreduce && collective_ != Collective::reduce && collective_ != Collective::bcast;
    call_.whole = blocks ? std::accumulate(call_.counts.begin(), call_.counts.end(), 0) : whole;
    if (collective_ == Collective::alltoall) {
      call_.in_counts = parts(whole, ranks_.size, uneven, ranks_.rank);
      call_.in_displs = one_behind_the_other(call_.in_counts);
      // What a peer has for this rank, and where in its buffer.
      for (int p = 0; p < ranks_.size; ++p) {
        const std::vector<int> row = parts(whole, ranks_.size, uneven, p);
        const auto me = static_cast<std::size_t>(ranks_.rank);
        call_.counts[static_cast<std::size_t>(p)] = row[me];
        expect(static_cast<std::size_t>(row[me]), p, static_cast<std::size_t>(one_behind_the_other(row)[me]));
      }
    }
    call_.displs = one_behind_the_other(call_.counts);
    call_.own = call_.counts[static_cast<std::size_t>(ranks_.rank)];
  }

  // Who holds and who gets which numbers.
  void place(const Input& input) {
    const auto me = static_cast<std::size_t>(ranks_.rank);
    const auto whole = static_cast<std::size_t>(call_.whole);
    const auto own = static_cast<std::size_t>(call_.own);
    const auto first = static_cast<std::size_t>(call_.displs[me]);
    const bool root = ranks_.rank == call_.root;
    switch (collective_) {
      case Collective::allreduce:
      case Collective::reduce:
        in_.resize(whole);
        if (root || collective_ == Collective::allreduce) expect(whole, Piece::all, 0);
        break;
      case Collective::reduce_scatter:
        in_.resize(whole);
        expect(own, Piece::all, first);
        break;
      case Collective::bcast:
        if (root) in_.resize(whole);
        expect(whole, call_.root, 0);
        break;
      case Collective::scatter:
        if (root) in_.resize(whole);
        expect(own, call_.root, first);
        break;
      case Collective::allgather:
      case Collective::gather:
        in_.resize(own);
        input.fill(in_, ranks_.rank, first);
        if (collective_ == Collective::gather && !root) return;
        for (std::size_t p = 0; p < call_.counts.size(); ++p)
          expect(static_cast<std::size_t>(call_.counts[p]), static_cast<int>(p),
                 static_cast<std::size_t>(call_.displs[p]));
        return;
      case Collective::alltoall:
        in_.resize(static_cast<std::size_t>(call_.in_displs.back()) + static_cast<std::size_t>(call_.in_counts.back()));
        break;
    }
    input.fill(in_, ranks_.rank, 0);
  }

  Functions functions_;
  Collective collective_;
  Ranks ranks_;
  bool mean_;
  Call call_;
};

}  // namespace

void Operation::reset() { std::fill(out_.begin(), out_.end(), std::numeric_limits<float>::quiet_NaN()); }

void Operation::expect(std::size_t count, int source, std::size_t first) {
  pieces_.push_back({count, source, first});
  out_.resize(out_.size() + count);
}

std::unique_ptr<Operation> make_collective(const Request& request, std::size_t bytes, const Ranks& ranks,
                                           const Input& input) {
  return std::make_unique<CollectiveOperation>(request, bytes, ranks, input);
}

}  // namespace laconic::cli::bench
