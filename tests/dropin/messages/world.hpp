// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of messages: the content of a message, and how it is recognised.
#pragma once

#include "../completions.hpp"

namespace dropin {

using ranks::Random;
using ranks::Test;
using ranks::text;

inline constexpr std::size_t small = 10;
inline constexpr std::size_t large = 4000;

// The content of a message follows from its sender and its number, so that the receiver knows it.
template <class T = double>
std::vector<T> content(int source, int number, std::size_t count) {
  Random random(static_cast<std::uint64_t>(source * 1000 + number + 1));
  return numbers<T>(count, random);
}

struct World {
  Test& t;
  const Expectation& expected;
  Random& random;
  MPI_Comm comm = MPI_COMM_WORLD;

  int next() const { return (t.rank() + 1) % t.size(); }
  int previous() const { return (t.rank() + t.size() - 1) % t.size(); }

  // Checks that this is message `number` of `source`, of `count` numbers.
  template <class T>
  void check(const std::vector<T>& got, int source, int number, std::size_t count) const {
    const auto right = content<T>(source, number, count);
    CHECK(t, got.size() >= count && alike(got.data(), right.data(), count, expected.bound));
  }
  void check(const MPI_Status& status, int source, int tag, std::size_t count) const {
    int received = -1;
    MPI_Get_count(&status, MPI_DOUBLE, &received);
    CHECK(t, status.MPI_SOURCE == source);
    CHECK(t, status.MPI_TAG == tag);
    CHECK(t, received == static_cast<int>(count));
  }
};

#if MPI_VERSION >= 4
#define EITHER(large, Name, ...) ((large) ? MPI_##Name##_c(__VA_ARGS__) : MPI_##Name(__VA_ARGS__))
#else
#define EITHER(large, Name, ...) (static_cast<void>(large), MPI_##Name(__VA_ARGS__))
#endif

// Even ranks send to the next rank first, so that blocking calls match.
template <class Send, class Recv>
void in_pairs(const World& w, Send send, Recv receive) {
  if (w.t.size() == 1) return;
  const bool last = w.t.size() % 2 == 1 && w.t.rank() == w.t.size() - 1;
  if (last) return;
  const int partner = w.t.rank() ^ 1;
  if (w.t.rank() % 2 == 0) send(partner), receive(partner);
  if (w.t.rank() % 2 == 1) receive(partner), send(partner);
}

}  // namespace dropin
