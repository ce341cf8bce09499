// SPDX-License-Identifier: BSD-3-Clause
#include "tune/task_graph.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
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

TaskGraph::Connection TaskGraph::connection(std::size_t link) {
  link_of_.push_back(static_cast<std::uint32_t>(link));
  return static_cast<Connection>(link_of_.size() - 1);
}

TaskGraph::Task TaskGraph::departure_on(Connection connection, double overhead, double wire, double latency) {
  const Task t = departure(connection, overhead, wire, latency);
  nodes_[t].on_link = true;
  return t;
}

TaskGraph::Task TaskGraph::arrival_on(Connection connection, double wire) {
  const Task t = arrival(connection, wire);
  nodes_[t].on_link = true;
  return t;
}

void TaskGraph::connect(Task departure, Task arrival) {
  wait(arrival, departure, Event::start);
  if (!nodes_[departure].on_link || !nodes_[arrival].on_link) return;
  add_edge(arrival, departure, Event::last_byte);
  nodes_[arrival].earliest_end = std::numeric_limits<double>::infinity();  // not known yet
}

void TaskGraph::add_edge(Task task, Task before, Event event) {
  edges_.push_back({task, nodes_[before].edges, event});
  nodes_[before].edges = static_cast<std::uint32_t>(edges_.size() - 1);
}

void TaskGraph::wait(Task task, Task before, Event event) {
  add_edge(task, before, event);
  ++nodes_[task].waits;
}

// Takes what happens in the order of time.  The task that is ready first begins first.  No task becomes ready before
// its cause has begun, so times never decrease and every server sees its tasks in order.
class TaskGraph::Run {
 public:
  explicit Run(TaskGraph& graph)
      : nodes_(graph.nodes_),
        edges_(graph.edges_),
        link_of_(graph.link_of_),
        on_server_(graph.servers_, none),
        links_(graph.links_),
        latest_(graph.link_of_.size(), none) {}

  // Returns the task that ends last, or none if tasks wait for each other for ever.
  Task run() {
    for (Task t = 0; t < nodes_.size(); ++t)
      if (nodes_[t].waits == 0) happen(0, Kind::ready, t);
    while (!coming_.empty()) {
      const auto [at, kind, id, version] = coming_.top();
      coming_.pop();
      switch (kind) {
        case Kind::drained:
          if (links_[id].version == version) drain(at, id);
          break;
        case Kind::ended: end(id); break;
        case Kind::ready: nodes_[id].on_link ? queue(at, id) : serve(id); break;
      }
    }
    return ended_ == nodes_.size() ? last_ : none;
  }

 private:
  enum class Kind : std::uint8_t { drained, ended, ready };  // what happens at the same time, happens in this order
  // The time, the kind, the link or the task, and the version of the link.
  using Coming = std::tuple<double, Kind, std::uint32_t, std::uint32_t>;
  template <typename T>
  using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  // A link with n busy connections serves each at 1/n of its rate.  `served` is what a connection that had always been
  // busy would have got by `now`, in seconds of the whole link, so a message has passed when it has grown by the time
  // of the message, however many others came and went.
  struct Link {
    double now = 0, served = 0;
    Earliest<std::pair<double, Task>> busy;  // the messages, by the value of `served` when they have passed
    std::uint32_t version = 0;               // of the prediction when the next one has passed
  };

  void happen(double at, Kind kind, std::uint32_t id, std::uint32_t version = 0) {
    coming_.emplace(at, kind, id, version);
  }

  void serve(Task t) {
    Node& node = nodes_[t];
    node.begin = node.ready;
    Task& before = on_server_[node.server];
    if (before != none && nodes_[before].free() > node.begin) {
      node.begin = nodes_[before].free();
      node.cause = before;
      node.why = Event::free;
    }
    before = t;
    tell(t, Event::start);
    end(t);
  }

  // Begins a message on its connection, which carries no other message.
  void begin(double now, Task t) {
    Node& node = nodes_[t];
    node.begin = now;
    const std::uint32_t id = link_of_[node.server];
    advance(links_[id], now);
    links_[id].busy.emplace(links_[id].served + node.wire + node.overhead, t);
    expect(id);
    tell(t, Event::start);
  }

