// SPDX-License-Identifier: BSD-3-Clause
#include "tune/walk.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "tune/hops.hpp"

namespace laconic {
namespace {

constexpr std::size_t most_actions = std::size_t{1} << 20;  // in all rows together

// The servers of a rank's tasks.  The last one runs marks, which take no time.
enum Server : std::size_t { device, way_out, way_in, marks, servers };
constexpr std::size_t links_of_rank = 2;  // for way_out and way_in, where messages share links

class Walk {
 public:
  Walk(const Hops& hops, const Journey& journey, double block_bytes, const Coder& coder, const Path& path)
      : hops_(hops),
        coder_(coder),
        bytes_(block_bytes / journey.rows),
        between_(path, bytes_ / journey.ratio),
        within_(journey.within.value_or(path), bytes_ / journey.ratio),
        in_order_(journey.in_order),
        depth_(journey.rows > journey.depth ? static_cast<std::size_t>(journey.depth) : 0),
        graph_(hops.ranks() * servers, hops.ranks() * links_of_rank),
        ends_(hops.ranks()) {
    for (std::size_t r = 0; r < hops.ranks(); ++r) {
      sharing_.push_back(sharing_of(hops.plan(r)));
      // Tasks of the oldest row were made first, and the engine puts this row first.
      if (in_order_) graph_.take_oldest_first(r * servers + device);
    }
  }

  void add_row() {
    std::vector<std::vector<TaskGraph::Task>> departures;
    waiting_.clear();
    counted_.clear();
    for (std::size_t r = 0; r < hops_.ranks(); ++r) departures.push_back(add_rank(r));
    std::sort(counted_.begin(), counted_.end());
    for (const Waiting& w : waiting_) {
      const auto [sender, action] = hops_.sender_of(w.rank, *w.action);
      const TaskGraph::Task departure = departures[sender][action];
      graph_.connect(departure, w.arrival);
      if (w.posted != TaskGraph::none) graph_.connect(w.posted, departure);
      for (auto k = std::lower_bound(counted_.begin(), counted_.end(), std::pair(departure, TaskGraph::Counter{0}));
           k != counted_.end() && k->first == departure; ++k)
        graph_.count(k->second, w.arrival);
    }
  }

  // Call it before busiest() and run().
  void set_times() {
    for (const Launch& k : launches_) {
      double seconds = 0, busy = 0;
      for (const Kernel kernel : all_kernels)
        if (const double bytes = k.bytes[static_cast<std::size_t>(kernel)]; bytes > 0) {
          seconds += coder_[kernel](bytes);
          busy += coder_[kernel](bytes) - coder_[kernel].launch();
        }
      graph_.set_seconds(k.task, seconds + k.posting, busy + k.posting);
    }
  }
  Timing busiest() const { return graph_.busiest(); }
  std::optional<Timing> run() { return graph_.run(); }

 private:
  struct Launch {
    TaskGraph::Task task;
    double posting;
    std::array<double, kernels> bytes{};
  };
  // The way of a message, and the seconds of a frame on the wire.
  struct Way {
    Way(const Path& p, double bytes) : path(p), frame(bytes), wire(bytes / p.bytes_per_second) {}
    bool eager(const Action& message) const { return frame * message.parts <= path.eager_bytes; }
    Path path;
    double frame;  // bytes
    double wire;
  };
  struct Waiting {
    std::size_t rank;
    const Action* action;
    TaskGraph::Task arrival;
    TaskGraph::Task posted;  // with its begin the receive is posted
  };
  // The actions of a row of one rank that follow one another.
  struct Order {
    TaskGraph::Task previous;              // the action before
    TaskGraph::Counter arrived;            // messages of the rank that are not eager
    std::size_t sent = 0;                  // the same
    std::vector<TaskGraph::Task> taken{};  // the actions that took messages
  };
  using ByHop = std::map<std::tuple<std::uint32_t, int, std::int32_t>, std::size_t>;  // by hop, turn and block

  const Way& way_of(std::size_t rank, std::int32_t peer) const {
    return hops_.within_node(rank, peer) ? within_ : between_;
  }

