// SPDX-License-Identifier: BSD-3-Clause
#include "tune/task_graph.hpp"

#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace laconic {

TaskGraph::Task TaskGraph::make(std::size_t server) {
  nodes_.emplace_back().server = static_cast<std::uint32_t>(server);
  return static_cast<Task>(nodes_.size() - 1);
}

TaskGraph::Task TaskGraph::departure(std::size_t server, double overhead, double wire, double latency) {
  const Task t = make(server);
  nodes_[t].overhead = overhead;
  nodes_[t].wire = wire;
  nodes_[t].latency = latency;
  return t;
}

TaskGraph::Task TaskGraph::arrival(std::size_t server, double wire) {
  const Task t = make(server);
  nodes_[t].wire = wire;
  return t;
}

void TaskGraph::wait(Task task, Task before, bool from_start) {
  edges_.push_back({task, nodes_[before].edges, from_start});
  nodes_[before].edges = static_cast<std::uint32_t>(edges_.size() - 1);
  ++nodes_[task].waits;
}

// The task that is ready first begins first.  No task becomes ready before its cause has begun, so times never decrease
// and every server sees its tasks in order.
std::optional<Timing> TaskGraph::run() {
  using Ready = std::pair<double, Task>;  // ties are broken by the order in which tasks were made
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (Task t = 0; t < nodes_.size(); ++t)
    if (nodes_[t].waits == 0) ready.emplace(0, t);
  std::vector<Task> latest(servers_, none);
  Task last = none;
  std::size_t begun = 0;
  while (!ready.empty()) {
    const Task t = ready.top().second;
    ready.pop();
    ++begun;
    Node& node = nodes_[t];
    node.begin = node.ready;
    Task& before = latest[node.server];
    if (before != none && nodes_[before].free() > node.begin) {
      node.begin = nodes_[before].free();
      node.cause = before;
      node.why = Cause::free;
    }
    before = t;
    if (last == none || node.end() > nodes_[last].end()) last = t;
    for (std::uint32_t e = node.edges; e != none; e = edges_[e].next) {
      Node& to = nodes_[edges_[e].to];
      if (to.waits == 0) continue;  // one of several was enough
      const double at = edges_[e].from_start ? node.begin + node.overhead + node.latency : node.end();
      if (to.cause == none || at > to.ready) {
        to.ready = at;
        to.cause = t;
        to.why = edges_[e].from_start ? Cause::start : Cause::end;
      }
      to.waits = to.any ? 0 : to.waits - 1;
      if (to.waits == 0) ready.emplace(to.ready, edges_[e].to);
    }
  }
  if (begun < nodes_.size()) return {};
  return explain(last);
}

Timing TaskGraph::explain(Task last) const {
  Timing timing;
  Cause until = Cause::end;  // the part of the task's time that counts
  for (Task t = last; t != none; t = nodes_[t].cause) {
    const Node& node = nodes_[t];
    if (until != Cause::start) {
      timing.codec += node.codec + (until == Cause::end ? node.launch : 0);
      timing.wire += node.wire;
    }
    timing.latency += node.overhead + (until == Cause::start ? node.latency : 0);
    until = node.why;
  }
  timing.seconds = timing.codec + timing.wire + timing.latency;
  return timing;
}

}  // namespace laconic
