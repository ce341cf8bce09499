// SPDX-License-Identifier: BSD-3-Clause
// One call of any collective on any communicator.  Its arguments are made from a seed, equal on all ranks, and its
// result is compared with exact arithmetic.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

#include "call/arguments.hpp"
#include "collective_setting.hpp"
#include "exact_element.hpp"

namespace ranks {

// An allocator for the buffers of a call in memory other than the test's own.
class Elsewhere {
 public:
  virtual ~Elsewhere() = default;
  virtual void* reserve(std::size_t bytes) = 0;  // valid for the life of the object
  virtual void push(void* there, const void* here, std::size_t bytes) = 0;
  virtual void pull(void* here, const void* there, std::size_t bytes) = 0;
  virtual void* stream() { return nullptr; }  // that what was pushed comes by
};

// A call that can be in flight.
class AnyCall {
 public:
  virtual ~AnyCall() = default;
  virtual const Setting& setting() const = 0;
  virtual const laconic_stats& stats() const = 0;
  virtual void prepare() = 0;  // buffers as they are before the call
  virtual int run() = 0;
  virtual int begin(laconic_request* request) = 0;
  virtual int init(laconic_request* request) = 0;
  virtual void check(Test& t) = 0;         // for a call that has succeeded
  virtual std::uint64_t hash() const = 0;  // for a result that all ranks hold
};

template <class T>
class CollectiveCall final : public AnyCall {
 public:
  // Buffers are in the test's own memory unless another allocator is given.
  CollectiveCall(const Setting& s, MPI_Comm comm, Elsewhere* sending = nullptr, Elsewhere* receiving = nullptr)
      : s_(s), comm_(comm), sending_(sending), receiving_(receiving) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    if (traits_.neighborhood()) {
      topology_ = &Topology::of(comm, s.topology);
      if (topology_->repeats_edges()) topology_ = &Topology::of(comm, Topology::Kind::line);
      comm_ = topology_->comm();
    }
    for (int r = 0; r < size_; ++r) inputs_.push_back(laconic::test::make_field<T>(s.field, input_count(r), s.seed, r));
    lay_out();
    options_ = options_with(s.bound.mode, s.bound.value);
    options_.algorithm = s.algorithm;
    options_.codec = s.codec;
    options_.variant = s.variant;
    options_.chunk_elements = s.chunk;
    options_.depth = s.depth;
    options_.threads = s.threads;
    options_.min_bytes = s.min_bytes;
    options_.denormals = s.denormals;
    options_.stats = &stats_;
    if (sending_ != nullptr) {
      send_there_ = sending_->reserve(send_.size() * sizeof(T));
      options_.stream = sending_->stream();
    }
    if (receiving_ != nullptr) {
      recv_there_ = receiving_->reserve(recv_.size() * sizeof(T));
      options_.stream = receiving_->stream();
    }
    prepare();
  }

  const Setting& setting() const override { return s_; }
  const laconic_stats& stats() const override { return stats_; }
  std::uint64_t hash() const override { return hash_of(recv_.data(), recv_.size() * sizeof(T)); }

  void prepare() override {
    stats_ = {};
    std::fill(send_.begin(), send_.end(), untouched);
    std::fill(recv_.begin(), recv_.end(), untouched);
    const std::vector<T>& mine = inputs_[static_cast<std::size_t>(rank_)];
    if (traits_.one_buffer()) {
      if (rank_ == s_.root) std::copy(mine.begin(), mine.end(), recv_.begin());
    } else if (in_place_input()) {
      copy_parts(mine, recv_, input_places_in_recv());
    } else {
      copy_parts(mine, send_, input_places());
    }
    sent_ = send_;
    if (sending_ != nullptr) sending_->push(send_there_, send_.data(), send_.size() * sizeof(T));
    if (receiving_ != nullptr) receiving_->push(recv_there_, recv_.data(), recv_.size() * sizeof(T));
  }