  std::size_t server_of(std::size_t rank, const Way& way, Server server) const {
    if (way.path.moved_by_ranks) return rank * servers + device;
    return (&way == &between_ ? hops_.owner_of_cable(rank) : rank) * servers + server;
  }

  // The connection between the rank and the peer, in one direction.
  TaskGraph::Connection connection_of(std::size_t rank, std::int32_t peer, const Way& way, Server server) {
    const std::size_t owner = &way == &between_ ? hops_.owner_of_cable(rank) : rank;
    const auto [found, fresh] = connections_.try_emplace({rank, peer, server});
    if (fresh) found->second = graph_.connection(owner * links_of_rank + (server - way_out));
    return found->second;
  }

  // Messages on hosts share links.  Those that the ranks copy themselves take the time of their cores.
  bool on_links(const Way& way) const { return in_order_ && !way.path.moved_by_ranks; }

  TaskGraph::Task departure_of(std::size_t rank, const Action& action, const Way& way) {
    const double wire = on_wire(rank, action, way);
    if (on_links(way))
      return graph_.departure_on(connection_of(rank, action.peer, way, way_out), way.path.per_message, wire,
                                 way.path.latency);
    return graph_.departure(server_of(rank, way, way_out), way.path.per_message, wire, way.path.latency);
  }

  TaskGraph::Task arrival_of(std::size_t rank, const Action& action, const Way& way, std::uint32_t senders) {
    const double wire = on_wire(rank, action, way) * congested(way.path, senders);
    if (on_links(way)) return graph_.arrival_on(connection_of(rank, action.peer, way, way_in), wire);
    return graph_.arrival(server_of(rank, way, way_in), wire);
  }

  // The seconds of a message on the wire.
  double on_wire(std::size_t rank, const Action& action, const Way& way) const {
    const int sharing = &way == &between_ ? hops_.sharing_cable(rank, action.peer) : 1;
    return way.wire * action.parts * sharing;
  }

  // The time of an arrival with so many senders, over that with one.
  static double congested(const Path& path, std::uint32_t senders) {
    return std::min(1 + path.congestion * std::max(senders - 1.0, 0.0), 2.0);
  }

  static Kernel kernel_of(Act act) {
    switch (act) {
      case Act::encode: return Kernel::encode;
      case Act::merge: return Kernel::merge;
      case Act::fold: return Kernel::fold;
      case Act::add: return Kernel::add;
      case Act::copy: return Kernel::copy;
      default: return Kernel::decode;
    }
  }

  Launch& launch_of(std::size_t rank, const Action& action, std::uint32_t hop, double posting, ByHop& launches) {
    constexpr std::int32_t all_blocks = -1;
    const Act act = action.act;
    const bool together = coder_.together[static_cast<std::size_t>(kernel_of(act))];
    if (together || (coder_.combines && (act == Act::fold || act == Act::add))) {
      const auto [found, fresh] =
          launches.try_emplace({hop, turn_of(act), together ? all_blocks : action.block}, launches_.size());
      if (!fresh) return launches_[found->second];
    }
    launches_.push_back({graph_.kernel(rank * servers + device), posting, {}});
    return launches_.back();
  }

  // For each coding action, the number of frames in the message whose frame it reads or makes.
  static std::vector<std::uint32_t> sharing_of(const Plan& plan) {
    std::vector<std::uint32_t> sharing(plan.actions.size(), 1);
    std::vector<std::uint32_t> sent(plan.blocks.size(), 1), taken(plan.blocks.size(), 1);
    for (std::size_t i = plan.actions.size(); i-- > 0;) {
      const Action& action = plan.actions[i];
      const auto block = static_cast<std::size_t>(action.block);
      if (action.act == Act::send) sent[block] = action.parts;
      if (action.act == Act::encode) sharing[i] = sent[block];
    }
    for (std::size_t i = 0; i < plan.actions.size(); ++i) {
      const Action& action = plan.actions[i];
      const auto block = static_cast<std::size_t>(action.block);
      if (waits_for_message(action.act)) taken[block] = action.parts;
      if (action.act != Act::encode) sharing[i] = taken[block];
    }
    return sharing;
  }

  // The end of the row whose place the rank's next row takes.
  TaskGraph::Task place_of_next_row(std::size_t rank) const {
    const auto& ends = ends_[rank];
    return depth_ > 0 && ends.size() >= depth_ ? ends[ends.size() - depth_] : TaskGraph::none;
  }