  void queue(double now, Task t) {
    Task& latest = latest_[nodes_[t].server];
    if (latest == none)
      begin(now, t);
    else
      nodes_[latest].next = t;
    latest = t;
  }

  static void advance(Link& link, double now) {
    if (!link.busy.empty()) link.served += std::max(now - link.now, 0.0) / static_cast<double>(link.busy.size());
    link.now = now;
  }

  void expect(std::uint32_t id) {
    Link& link = links_[id];
    ++link.version;
    if (link.busy.empty()) return;
    const double left = std::max(link.busy.top().first - link.served, 0.0) * static_cast<double>(link.busy.size());
    happen(link.now + left, Kind::drained, id, link.version);
  }

  // The first messages of the link have passed.
  void drain(double now, std::uint32_t id) {
    Link& link = links_[id];
    link.served = link.busy.top().first;
    link.now = now;
    while (!link.busy.empty() && link.busy.top().first <= link.served) {
      const Task t = link.busy.top().second;
      link.busy.pop();
      nodes_[t].drained = true;
      pass(now, t);
    }
    expect(id);
  }

  // Ends the message if its bytes have passed and the last one has left the sender.
  void pass(double now, Task t) {
    Node& node = nodes_[t];
    if (!node.drained || node.earliest_end == std::numeric_limits<double>::infinity()) return;
    const double at = std::max(now, node.earliest_end);
    node.wire = at - node.begin - node.overhead;
    happen(at, Kind::ended, t);
  }

  void end(Task t) {
    Node& node = nodes_[t];
    ++ended_;
    if (last_ == none || node.end() > nodes_[last_].end()) last_ = t;
    if (node.on_link) {
      tell(t, Event::last_byte);
      if (node.next != none) {
        nodes_[node.next].cause = t;
        nodes_[node.next].why = Event::free;
        begin(node.end(), node.next);
      } else {
        latest_[node.server] = none;
      }
    }
    tell(t, Event::end);
  }

  // Tells the tasks that wait for this event of the task.
  void tell(Task t, Event event) {
    const Node& node = nodes_[t];
    for (std::uint32_t e = node.edges; e != none; e = edges_[e].next) {
      if (edges_[e].event != event) continue;
      Node& to = nodes_[edges_[e].to];
      if (event == Event::last_byte) {
        to.earliest_end = node.end() + node.latency;
        pass(to.earliest_end, edges_[e].to);
        continue;
      }
      if (to.waits == 0) continue;  // one of several was enough
      const double at = event == Event::start ? node.begin + node.overhead + node.latency : node.end();
      if (to.cause == none || at > to.ready) {
        to.ready = at;
        to.cause = t;
        to.why = event;
      }
      to.waits = to.any ? 0 : to.waits - 1;
      if (to.waits == 0) happen(to.ready, Kind::ready, edges_[e].to);
    }
  }

  std::vector<Node>& nodes_;
  const std::vector<Edge>& edges_;
  const std::vector<std::uint32_t>& link_of_;
  std::vector<Task> on_server_;  // the latest task of each server
  std::vector<Link> links_;
  std::vector<Task> latest_;  // the last message of each connection that is busy
  Earliest<Coming> coming_;
  Task last_ = none;
  std::size_t ended_ = 0;
};

std::optional<Timing> TaskGraph::run() {
  const Task last = Run(*this).run();
  if (last == none && !nodes_.empty()) return {};
  return explain(last);
}

Timing TaskGraph::explain(Task last) const {
  Timing timing;
  Event until = Event::end;  // the part of the task's time that counts
  for (Task t = last; t != none; t = nodes_[t].cause) {
    const Node& node = nodes_[t];
    if (until != Event::start) {
      timing.codec += node.codec + (until == Event::end ? node.launch : 0);
      timing.wire += node.wire;
    }
    timing.latency += node.overhead + (until == Event::start ? node.latency : 0);
    until = node.why;
  }
  timing.seconds = timing.codec + timing.wire + timing.latency;
  return timing;
}

}  // namespace laconic