  int run() override { return call<0>(nullptr); }
  int begin(laconic_request* request) override { return call<1>(request); }
  int init(laconic_request* request) override { return call<2>(request); }

  void check(Test& t) override {
    if (sending_ != nullptr) sending_->pull(send_.data(), send_there_, send_.size() * sizeof(T));
    if (receiving_ != nullptr) receiving_->pull(recv_.data(), recv_there_, recv_.size() * sizeof(T));
    const bool plain = stats_.plain_calls > 0;
    CHECK(t, stats_.calls == 1, "%d calls", static_cast<int>(stats_.calls));
    CHECK(t, sent_.empty() || std::memcmp(send_.data(), sent_.data(), send_.size() * sizeof(T)) == 0,
          "sendbuf was changed");
    if (size_ > 1 && !plain) {
      CHECK(t, stats_.achieved_bound <= stats_.bound, "achieved %g, bound %g", stats_.achieved_bound, stats_.bound);
      CHECK(t, s_.depth == 0 || stats_.most_chunks <= static_cast<std::uint64_t>(s_.depth));
    }
    std::vector<bool> written(recv_.size(), false);
    int reported = 0;
    for (const Place& p : result_places()) {
      for (std::size_t i = 0; i < p.count && reported < 3; ++i) {
        written[p.at + i] = true;
        reported += !right(t, p, i, recv_[p.at + i], plain);
      }
    }
    if (traits_.one_buffer() || in_place_input()) return;
    if (plain && contributions() == 0) return;  // MPI may write anything there
    for (std::size_t i = 0; i < recv_.size() && reported < 3; ++i)
      if (!written[i]) reported += !CHECK(t, recv_[i] == untouched, "element %zu was written", i);
  }

 private:
  static constexpr T untouched = static_cast<T>(-7.25);

  // A run of elements in a buffer: they begin at element `from` of the input of rank `source`.
  struct Place {
    std::size_t at = 0;
    std::size_t count = 0;
    int source = 0;
    std::size_t from = 0;
  };

  static std::uint64_t mix(std::uint64_t x) {
    Random r(x);
    return r.bits();
  }

  // The numbers of block d of rank s.
  std::size_t part(int s, int d) const {
    if (!s_.uneven()) return s_.count;
    const bool by_one = s_.routine != Routine::alltoallv && s_.routine != Routine::neighbor_alltoallv;
    const auto key =
        s_.seed * 1000003 + static_cast<std::uint64_t>(by_one ? 0 : s) * 1009 + static_cast<std::uint64_t>(d) * 17 + 5;
    const std::uint64_t h = mix(key);
    return h % 5 == 0 ? 0 : static_cast<std::size_t>(h % (2 * s_.count + 1));
  }

  std::size_t input_count(int r) const {
    if (traits_.send.root_only && r != s_.root) return 0;
    if (traits_.cut_freely()) return s_.count;
    if (!traits_.send.cut()) return part(0, r);
    return sum_before(r, num_parts_sent(r));
  }

  // The number of blocks that a rank sends, and that this rank receives.
  int num_parts_sent(int r) const {
    return topology_ != nullptr ? static_cast<int>(topology_->destinations(r).size()) : size_;
  }
  int num_parts_received() const {
    return topology_ != nullptr ? static_cast<int>(topology_->arrivals().size()) : size_;
  }

  // The numbers of a rank before its block d.
  std::size_t sum_before(int r, int d) const {
    std::size_t n = 0;
    const bool own = traits_.send.cut() && !traits_.reduces && !traits_.send.root_only;
    for (int k = 0; k < d; ++k) n += part(own ? r : 0, k);
    return n;
  }

  // The ranks whose contributions a reduction holds on this rank: the first ones.
  int contributions() const {
    if (traits_.recv.contents == laconic::Contents::prefix) return rank_ + 1;
    return traits_.recv.contents == laconic::Contents::exclusive_prefix ? rank_ : size_;
  }