  // A row ends with its results and its messages, and after the row before it.
  void end_row(std::size_t rank, const std::vector<TaskGraph::Task>& departures,
               const std::vector<TaskGraph::Task>& latest, const Order& order) {
    if (depth_ == 0) return;
    const TaskGraph::Task end = mark(rank, TaskGraph::none);
    TaskGraph::Task before = TaskGraph::none;
    for (const TaskGraph::Task t : departures) {
      if (t != before) graph_.after(end, t);
      before = t;
    }
    for (const TaskGraph::Task t : latest) graph_.after(end, t);
    graph_.after_count(end, order.arrived, order.sent);
    if (!ends_[rank].empty()) graph_.after(end, ends_[rank].back());
    ends_[rank].push_back(end);
  }

  TaskGraph::Task mark(std::size_t rank, TaskGraph::Task before, Server server = marks) {
    const TaskGraph::Task task = graph_.kernel(rank * servers + server);
    graph_.after(task, before);
    return task;
  }

  // A rank goes on when less than sends_ahead of its messages are under way.
  void begin_send(std::size_t rank, TaskGraph::Task departure, bool eager, Order& order) {
    if (!in_order_) return;
    // A core that codes sends nothing.
    order.previous = mark(rank, order.previous, device);
    if (order.sent >= sends_ahead) graph_.after_count(order.previous, order.arrived, order.sent - sends_ahead + 1);
    graph_.after(departure, order.previous);
    if (eager) return;
    counted_.emplace_back(departure, order.arrived);
    ++order.sent;
  }

  // The receives of the first messages are posted when the row begins.
  TaskGraph::Task posting_of(const Order& order, std::size_t message, TaskGraph::Task place) const {
    if (!in_order_) return TaskGraph::none;
    return message < receives_ahead ? place : order.taken[message - receives_ahead];
  }

  // Adds the tasks of a rank and returns the departures of its sends, indexed by action.
  std::vector<TaskGraph::Task> add_rank(std::size_t rank) {
    const Plan& plan = hops_.plan(rank);
    const TaskGraph::Task place = place_of_next_row(rank);
    std::vector<TaskGraph::Task> departures(plan.actions.size(), TaskGraph::none);
    std::vector<TaskGraph::Task> latest(plan.blocks.size(), place);  // the tasks that made the values
    // The paths of the values.  What a rank encodes in an algorithm that follows the nodes stays within the node first.
    std::vector<const Path*> paths(plan.blocks.size(), hops_.nodes() != nullptr ? &within_.path : &between_.path);
    ByHop launches;
    const std::vector<std::uint32_t>& sharing = sharing_[rank];
    TaskGraph::Task departure = TaskGraph::none, arriving = TaskGraph::none;
    Order order{place, graph_.counter()};
    for (std::size_t i = 0; i < plan.actions.size(); ++i) {
      const Action& action = plan.actions[i];
      TaskGraph::Task& value = latest[static_cast<std::size_t>(action.block)];
      const Path*& path = paths[static_cast<std::size_t>(action.block)];
      TaskGraph::Task arrival = TaskGraph::none;
      if (action.act == Act::send) {
        const Way& way = way_of(rank, action.peer);
        if (action.part == 0) departure = departure_of(rank, action, way);
        departures[i] = departure;
        graph_.after(departure, value);
        if (action.part == 0) begin_send(rank, departure, way.eager(action), order);
      }
      if (waits_for_message(action.act)) {
        const Way& way = way_of(rank, action.peer);
        path = &way.path;
        if (action.part == 0) {
          arriving = arrival_of(rank, action, way, hops_.senders(rank, i));
          const bool eager = in_order_ && way.eager(action);
          const std::size_t message = order.taken.size();
          waiting_.push_back({rank, &action, arriving, eager ? TaskGraph::none : posting_of(order, message, place)});
          if (!eager) graph_.after(arriving, place);
        }
        arrival = arriving;
      }
      if (action.act == Act::take) {
        value = arrival;
        if (in_order_) {
          value = order.previous = mark(rank, order.previous, device);
          graph_.after(value, arrival);
          if (action.part + 1 == action.parts) order.taken.push_back(value);
        }
      }
      // Numbers that were computed in the output need no copy.
      if (turn_of(action.act) < 0 || (action.act == Act::copy && action.from == Location::output)) continue;
      Launch& launch = launch_of(rank, action, hops_.hop(rank, i), path->posting / sharing[i], launches);
      launch.bytes[static_cast<std::size_t>(kernel_of(action.act))] += bytes_;
      // This merge adds to the rank's own frame, which has to be decoded, too.
      if (action.act == Act::merge && action.from == Location::none)
        launch.bytes[static_cast<std::size_t>(Kernel::decode)] += bytes_;
      graph_.after(launch.task, value);
      graph_.after(launch.task, arrival);
      if (in_order_) graph_.after(launch.task, order.previous);
      value = order.previous = launch.task;
      if (waits_for_message(action.act) && action.part + 1 == action.parts) order.taken.push_back(launch.task);
    }
    end_row(rank, departures, latest, order);
    return departures;
  }

