// SPDX-License-Identifier: BSD-3-Clause
#include "operation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attack {

void GuardedBytes::reset(std::size_t bytes, std::size_t room, std::uint64_t seed) {
  constexpr std::size_t guard = 48;
  if (memory_.empty()) front_ = guard + (seed % 7) * 8;
  memory_.resize(front_ + bytes + room + guard);
  std::uint64_t x = seed | 1;
  for (unsigned char& b : memory_) {
    x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    b = static_cast<unsigned char>(x >> 56);
  }
}

void GuardedBytes::put(std::size_t at, const unsigned char* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(data() + at, from, bytes);
}

bool GuardedBytes::unchanged(const std::vector<std::pair<std::size_t, std::size_t>>& but_for) const {
  Bytes now = memory_;
  for (const auto& [begin, bytes] : but_for)
    if (bytes > 0) std::memcpy(now.data() + front_ + begin, before_.data() + front_ + begin, bytes);
  return now == before_;
}

Operation::Operation(World& world, const Group& group, const Call& call, std::size_t room)
    : world_(world), group_(group), call_(call), layout_(call, group.rank, group.size), room_(room) {
  fill(0);
  Random random(call.seed * 7 + static_cast<std::uint64_t>(group.rank));
  bundle(bundles_[0], layout_.send, random);
  bundle(bundles_[1], layout_.recv, random);
  options_ = call.options;
  // The number of threads may differ from rank to rank.
  if (Random(call.seed + static_cast<std::uint64_t>(group.rank)).below(10) == 0) options_.threads = 2;
  if (call.by_hints) laconic_options_init(&options_);
  options_.stats = &stats_;
  if (world.plant == Plant::bound && options_.bound.mode == LACONIC_BOUND_ABS) options_.bound.value *= 10;
}

Operation::~Operation() {
  for (Bundle& b : bundles_)
    if (b.numbers > 1) MPI_Type_free(&b.type);
}

void Operation::bundle(Bundle& b, Side side, Random& random) {
  const std::vector<int> sizes{1, 2, 3, 4, 6, 12};
  if (call_.bundled) b.numbers = random.pick(sizes);
  b.type = call_.type->type;
  if (b.numbers > 1) {
    MPI_Type_contiguous(static_cast<int>(b.numbers), call_.type->type, &b.type);
    MPI_Type_commit(&b.type);
  }
  b.counts = std::move(side.counts);
  b.displs = std::move(side.displs);
  for (MPI_Count& n : b.counts) n /= b.numbers;
  for (MPI_Aint& d : b.displs) d /= static_cast<MPI_Aint>(b.numbers);
}

void Operation::fill(int round) {
  stats_ = {};
  const auto seed = call_.seed * 64 + static_cast<std::uint64_t>(round);
  Shape shape;
  shape.shared = seed;
  shape.own = seed + 1;
  shape.ranks = group_.size;
  shape.bound = call_.options.bound.value;
  const bool shared = call_.reduces() && call_.reduction == Reduction::sum;
  shape.step = 2 * shape.bound / (shared && call_.options.target != LACONIC_TARGET_INPUT ? group_.size : 1);
  inputs_.clear();
  for (int r = 0; r < group_.size; ++r) {
    shape.rank = r;
    shape.pattern = (call_.odd_ranks >> r) & 1 ? call_.odd_pattern : call_.pattern;
    inputs_.push_back(make_numbers(shape, call_.type->number, layout_.contributes(r)));
  }
  send_.reset(layout_.send.span * width(), room_, seed);
  recv_.reset(std::max(layout_.recv.span, layout_.scratch) * width(), room_, seed + 2);
  const Bytes& mine = inputs_[static_cast<std::size_t>(group_.rank)];
  for (const Place& p : layout_.inputs)
    (layout_.input_in_place ? recv_ : send_).put(p.at * width(), mine.data() + p.from * width(), p.count * width());
  send_.keep();
  recv_.keep();
}

Arguments Operation::arguments() {
  Arguments a;
  a.comm = group_.comm;
  a.root = call_.root;
  a.options = &options_;
  constexpr std::array<int, 5> order{0, 1, 2, 3, 4};
  const std::array<MPI_Op, order.size()> ops{MPI_SUM, MPI_MAX, MPI_MIN, LACONIC_AVG, MPI_PROD};
  if (call_.reduces()) a.op = ops[static_cast<std::size_t>(call_.reduction)];
  const auto count = static_cast<MPI_Count>(call_.count);
  const bool scatters = call_.traits().recv_in_place();
  // Arguments that are ignored on a rank may have any value.
  const bool sends = !scatters || layout_.is_root;
  const bool receives = !call_.traits().recv.root_only || layout_.is_root;
  const bool sending = sends && !(layout_.input_in_place || call_.traits().one_buffer());
  if (sending) {
    a.sendbuf = send_.data() + layout_.send.origin * width();
    a.sendcount = call_.uneven() && !scatters ? static_cast<MPI_Count>(layout_.contributes(group_.rank)) : count;
    a.sendcount /= bundles_[0].numbers;
    a.sendcounts = bundles_[0].counts.data();
    a.sdispls = bundles_[0].displs.data();
    a.sendtype = bundles_[0].type;
  } else {
    a.sendcount = -7;
    if (layout_.input_in_place) a.sendbuf = MPI_IN_PLACE;
  }
  if (receives) {
    a.recvbuf = recv_.data() + layout_.recv.origin * width();
    a.recvcount = count;
    if (call_.routine == Routine::scatterv)
      a.recvcount = static_cast<MPI_Count>(layout_.block(call_.root, group_.rank));
    a.recvcount /= bundles_[1].numbers;
    a.recvcounts = bundles_[1].counts.data();
    a.rdispls = bundles_[1].displs.data();
    a.recvtype = bundles_[1].type;
  }
  if (call_.routine == Routine::reduce) {  // one count and type for both sides
    a.recvcount = count;
    a.recvtype = call_.type->type;
  }
  if (layout_.output_in_place) {
    a.recvbuf = MPI_IN_PLACE;
    a.recvcount = -7;
    a.recvtype = MPI_DATATYPE_NULL;
  }
  return a;
}

