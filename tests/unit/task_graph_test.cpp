// SPDX-License-Identifier: BSD-3-Clause
// Messages on links: those of a connection follow one another, and connections share the rate of a link.
#include "tune/task_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace laconic::test {
namespace {

constexpr double latency = 0.25;

// Ranks with two links each and a core, as in a walk.
struct Network {
  explicit Network(std::size_t ranks) : graph(ranks, 2 * ranks) {}

  TaskGraph::Connection out(std::size_t rank) { return graph.connection(2 * rank); }
  TaskGraph::Connection in(std::size_t rank) { return graph.connection(2 * rank + 1); }

  TaskGraph::Task kernel(std::size_t rank, double seconds, TaskGraph::Task after = TaskGraph::none) {
    const TaskGraph::Task t = graph.kernel(rank);
    graph.set_seconds(t, seconds, seconds);
    graph.after(t, after);
    return t;
  }

  // Returns the arrival.
  TaskGraph::Task message(TaskGraph::Connection from, TaskGraph::Connection to, double wire,
                          TaskGraph::Task after = TaskGraph::none, double overhead = 0) {
    const TaskGraph::Task departure = graph.departure_on(from, overhead, wire, latency);
    graph.after(departure, after);
    const TaskGraph::Task arrival = graph.arrival_on(to, wire);
    graph.connect(departure, arrival);
    return arrival;
  }

  double run() {
    const auto timing = graph.run();
    if (!timing) return -1;
    EXPECT_NEAR(timing->seconds, timing->codec + timing->wire + timing->latency, 1e-12);
    return timing->seconds;
  }

  TaskGraph graph;
};

// Two kernels become ready while the core is busy: the one that was made later a moment earlier.  What follows the
// one that was made first tells which began first.
TEST(TaskGraph, ACoreTakesTheFirstOrTheOldest) {
  for (const bool oldest : {false, true}) {
    Network n(4);
    if (oldest) n.graph.take_oldest_first(0);
    const auto late = n.kernel(1, 2), early = n.kernel(2, 1);
    n.kernel(0, 4);
    const auto first = n.kernel(0, 1, late);
    n.kernel(0, 2, early);
    n.kernel(3, 10, first);
    EXPECT_NEAR(n.run(), (oldest ? 5 : 7) + 10, 1e-12);
  }
}

// A core that takes the oldest first does not wait for it.
TEST(TaskGraph, ACoreThatTakesTheOldestIsNotIdle) {
  Network n(2);
  n.graph.take_oldest_first(0);
  const auto late = n.kernel(1, 2);
  n.kernel(0, 1, late);
  n.kernel(0, 3);
  EXPECT_NEAR(n.run(), 4, 1e-12);
}

// Of three kernels, whichever they are.
TEST(TaskGraph, CountsTasksThatHaveEnded) {
  for (const std::size_t count : {0, 1, 2, 3}) {
    Network n(5);
    const auto counter = n.graph.counter();
    for (std::size_t k = 0; k < 3; ++k) n.graph.count(counter, n.kernel(k, 3 - static_cast<double>(k)));
    n.graph.after_count(n.kernel(4, 10), counter, count);
    EXPECT_NEAR(n.run(), static_cast<double>(count) + 10, 1e-12);
  }
}

TEST(TaskGraph, KnowsTheBusiestServerOrLink) {
  for (const double wire : {1.0, 9.0}) {
    Network n(2);
    const auto out = n.out(0), in = n.in(1);
    for (int k = 0; k < 3; ++k) n.message(out, in, wire, n.kernel(0, 2), 0.5);
    const Timing busiest = n.graph.busiest();
    EXPECT_NEAR(busiest.seconds, wire > 2 ? 3 * (wire + 0.5) : 6, 1e-12);
    EXPECT_NEAR(busiest.wire, wire > 2 ? 3 * wire : 0, 1e-12);
    EXPECT_NEAR(busiest.codec, wire > 2 ? 0 : 6, 1e-12);
  }
}

// The last of two messages arrives at the same time either way, the first one does not.
TEST(TaskGraph, MessagesOfAConnectionFollowOneAnother) {
  Network n(2);
  const auto out = n.out(0), in = n.in(1);
  n.kernel(1, 3, n.message(out, in, 1));
  n.message(out, in, 1);
  EXPECT_NEAR(n.run(), 1 + latency + 3, 1e-12);
}

TEST(TaskGraph, ConnectionsShareTheLinkOfTheSender) {
  Network n(3);
  n.kernel(1, 3, n.message(n.out(0), n.in(1), 1));
  n.message(n.out(0), n.in(2), 1);
  EXPECT_NEAR(n.run(), 2 + latency + 3, 1e-12);
}

TEST(TaskGraph, ConnectionsShareTheLinkOfTheReceiver) {
  Network n(3);
  n.kernel(2, 3, n.message(n.out(0), n.in(2), 1));
  n.message(n.out(1), n.in(2), 1);
  EXPECT_NEAR(n.run(), 2 + latency + 3, 1e-12);
}

// The first message is alone for half a second, then has half of the rate for a second; the second one has half of the
// rate for that second, and all of it for another half.
TEST(TaskGraph, SharesChangeWhileMessagesAreUnderWay) {
  for (const bool first : {true, false}) {
    Network n(3);
    const auto one = n.message(n.out(0), n.in(1), 1);
    const auto two = n.message(n.out(0), n.in(2), 1, n.kernel(0, 0.5));
    n.kernel(first ? 1 : 2, 7, first ? one : two);
    EXPECT_NEAR(n.run(), (first ? 1.5 : 2) + latency + 7, 1e-12);
  }
}

// N messages of different lengths that begin together: the k-th shortest ends when it has got its turn N - k + 1 times.
TEST(TaskGraph, ShortMessagesEndFirst) {
  const std::vector<double> lengths{4, 1, 3, 2};
  for (std::size_t watched = 0; watched < lengths.size(); ++watched) {
    Network n(5);
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const auto arrival = n.message(n.out(0), n.in(k + 1), lengths[k]);
      if (k == watched) n.kernel(k + 1, 100, arrival);
    }
    double end = 0;
    for (const double other : lengths) end += std::min(other, lengths[watched]);
    EXPECT_NEAR(n.run(), end + latency + 100, 1e-12) << watched;
  }
}

TEST(TaskGraph, ASlowLinkOfTheReceiverDelaysTheEnd) {
  Network n(2);
  const auto departure = n.graph.departure_on(n.out(0), 0.5, 1, latency);
  const auto arrival = n.graph.arrival_on(n.in(1), 2);
  n.graph.connect(departure, arrival);
  EXPECT_NEAR(n.run(), 0.5 + latency + 2, 1e-12);
}

TEST(TaskGraph, HasNoTimeWhereTasksWaitForEachOther) {
  Network n(2);
  const auto one = n.kernel(0, 1);
  const auto arrival = n.message(n.out(0), n.in(1), 1, one);
  n.graph.after(one, arrival);
  EXPECT_EQ(n.run(), -1);
}

}  // namespace
}  // namespace laconic::test