  const Hops& hops_;
  const Coder& coder_;
  double bytes_;                                     // size of a block in one row
  Way between_;                                      // ranks on different nodes, or any two where nodes are not known
  Way within_;                                       // a node
  std::vector<std::vector<std::uint32_t>> sharing_;  // sharing_of() the plan of each rank
  bool in_order_;
  std::size_t depth_;  // rows under way at a time; 0: all of them
  TaskGraph graph_;
  std::map<std::tuple<std::size_t, std::int32_t, Server>, TaskGraph::Connection> connections_;
  std::vector<std::vector<TaskGraph::Task>> ends_;  // of the rows of each rank
  std::vector<Launch> launches_;
  std::vector<Waiting> waiting_;
  std::vector<std::pair<TaskGraph::Task, TaskGraph::Counter>> counted_;  // departures, and what counts their arrivals
};

// The size of a block.  All blocks are assumed equal; for an alltoall and the like, the data is the blocks that one
// rank sends.
double block_bytes(Collective collective, const Journey& journey, std::int32_t cut) {
  return journey.bytes / num_parts(collective, cut, journey.size);
}

Timing scaled(const Timing& t, double factor) {
  return {t.seconds * factor, t.codec * factor, t.wire * factor, t.latency * factor};
}

}  // namespace

std::optional<Timing> time_of(Collective collective, const Hops& hops, const Journey& journey, const Coder& coder,
                              const Path& path, int most_rows) {
  const double bytes = block_bytes(collective, journey, hops.plan(0).cut);
  Timing busiest;
  const auto walked = [&](int rows) {
    Walk walk(hops, journey, bytes, coder, path);
    for (int k = 0; k < rows; ++k) walk.add_row();
    walk.set_times();
    busiest = walk.busiest();
    return walk.run();
  };
  const int rows = std::min(journey.rows, most_rows);
  if (hops.actions() * static_cast<std::size_t>(rows) > most_actions) return {};
  const auto found = walked(rows);
  if (!found || journey.rows == rows) return found;
  const Timing least = scaled(busiest, static_cast<double>(journey.rows) / rows);
  const auto at_half = walked(rows / 2);
  if (!at_half) return {};
  Timing timing = *found;
  const Timing& half = *at_half;
  const double more = static_cast<double>(journey.rows - rows) / (rows - rows / 2);
  const auto grow = [more](double& all, double before) { all += std::max(all - before, 0.0) * more; };
  grow(timing.codec, half.codec);
  grow(timing.wire, half.wire);
  grow(timing.latency, half.latency);
  timing.seconds = timing.codec + timing.wire + timing.latency;
  // A few rows may share a core or a link that is idle half of the time.  Many cannot.
  return least.seconds > timing.seconds ? least : timing;
}

std::optional<Timing> time_of(const Algorithm& algorithm, const Journey& journey, const Coder& coder,
                              const Path& path) {
  const auto hops = Hops::find(algorithm, {journey.size, journey.nodes}, journey.root, journey.travel, true,
                               journey.blocks_per_message);
  if (!hops) return {};
  return time_of(algorithm.collective, *hops, journey, coder, path);
}

}  // namespace laconic