  std::size_t part_received(int k) const {
    if (topology_ != nullptr) {
      const Arrival& a = topology_->arrivals()[static_cast<std::size_t>(k)];
      if (a.rank < 0) return s_.count;  // MPI leaves this room alone
      return traits_.send.cut() ? part(a.rank, a.slot) : part(0, a.rank);
    }
    return traits_.all_to_all() ? part(k, rank_) : part(rank_, k);
  }

  // Parts with gaps between them and, where displacements allow it, in an order other than that of the ranks.
  void lay(std::vector<MPI_Count>& counts, std::vector<MPI_Aint>& displs, bool sending) {
    const auto parts = static_cast<std::size_t>(sending ? num_parts_sent(rank_) : num_parts_received());
    counts.reserve(parts + 1);  // so that there are addresses where there are no parts: MPI libraries want them
    displs.reserve(parts + 1);
    counts.resize(parts);
    displs.resize(parts);
    std::size_t at = 0;
    const std::size_t gap = mix(s_.seed) % 4;
    const bool backwards = mix(s_.seed + 1) % 2 == 0;
    for (std::size_t k = 0; k < parts; ++k) {
      const std::size_t p = backwards ? parts - 1 - k : k;
      const int peer = static_cast<int>(p);
      counts[p] = static_cast<MPI_Count>(sending ? part(rank_, peer) : part_received(peer));
      displs[p] = static_cast<MPI_Aint>(at);
      at += static_cast<std::size_t>(counts[p]) + gap;
    }
  }

  void lay_out() {
    const bool root = rank_ == s_.root;
    const auto own = static_cast<std::size_t>(rank_);
    const bool v = s_.uneven() && !traits_.reduces;
    lay(send_counts_, send_displs_, true);
    lay(recv_counts_, recv_displs_, false);
    for (auto* displs : {&send_displs_, &recv_displs_})
      for (std::size_t k = 0; !v && k < displs->size(); ++k) (*displs)[k] = static_cast<MPI_Aint>(k * s_.count);
    const auto span_of = [](const std::vector<MPI_Count>& counts, const std::vector<MPI_Aint>& displs) {
      std::size_t span = 0;
      for (std::size_t k = 0; k < counts.size(); ++k)
        span = std::max(span, static_cast<std::size_t>(displs[k] + counts[k]));
      return span;
    };
    const std::size_t span_sent = span_of(send_counts_, send_displs_);
    const std::size_t span_received = span_of(recv_counts_, recv_displs_);
    std::size_t total = 0;
    for (int r = 0; r < size_; ++r) total += part(0, r);
    constexpr std::size_t guard = 8;
    const auto room = [&](const laconic::SideTraits& side, std::size_t span) {
      if (side.root_only && !root) return std::size_t{0};
      if (traits_.cut_freely()) return s_.count;
      return side.cut() ? span : part(0, rank_);
    };
    resize(traits_.one_buffer() ? 0 : room(traits_.send, traits_.reduces ? total : span_sent),
           traits_.keeps_block() && s_.in_place ? total : room(traits_.recv, span_received));
    send_.resize(send_.size() + guard);
    recv_.resize(recv_.size() + guard);
    own_ = own;
  }

  void resize(std::size_t sent, std::size_t received) {
    send_.resize(sent);
    recv_.resize(received);
  }

  bool in_place_input() const {
    if (!s_.in_place || traits_.send.root_only) return false;
    return !s_.rooted() || rank_ == s_.root;
  }
  bool in_place_output() const { return s_.in_place && traits_.recv_in_place() && rank_ == s_.root; }
  bool cut() const { return traits_.send.cut() && !traits_.reduces; }

