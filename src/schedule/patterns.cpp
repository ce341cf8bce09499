// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/patterns.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace laconic {

void exchange(Builder& s, int peer, BlockRange out, Taking take, BlockRange in) {
  for (int i = 0; i < std::max(out.size(), in.size()); ++i) {
    if (i < out.size()) s.send(out.begin + i, peer);
    if (i < in.size()) (s.*take)(in.begin + i, peer);
  }
}

namespace phase {

void ring_reduce_scatter(Builder& s, Place at) {
  const int next = wrap(at.rank + 1, at.size);
  const int previous = wrap(at.rank - 1, at.size);
  for (int k = 1; k < at.size; ++k)
    s.send(wrap(at.rank - k, at.size), next).reduce(wrap(at.rank - k - 1, at.size), previous);
}

void ring_allgather(Builder& s, Place at) {
  const int next = wrap(at.rank + 1, at.size);
  const int previous = wrap(at.rank - 1, at.size);
  for (int k = 0; k < at.size - 1; ++k)
    s.send(wrap(at.rank - k, at.size), next).receive(wrap(at.rank - k - 1, at.size), previous);
}

// In the k-th exchange of the direct phases every rank is the target of exactly one message, which spreads the load.
// Taking one message for each one sent keeps the number of frames per rank small, however many ranks there are.

void direct_reduce_scatter(Builder& s, Place at) {
  for (int k = 1; k < at.size; ++k) {
    const int to = wrap(at.rank + k, at.size);
    s.send(to, to).reduce(at.rank, wrap(at.rank - k, at.size));
  }
}

void direct_allgather(Builder& s, Place at) {
  for (int k = 1; k < at.size; ++k) {
    const int from = wrap(at.rank - k, at.size);
    s.send(at.rank, wrap(at.rank + k, at.size)).receive(from, from);
  }
}

void direct_gather(Builder& s, Place at) {
  if (at.rank != at.root) {
    s.send(at.rank, at.root);
    return;
  }
  for (int k = 1; k < at.size; ++k) {
    const int from = wrap(at.root + k, at.size);
    s.receive(from, from);
  }
}

Schedule direct_neighbors(Place at, Collective collective) {
  struct Message {
    int distance;  // from the sender to the receiver
    int label;
    bool receives;
    int block;
    int peer;
  };
  const auto& [sources, destinations] = *at.neighborhood;
  const bool one_block = !traits_of(collective).send.cut();
  const int num_sources = static_cast<int>(sources.size());
  std::vector<Message> messages;
  for (int k = 0; k < num_sources; ++k)
    if (const Neighbor& from = sources[static_cast<std::size_t>(k)]; from.exists() && from.rank != at.rank)
      messages.push_back({wrap(at.rank - from.rank, at.size), from.label, true, k, from.rank});
  for (int k = 0; k < static_cast<int>(destinations.size()); ++k)
    if (const Neighbor& to = destinations[static_cast<std::size_t>(k)]; to.exists() && to.rank != at.rank)
      messages.push_back(
          {wrap(to.rank - at.rank, at.size), to.label, false, num_sources + (one_block ? 0 : k), to.rank});
  // Sender and receiver of an edge know its distance and its label, so all ranks work on the edges in one order, in
  // which no rank waits for a later message: at one distance a rank has one sender and one receiver, and it sends
  // before it receives.  That order also spreads the load.
  std::sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) {
    return std::tie(a.distance, a.label, a.receives) < std::tie(b.distance, b.label, b.receives);
  });
  Builder s(num_sources + (one_block ? 1 : static_cast<int>(destinations.size())));
  int distance = 0;
  for (const Message& m : messages) {
    if (std::exchange(distance, m.distance) != m.distance) s.hop();
    m.receives ? s.receive(m.block, m.peer) : s.send(m.block, m.peer);
  }
  return s.take();
}

void recursive_halving(Builder& s, const Pairs& pairs, Place at, int first) {
  const int index = wrap(at.rank - first, at.size);
  const auto rank = [&](int i) { return wrap(first + i, at.size); };
  s.hop();
  if (pairs.stands_aside(index)) {
    for (int b = 0; b < pairs.power; ++b) s.send(b, rank(index + 1));
    return;
  }
  if (pairs.paired(index))
    for (int b = 0; b < pairs.power; ++b) s.reduce(b, rank(index - 1));
  const int me = pairs.participant(index);
  for (int distance = pairs.power / 2; distance > 0; distance /= 2) {
    const int partner = me ^ distance;
    s.hop();
    exchange(s, rank(pairs.rank_of(partner)), range_at(distance, partner), &Builder::reduce, range_at(distance, me));
  }
}

}  // namespace phase
}  // namespace laconic
