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

void TaskGraph::add_edge(std::uint32_t to, Task before, Event event) {
  edges_.push_back({to, nodes_[before].edges, event});
  nodes_[before].edges = static_cast<std::uint32_t>(edges_.size() - 1);
}

void TaskGraph::wait(Task task, Task before, Event event) {
  add_edge(task, before, event);
  ++nodes_[task].waits;
}

TaskGraph::Counter TaskGraph::counter() {
  counts_.emplace_back();
  return static_cast<Counter>(counts_.size() - 1);
}

void TaskGraph::count(Counter counter, Task ended) { add_edge(counter, ended, Event::counted); }

void TaskGraph::after_count(Task task, Counter counter, std::size_t count) {
  if (count == 0) return;
  counts_[counter].waiting.emplace_back(count, task);
  ++nodes_[task].waits;
}

// Takes what happens in the order of time.  No task becomes ready before its cause has begun, so times never decrease
// and every server sees its tasks in order.
class TaskGraph::Run {
 public:
  explicit Run(TaskGraph& graph)
      : nodes_(graph.nodes_),
        edges_(graph.edges_),
        counts_(graph.counts_),
        link_of_(graph.link_of_),
        oldest_first_(graph.oldest_first_),
        servers_(graph.servers_),
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
        case Kind::counted: count(version, counts_[id]); break;
        case Kind::ready: nodes_[id].on_link ? queue(at, id) : enter(at, id); break;
        case Kind::free: serve_oldest(at, servers_[id]); break;
      }
    }
    return ended_ == nodes_.size() ? last_ : none;
  }

 private:
  // What happens at the same time, happens in this order: servers choose among all tasks that are ready.
  enum class Kind : std::uint8_t { drained, ended, counted, ready, free };
  // The time, the kind, the link, the task, the counter or the server, and the version of the link or what is counted.
  using Coming = std::tuple<double, Kind, std::uint32_t, std::uint32_t>;
  template <typename T>
  using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  struct Server {
    Task latest = none;
    bool busy = false;       // until it has become free; only where it takes the oldest first
    Earliest<Task> waiting;  // the same
  };

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

  void enter(double now, Task t) {
    Server& server = servers_[nodes_[t].server];
    if (!oldest_first_[nodes_[t].server]) return serve(server, t);
    server.waiting.push(t);
    if (!std::exchange(server.busy, true)) happen(now, Kind::free, nodes_[t].server);
  }

  void serve_oldest(double now, Server& server) {
    server.busy = !server.waiting.empty();
    if (!server.busy) return;
    const Task t = server.waiting.top();
    server.waiting.pop();
    serve(server, t);
    happen(std::max(now, nodes_[t].free()), Kind::free, nodes_[t].server);
  }

  void serve(Server& server, Task t) {
    Node& node = nodes_[t];
    node.begin = node.ready;
    if (server.latest != none && nodes_[server.latest].free() > node.begin) {
      node.begin = nodes_[server.latest].free();
      node.cause = server.latest;
      node.why = Event::free;
    }
    server.latest = t;
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
    tell(t, Event::counted);
  }

  // Tells the tasks that wait for this event of the task.
  void tell(Task t, Event event) {
    const Node& node = nodes_[t];
    for (std::uint32_t e = node.edges; e != none; e = edges_[e].next) {
      if (edges_[e].event != event) continue;
      const std::uint32_t to = edges_[e].to;
      switch (event) {
        case Event::last_byte:
          nodes_[to].earliest_end = node.end() + node.latency;
          pass(nodes_[to].earliest_end, to);
          break;
        case Event::counted: happen(node.end(), Kind::counted, to, t); break;
        case Event::start: satisfy(to, node.begin + node.overhead + node.latency, t, event); break;
        default: satisfy(to, node.end(), t, event);
      }
    }
  }

  void count(Task ended, Count& c) {
    ++c.ended;
    for (; c.satisfied < c.waiting.size() && c.waiting[c.satisfied].first <= c.ended; ++c.satisfied)
      satisfy(c.waiting[c.satisfied].second, nodes_[ended].end(), ended, Event::end);
  }

  // One of the events that `task` waits for happens at a time, because of `cause`.
  void satisfy(Task task, double at, Task cause, Event why) {
    Node& to = nodes_[task];
    if (to.cause == none || at > to.ready) {
      to.ready = at;
      to.cause = cause;
      to.why = why;
    }
    if (--to.waits == 0) happen(to.ready, Kind::ready, task);
  }

  std::vector<Node>& nodes_;
  const std::vector<Edge>& edges_;
  std::vector<Count>& counts_;
  const std::vector<std::uint32_t>& link_of_;
  const std::vector<bool>& oldest_first_;
  std::vector<Server> servers_;
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

Timing TaskGraph::busiest() const {
  std::vector<Timing> of_servers(servers_), of_links(links_);
  Timing most;
  for (const Node& node : nodes_) {
    Timing& t = node.on_link ? of_links[link_of_[node.server]] : of_servers[node.server];
    t.codec += node.codec;
    t.wire += node.wire;
    t.latency += node.overhead;
    t.seconds = t.codec + t.wire + t.latency;
    if (t.seconds > most.seconds) most = t;
  }
  return most;
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
