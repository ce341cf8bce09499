// SPDX-License-Identifier: BSD-3-Clause
// Tasks that wait for each other and take turns at what serves them: when the last of them ends, and what of that time
// was spent with what on the way there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace laconic {

// Seconds of a critical path: they add up to the time of the whole.
struct Timing {
  double seconds = 0;
  double codec = 0;    // kernels
  double wire = 0;     // bytes on a link
  double latency = 0;  // messages, whatever their size
};

class TaskGraph {
 public:
  using Task = std::uint32_t;
  static constexpr Task none = static_cast<Task>(-1);

  explicit TaskGraph(std::size_t servers) : servers_(servers) {}

  // A server takes its tasks one after the other, first come first served.
  Task kernel(std::size_t server) { return make(server); }
  // The server is busy for `busy` of its seconds, and serves others meanwhile.
  void set_seconds(Task kernel, double seconds, double busy) {
    nodes_[kernel].codec = busy;
    nodes_[kernel].launch = seconds - busy;
  }

  // Two tasks: the first byte of a message arrives `latency` after its sender is through with the overhead, while later
  // ones are still being sent.
  Task departure(std::size_t server, double overhead, double wire, double latency);
  Task arrival(std::size_t server, double wire);
  void connect(Task departure, Task arrival) { wait(arrival, departure, true); }

  // `task` begins when `before` has ended.
  void after(Task task, Task before) {
    if (before != none && before != task) wait(task, before, false);
  }

  std::size_t size() const { return nodes_.size(); }

  // Once.
  Timing run();

 private:
  enum class Cause : std::uint8_t { end, free, start };  // what of another it could not begin before
  struct Node {
    std::uint32_t server = 0;
    std::uint32_t waits = 0;     // for so many others
    std::uint32_t edges = none;  // the first of those that wait for it
    Task cause = none;           // the other
    Cause why = Cause::end;
    double ready = 0, begin = 0;
    double codec = 0, wire = 0, overhead = 0;  // what it takes of its server
    double launch = 0;                         // of a kernel, until others see what it made
    double latency = 0;                        // of a departure, until the arrival can begin
    double free() const { return begin + codec + wire + overhead; }
    double end() const { return free() + launch; }
  };
  struct Edge {
    Task to;
    std::uint32_t next;
    bool from_start;
  };

  Task make(std::size_t server);
  void wait(Task task, Task before, bool from_start);
  Timing explain(Task last) const;

  std::size_t servers_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

}  // namespace laconic
