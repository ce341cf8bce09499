// SPDX-License-Identifier: BSD-3-Clause
#include "layout.hpp"

#include <algorithm>
#include <numeric>

namespace attack {
namespace {

// MPI_Allgatherv of MPICH 4.0 writes to the beginning of the receive buffer where there is one rank.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
constexpr bool ignores_displs_of_one = true;
#else
constexpr bool ignores_displs_of_one = false;
#endif

std::uint64_t mix(std::uint64_t x) { return Random(x).bits(); }

}  // namespace

Layout::Layout(const Call& call, int rank, int size) : call_(call), rank_(rank), size_(size) {
  is_root = call.rooted() && rank == call.root;
  const bool scatters = call.traits().recv_in_place();
  input_in_place = call.in_place && !scatters && (!call.rooted() || is_root);
  output_in_place = call.in_place && scatters && is_root;
  if (call.traits().one_buffer()) input_in_place = is_root;
  lay(send, true);
  lay(recv, false);
  find_inputs();
  find_results();
}

// The count of numbers that rank `from` has for rank `to`.  One of the two has no effect where every rank has the same
// numbers for all, or takes part in every block.
std::size_t Layout::block(int from, int to) const {
  if (!call_.uneven()) return call_.count;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  const laconic::CollectiveTraits& t = call_.traits();
  if (t.all_to_all()) {
    a = static_cast<std::uint64_t>(call_.in_place ? std::min(from, to) : from);
    b = static_cast<std::uint64_t>(call_.in_place ? std::max(from, to) : to) + 1;
  } else if (t.send.cut()) {
    b = static_cast<std::uint64_t>(to) + 1;
  } else {
    a = static_cast<std::uint64_t>(from);
  }
  const std::uint64_t h = mix(call_.seed * 31 + a * 1009 + b * 17);
  if (h % 5 == 0) return 0;
  const std::size_t unit = call_.bundled ? bundle_multiple : 1;
  return h % 11 == 0 ? unit : static_cast<std::size_t>(h % (2 * call_.count + 1)) / unit * unit;
}

std::size_t Layout::contributes(int rank) const {
  const laconic::CollectiveTraits& t = call_.traits();
  if (t.send.root_only && rank != call_.root) return 0;
  if (t.cut_freely()) return call_.count;
  if (!t.send.cut()) return block(rank, 0);
  std::size_t n = 0;
  for (int to = 0; to < size_; ++to) n += block(rank, to);
  return n;
}

std::size_t Layout::reduced() const {
  const laconic::Contents result = call_.traits().recv.contents;
  if (result == laconic::Contents::prefix) return static_cast<std::size_t>(rank_) + 1;
  return static_cast<std::size_t>(result == laconic::Contents::exclusive_prefix ? rank_ : size_);
}

std::size_t Layout::most_bytes() const {
  std::size_t most = 0;
  const bool same_on_all = !call_.traits().all_to_all() || !call_.uneven();
  for (int r = 0; r < (same_on_all ? 1 : size_); ++r) {
    std::size_t in = 0;
    std::size_t out = 0;
    for (int k = 0; k < size_; ++k) {
      in += block(k, r);
      out += block(r, k);
    }
    const bool gathers = !call_.traits().send.cut();
    most = std::max(most, same_on_all ? (gathers ? in : out) : std::max(in, out));
  }
  if (call_.traits().cut_freely()) most = call_.count;
  return most * width_of(call_.type->number);
}

// Parts with gaps between them, in another order than the ranks', and displacements that may be negative.
void Layout::lay(Side& side, bool sending) {
  const auto p = static_cast<std::size_t>(size_);
  std::vector<std::size_t> order(p);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(call_.seed + (sending ? 5 : 3) + static_cast<std::uint64_t>(rank_) * 7919);
  if (call_.displaced())
    for (std::size_t i = p; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const std::size_t gap = call_.displaced() ? random.below(4) : 0;
  const std::size_t unit = call_.bundled ? bundle_multiple : 1;
  side.counts.resize(p);
  side.displs.resize(p);
  for (const std::size_t k : order) {
    const int peer = static_cast<int>(k);
    side.counts[k] = static_cast<MPI_Count>(sending ? block(rank_, peer) : block(peer, rank_));
    if (call_.reduces() && call_.uneven()) side.counts[k] = static_cast<MPI_Count>(block(0, peer));
    side.displs[k] = static_cast<MPI_Aint>(side.span);
    side.span += static_cast<std::size_t>(side.counts[k]) + random.below(gap + 1) * unit;
  }
  const bool ignored = ignores_displs_of_one && call_.routine == Routine::allgatherv && size_ == 1;
  if (call_.displaced() && random.below(2) == 0 && !ignored) {
    side.origin = random.below(side.span / unit + 1) * unit;
    for (MPI_Aint& d : side.displs) d -= static_cast<MPI_Aint>(side.origin);
  }
}

// The contribution of a rank lies in one piece, or in a part for each rank; the same holds for the numbers it receives.
void Layout::find_inputs() {
  const std::size_t mine = contributes(rank_);
  const bool gathers = call_.traits().send.contents == laconic::Contents::block;
  const bool cut = call_.traits().send.cut() && !call_.reduces();
  if (!cut && !(gathers && input_in_place)) {
    inputs = {{0, mine, rank_, 0}};
    send = {send.counts, send.displs, 0, mine};
    return;
  }
  const Side& side = input_in_place ? recv : send;
  if (gathers) {
    const auto own = static_cast<std::size_t>(rank_);
    inputs = {{static_cast<std::size_t>(side.displs[own] + static_cast<MPI_Aint>(side.origin)), mine, rank_, 0}};
    return;
  }
  if (mine == 0 && call_.rooted() && !is_root) return;
  std::size_t from = 0;
  for (std::size_t k = 0; k < side.counts.size(); ++k) {
    const auto n = static_cast<std::size_t>(side.counts[k]);
    inputs.push_back({static_cast<std::size_t>(side.displs[k] + static_cast<MPI_Aint>(side.origin)), n, rank_, from});
    from += n;
  }
}

void Layout::find_results() {
  const auto before = [&](int from, int to) {
    std::size_t n = 0;
    for (int k = 0; k < to; ++k) n += block(from, k);
    return n;
  };
  const auto one_piece = [&](std::size_t count, int source, std::size_t from, std::size_t room) {
    results = {{0, count, source, from}};
    recv = {recv.counts, recv.displs, 0, room};
  };
  const laconic::CollectiveTraits& t = call_.traits();
  if (t.recv.root_only && !is_root) return one_piece(0, t.reduces ? -1 : 0, 0, 0);
  const int source = t.reduces ? -1 : call_.root;
  if (t.reduces && reduced() == 0) return one_piece(0, source, 0, call_.count);
  if (t.cut_freely()) return one_piece(call_.count, source, 0, call_.count);
  if (!t.recv.cut()) {
    const int sender = t.reduces ? 0 : call_.root;
    scratch = t.reduces && input_in_place ? before(0, size_) : 0;
    const std::size_t mine = output_in_place ? 0 : block(sender, rank_);
    return one_piece(mine, source, before(sender, rank_), std::max(scratch, mine));
  }
  for (int k = 0; k < size_; ++k) {
    const auto at = static_cast<std::size_t>(k);
    results.push_back({static_cast<std::size_t>(recv.displs[at] + static_cast<MPI_Aint>(recv.origin)),
                       static_cast<std::size_t>(recv.counts[at]), k, t.all_to_all() ? before(k, rank_) : 0});
  }
}

}  // namespace attack