  // The location of this rank's input: (place in the buffer, numbers), in the order of the input.
  std::vector<Place> input_places() const {
    if (!cut() || send_.size() <= 8) return {{0, input_count(rank_), rank_, 0}};
    return places(send_counts_, send_displs_);
  }
  std::vector<Place> input_places_in_recv() const {
    if (traits_.all_to_all()) return places(recv_counts_, recv_displs_);
    const std::size_t at = traits_.recv.cut() ? static_cast<std::size_t>(recv_displs_[own_]) : 0;
    return {{at, input_count(rank_), rank_, 0}};
  }
  static std::vector<Place> places(const std::vector<MPI_Count>& counts, const std::vector<MPI_Aint>& displs) {
    std::vector<Place> all;
    std::size_t from = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      all.push_back({static_cast<std::size_t>(displs[k]), static_cast<std::size_t>(counts[k]), 0, from});
      from += static_cast<std::size_t>(counts[k]);
    }
    return all;
  }
  static void copy_parts(const std::vector<T>& from, std::vector<T>& to, const std::vector<Place>& places) {
    for (const Place& p : places)
      for (std::size_t i = 0; i < p.count; ++i) to[p.at + i] = from[p.from + i];
  }

  std::vector<Place> result_places() const {
    const bool root = rank_ == s_.root;
    std::vector<Place> all;
    if ((traits_.recv.root_only && !root) || in_place_output() || (traits_.reduces && contributions() == 0)) return all;
    const int source = traits_.reduces ? -1 : s_.root;
    if (traits_.cut_freely()) return {{0, s_.count, source, 0}};
    if (!traits_.recv.cut()) return {{0, part(0, rank_), source, sum_before(s_.root, rank_)}};
    for (std::size_t k = 0; k < recv_counts_.size(); ++k) {
      const Arrival a = topology_ != nullptr ? topology_->arrivals()[k] : Arrival{static_cast<int>(k), rank_};
      if (a.rank < 0) continue;
      all.push_back({static_cast<std::size_t>(recv_displs_[k]), static_cast<std::size_t>(recv_counts_[k]), a.rank,
                     traits_.send.cut() ? sum_before(a.rank, a.slot) : 0});
    }
    return all;
  }

  // Checks one element of a result against exact arithmetic.
  bool right(Test& t, const Place& p, std::size_t i, T r, bool plain) const {
    const double bound = plain ? 0 : stats_.bound;
    constexpr long double eps = std::numeric_limits<T>::epsilon();
    Exact e;
    if (p.source >= 0) {
      const T x = inputs_[static_cast<std::size_t>(p.source)][p.from + i];
      e = reduce_exactly(Op::max, 1, [&](int) { return x; });
      const bool kept = s_.denormals == LACONIC_DENORMALS_EXACT && std::fpclassify(x) == FP_SUBNORMAL;
      if (kept || (s_.denormals == LACONIC_DENORMALS_EXACT && !std::isfinite(x)))
        return CHECK(t, std::memcmp(&x, &r, sizeof(T)) == 0, "element %zu is %a, not %a to the bit", p.at + i,
                     static_cast<double>(r), static_cast<double>(x));
      if (plain || s_.codec == LACONIC_CODEC_RAW || s_.bound.mode == LACONIC_BOUND_LOSSLESS)
        return CHECK(t, std::memcmp(&x, &r, sizeof(T)) == 0 || (x != x && r != r), "element %zu is %a, not %a",
                     p.at + i, static_cast<double>(r), static_cast<double>(x));
    } else {
      e = reduce_exactly(s_.op, contributions(),
                         [&](int k) { return inputs_[static_cast<std::size_t>(k)][p.from + i]; });
    }
    if (plain && s_.op != Op::sum && p.source < 0 && e.nan) return true;  // MPI leaves it open
    if (e.nan) return CHECK(t, std::isnan(r), "element %zu is %g, not NaN", p.at + i, static_cast<double>(r));
    if (e.infinite != 0)
      return CHECK(t, std::isinf(r) && (r > 0) == (e.infinite > 0), "element %zu is %g, not infinite", p.at + i,
                   static_cast<double>(r));
    const int divisor = s_.mean ? size_ : 1;
    const long double exact = e.value / divisor;
    long double slack = bound * (1 + 1e-12L) +
                        half_unit<T>(std::max(std::fabs(exact), std::fabs(static_cast<long double>(r)))) * 1.000001L;
    if (p.source < 0 && s_.op == Op::sum) {
      if (e.magnitude > 0.5L * std::numeric_limits<T>::max()) return true;  // partial sums may overflow
      slack += e.magnitude / divisor * size_ * eps + half_unit<T>(e.magnitude) * size_;
    }
    return CHECK(t, std::fabs(static_cast<long double>(r) - exact) <= slack,
                 "element %zu is %.9g, exact %.9Lg, error %.3Lg > %.3Lg (bound %g)", p.at + i, static_cast<double>(r),
                 exact, std::fabs(static_cast<long double>(r) - exact), slack, bound);
  }

  MPI_Op mpi_op() const {
    if (s_.mean) return LACONIC_AVG;
    return s_.op == Op::max ? MPI_MAX : s_.op == Op::min ? MPI_MIN : MPI_SUM;
  }

  template <int how>
  int call(laconic_request* request) {
    const MPI_Datatype type = mpi_type<T>();
    const void* from = in_place_input() ? MPI_IN_PLACE : sending_ != nullptr ? send_there_ : send_.data();
    void* to = in_place_output() ? MPI_IN_PLACE : receiving_ != nullptr ? recv_there_ : recv_.data();
    const auto n = static_cast<MPI_Count>(s_.count);
    const auto mine = static_cast<MPI_Count>(part(0, rank_));
    struct Side {
      void* buffer;
      MPI_Count count;
      const MPI_Count* counts;
      const MPI_Aint* displs;
      MPI_Datatype type;
    };
    // Each rank has its own count of a block, or all have the same.
    const auto count_of = [&](const laconic::SideTraits& side) { return side.cut() || !s_.uneven() ? n : mine; };
    const MPI_Count* const sent = traits_.reduces ? recv_counts_.data() : send_counts_.data();
    const Side send{const_cast<void*>(from), count_of(traits_.send), sent, send_displs_.data(), type};
    const Side recv{to, count_of(traits_.recv), recv_counts_.data(), recv_displs_.data(), type};
    switch (s_.routine) {
#define LACONIC_COLLECTIVE(name, Name, ...)                                           \
  case Routine::name:                                                                 \
    return std::apply(                                                                \
        [&](auto... a) {                                                              \
          return how == 0   ? laconic_##name(a..., comm_, &options_)                  \
                 : how == 1 ? laconic_i##name(a..., comm_, request, &options_)        \
                            : laconic_##name##_init(a..., comm_, request, &options_); \
        },                                                                            \
        laconic::arguments_of<Routine::name>(send, recv, mpi_op(), s_.root));
#include "call/collectives.def"
    }
    return MPI_ERR_INTERN;
  }

  Setting s_;
  laconic::CollectiveTraits traits_ = s_.traits();
  MPI_Comm comm_;
  const Topology* topology_ = nullptr;  // of neighborhood collectives
  int rank_ = 0;
  int size_ = 1;
  std::size_t own_ = 0;
  std::vector<std::vector<T>> inputs_;
  Elsewhere* sending_;
  Elsewhere* receiving_;
  void* send_there_ = nullptr;
  void* recv_there_ = nullptr;
  std::vector<T> send_;
  std::vector<T> sent_;  // the send buffer as it was before the call
  std::vector<T> recv_;
  std::vector<MPI_Count> send_counts_;
  std::vector<MPI_Count> recv_counts_;
  std::vector<MPI_Aint> send_displs_;
  std::vector<MPI_Aint> recv_displs_;
  laconic_options options_{};
  laconic_stats stats_{};
};

inline std::unique_ptr<AnyCall> make_call(const Setting& s, bool twice_as_wide, MPI_Comm comm) {
  if (twice_as_wide) return std::make_unique<CollectiveCall<double>>(s, comm);
  return std::make_unique<CollectiveCall<float>>(s, comm);
}
}  // namespace ranks
