// SPDX-License-Identifier: BSD-3-Clause
// A graph of tasks that wait for each other and share servers and links.  It computes the time at which the last task
// ends, and how that time divides on the critical path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace laconic {

// The seconds on the critical path; the parts add up to `seconds`.
struct Timing {
  double seconds = 0;
  double codec = 0;    // kernels
  double wire = 0;     // bytes on a link
  double latency = 0;  // the cost per message, whatever its size
};

class TaskGraph {
 public:
  using Task = std::uint32_t;
  using Connection = std::uint32_t;
  using Counter = std::uint32_t;
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  // Servers are numbered from 0, and so are links.
  explicit TaskGraph(std::size_t servers, std::size_t links = 0)
      : servers_(servers), links_(links), oldest_first_(servers) {}

  // Lets a server take the task that was made first of those that are ready.  Call it before run().
  void take_oldest_first(std::size_t server) { oldest_first_[server] = true; }

  // Creates a kernel.  A server runs its tasks one after the other, first come first served unless it takes the
  // oldest first.
  Task kernel(std::size_t server) { return make(server); }
  // The kernel takes `seconds`.  It occupies the server for `busy` of them only; the rest overlaps with other tasks.
  void set_seconds(Task kernel, double seconds, double busy) {
    nodes_[kernel].codec = busy;
    nodes_[kernel].launch = seconds - busy;
  }

  // A message is two tasks: its first byte arrives `latency` after the sender has finished the overhead, while later
  // bytes are still being sent.
  Task departure(std::size_t server, double overhead, double wire, double latency);
  Task arrival(std::size_t server, double wire);
  void connect(Task departure, Task arrival);

  // Messages on links instead of servers.  The messages of a connection follow one another, and connections that are
  // busy at the same time share the rate of the link equally.
  Connection connection(std::size_t link);
  Task departure_on(Connection connection, double overhead, double wire, double latency);
  Task arrival_on(Connection connection, double wire);

  // `task` begins when `before` has ended.
  void after(Task task, Task before) {
    if (before != none && before != task) wait(task, before, Event::end);
  }

  // A counter of tasks that have ended, whichever they are.  after_count(): `task` begins when they are `count`; of one
  // counter, no count may be less than the one before.
  Counter counter();
  void count(Counter counter, Task ended);
  void after_count(Task task, Counter counter, std::size_t count);

  std::size_t size() const { return nodes_.size(); }

  // How long the busiest server or link is busy.  Call it before run().
  Timing busiest() const;

  // Runs the graph; call it only once.  Returns nothing if tasks wait for each other for ever.
  std::optional<Timing> run();

 private:
  enum class Event : std::uint8_t { end, free, start, last_byte, counted };  // of another task
  struct Node {
    std::uint32_t server = 0;  // or the connection
    std::uint32_t waits = 0;   // number of tasks that it waits for
    bool on_link = false;
    bool drained = false;  // on a link: its bytes have passed
    Event why = Event::end;
    std::uint32_t edges = none;  // the first edge to a task that waits for it
    Task cause = none;           // the task that determined its begin
    Task next = none;            // on a link: the next message of the connection
    double ready = 0, begin = 0;
    double codec = 0, wire = 0, overhead = 0;  // the time that it occupies its server
    double launch = 0;                         // kernel: further time until other tasks can use its output
    double latency = 0;                        // departure: further time until the arrival can begin
    double earliest_end = 0;                   // arrival on a link: when its last byte arrives
    double free() const { return begin + codec + wire + overhead; }
    double end() const { return free() + launch; }
  };
  struct Edge {
    std::uint32_t to;  // a task, or a counter
    std::uint32_t next;
    Event event;
  };
  struct Count {
    std::size_t ended = 0, satisfied = 0;                 // `satisfied` of the tasks that wait
    std::vector<std::pair<std::size_t, Task>> waiting{};  // by the count that they wait for
  };
  class Run;

  Task make(std::size_t server);
  void add_edge(std::uint32_t to, Task before, Event event);
  void wait(Task task, Task before, Event event);
  Timing explain(Task last) const;

  std::size_t servers_, links_;
  std::vector<bool> oldest_first_;      // of each server
  std::vector<std::uint32_t> link_of_;  // of each connection
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<Count> counts_;
};

}  // namespace laconic