int Operation::begin(laconic_request* request) { return begin(arguments(), request); }

int Operation::begin(const Arguments& arguments, laconic_request* request) {
  return invoke(call_.routine, call_.mode, arguments, request);
}

void Operation::check() {
  Journal& journal = world_.journal;
  const Facts facts{call_, layout_, group_.rank, group_.size, inputs_};
  if (world_.plant != Plant::none && !world_.planted) world_.planted = spoil();
  check_memory(true);
  check_plain();
  check_stats(journal, facts, stats_);
  const std::size_t values = check_results(journal, facts, stats_, recv_.data(), common().has_value());
  journal.count("values", call_.type->name, values);
}

std::optional<std::array<std::uint64_t, 2>> Operation::common() const {
  // Plain MPI may return any of several NaN, and leaves open in which order each rank adds.
  const bool plain = stats_.plain_calls > 0;
  if (!call_.shares_result() || call_.per_hop() || (plain && call_.reduces())) return std::nullopt;
  std::array<std::uint64_t, 2> both{};
  for (const Place& p : layout_.results)
    both[0] = both[0] * 31 + ranks::hash_of(recv_.data() + p.at * width(), p.count * width());
  std::memcpy(&both[1], &stats_.achieved_bound, sizeof both[1]);
  return both;
}

void Operation::check_plain() {
  Journal& journal = world_.journal;
  const laconic_options& o = call_.options;
  std::vector<laconic_plain_reason> reasons;
  const auto because = [&](bool holds, laconic_plain_reason reason) {
    if (holds) reasons.push_back(reason);
  };
  because(o.bound.mode == LACONIC_BOUND_UNSET, LACONIC_PLAIN_NO_BOUND);
  because(o.algorithm == LACONIC_ALGORITHM_PLAIN || o.variant == LACONIC_VARIANT_PLAIN, LACONIC_PLAIN_ASKED);
  because(!is_floating(call_.type->number) && !call_.codes_integers(), LACONIC_PLAIN_TYPE);
  because(call_.reduces() && call_.reduction == Reduction::product, LACONIC_PLAIN_OP);
  because(group_.size == 1, LACONIC_PLAIN_ONE_RANK);
  const auto least = static_cast<std::size_t>(o.min_bytes == 0 ? 65536 : o.min_bytes);
  because(layout_.most_bytes() < least, LACONIC_PLAIN_SMALL);
  const bool plain = stats_.plain_calls > 0;
  if (call_.bundled) return;
  CHECK(journal, plain == !reasons.empty(), "plain because %s, %zu reasons expected",
        laconic_plain_reason_string(stats_.plain_reason), reasons.size());
  CHECK(journal, !plain || std::find(reasons.begin(), reasons.end(), stats_.plain_reason) != reasons.end(),
        "plain because %s", laconic_plain_reason_string(stats_.plain_reason));
}

void Operation::check_memory(bool succeeded) {
  std::vector<std::pair<std::size_t, std::size_t>> results;
  if (succeeded) {
    for (const Place& p : layout_.results) results.emplace_back(p.at * width(), p.count * width());
    results.emplace_back(0, layout_.scratch * width());
  }
  CHECK(world_.journal, send_.unchanged({}), "the send buffer, or memory about it, was changed");
  CHECK(world_.journal, recv_.unchanged(results), "memory about %s was changed",
        succeeded ? "the results" : "or in the receive buffer");
}

void Operation::check_unchanged() { check_memory(false); }

void Operation::check_same_results(const Operation& other) {
  const Facts facts{call_, layout_, group_.rank, group_.size, inputs_};
  const std::vector<bool> pinned = pinned_results(facts);
  std::size_t k = 0;
  for (const Place& p : layout_.results)
    for (std::size_t i = 0; i < p.count; ++i, ++k)
      if (pinned[k] &&
          !CHECK(
              world_.journal,
              std::memcmp(recv_.data() + (p.at + i) * width(), other.recv_.data() + (p.at + i) * width(), width()) == 0,
              "element %zu has other bits than with %s", p.at + i, describe(other.call_.options).c_str()))
        return;
}

}  // namespace attack
