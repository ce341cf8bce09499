// SPDX-License-Identifier: BSD-3-Clause
#include "tune/walk.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "tune/hops.hpp"

namespace laconic {
namespace {

constexpr std::size_t most_actions = std::size_t{1} << 20;  // in all rows together

// The servers of a rank's tasks.
enum Server : std::size_t { device, way_out, way_in, servers };

class Walk {
 public:
  Walk(const Hops& hops, const Journey& journey, double block_bytes, const Coder& coder, const Path& path)
      : hops_(hops),
        coder_(coder),
        path_(path),
        bytes_(block_bytes / journey.rows),
        wire_(bytes_ / journey.ratio / path.bytes_per_second),
        graph_(hops.ranks() * servers) {}

  void add_row() {
    std::vector<std::vector<TaskGraph::Task>> departures;
    waiting_.clear();
    for (std::size_t r = 0; r < hops_.ranks(); ++r) departures.push_back(add_rank(r));
    for (const Waiting& w : waiting_) {
      const auto [sender, action] = hops_.sender_of(w.rank, *w.action);
      graph_.connect(departures[sender][action], w.arrival);
    }
  }

  Timing run() {
    for (const Launch& k : launches_) {
      double seconds = 0, busy = 0;
      for (const Kernel kernel : all_kernels)
        if (const double bytes = k.bytes[static_cast<std::size_t>(kernel)]; bytes > 0) {
          seconds += coder_[kernel](bytes);
          busy += coder_[kernel](bytes) - coder_[kernel].launch();
        }
      graph_.set_seconds(k.task, seconds + path_.per_frame, busy + path_.per_frame);
    }
    return graph_.run();
  }

 private:
  struct Launch {
    TaskGraph::Task task;
    std::array<double, kernels> bytes{};
  };
  struct Waiting {
    std::size_t rank;
    const Action* action;
    TaskGraph::Task arrival;
  };
  using ByHop = std::map<std::pair<std::uint32_t, int>, std::size_t>;  // by hop and turn

  std::size_t server_of(std::size_t rank, Server way) const {
    return rank * servers + (path_.moved_by_ranks ? device : way);
  }

  // The time of an arrival with so many senders, over that with one.
  double congested(std::uint32_t senders) const {
    return std::min(1 + path_.congestion * std::max(senders - 1.0, 0.0), 2.0);
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

  Launch& launch_of(std::size_t rank, Act act, std::uint32_t hop, ByHop& launches) {
    if (coder_.together[static_cast<std::size_t>(kernel_of(act))]) {
      const auto [found, fresh] = launches.try_emplace({hop, turn_of(act)}, launches_.size());
      if (!fresh) return launches_[found->second];
    }
    launches_.push_back({graph_.kernel(rank * servers + device), {}});
    return launches_.back();
  }

  // Adds the tasks of a rank and returns the departures of its sends, indexed by action.
  std::vector<TaskGraph::Task> add_rank(std::size_t rank) {
    const Plan& plan = hops_.plan(rank);
    std::vector<TaskGraph::Task> departures(plan.actions.size(), TaskGraph::none);
    std::vector<TaskGraph::Task> latest(plan.blocks.size(), TaskGraph::none);  // the tasks that made the values
    ByHop launches;
    for (std::size_t i = 0; i < plan.actions.size(); ++i) {
      const Action& action = plan.actions[i];
      TaskGraph::Task& value = latest[static_cast<std::size_t>(action.block)];
      TaskGraph::Task arrival = TaskGraph::none;
      if (action.act == Act::send) {
        departures[i] = graph_.departure(server_of(rank, way_out), path_.per_message, wire_, path_.latency);
        graph_.after(departures[i], value);
      }
      if (waits_for_message(action.act)) {
        arrival = graph_.arrival(server_of(rank, way_in), wire_ * congested(hops_.senders(rank, i)));
        waiting_.push_back({rank, &action, arrival});
      }
      if (action.act == Act::take) value = arrival;
      // Numbers that were computed in the output need no copy.
      if (turn_of(action.act) < 0 || (action.act == Act::copy && action.from == Location::output)) continue;
      Launch& launch = launch_of(rank, action.act, hops_.hop(rank, i), launches);
      launch.bytes[static_cast<std::size_t>(kernel_of(action.act))] += bytes_;
      // This merge adds to the rank's own frame, which has to be decoded, too.
      if (action.act == Act::merge && action.from == Location::none)
        launch.bytes[static_cast<std::size_t>(Kernel::decode)] += bytes_;
      graph_.after(launch.task, value);
      graph_.after(launch.task, arrival);
      value = launch.task;
    }
    return departures;
  }

  const Hops& hops_;
  const Coder& coder_;
  const Path& path_;
  double bytes_;  // size of a block in one row
  double wire_;   // seconds of a frame on the wire
  TaskGraph graph_;
  std::vector<Launch> launches_;
  std::vector<Waiting> waiting_;
};

// The size of a block.  All blocks are assumed equal; for an alltoall and the like, the data is the blocks that one
// rank sends.
double block_bytes(Collective collective, const Journey& journey, std::int32_t cut) {
  return journey.bytes / num_parts(collective, cut, journey.size);
}

}  // namespace

std::optional<Timing> time_of(Collective collective, const Hops& hops, const Journey& journey, const Coder& coder,
                              const Path& path, int most_rows) {
  const double bytes = block_bytes(collective, journey, hops.plan(0).cut);
  const auto walked = [&](int rows) {
    Walk walk(hops, journey, bytes, coder, path);
    for (int k = 0; k < rows; ++k) walk.add_row();
    return walk.run();
  };
  const int rows = std::min(journey.rows, most_rows);
  if (hops.actions() * static_cast<std::size_t>(rows) > most_actions) return {};
  Timing timing = walked(rows);
  if (journey.rows == rows) return timing;
  const Timing half = walked(rows / 2);
  const double more = static_cast<double>(journey.rows - rows) / (rows - rows / 2);
  const auto grow = [more](double& all, double at_half) { all += std::max(all - at_half, 0.0) * more; };
  grow(timing.codec, half.codec);
  grow(timing.wire, half.wire);
  grow(timing.latency, half.latency);
  timing.seconds = timing.codec + timing.wire + timing.latency;
  return timing;
}

std::optional<Timing> time_of(const Algorithm& algorithm, const Journey& journey, const Coder& coder,
                              const Path& path) {
  const auto hops = Hops::find(algorithm, journey.size, journey.root, journey.travel);
  if (!hops) return {};
  return time_of(algorithm.collective, *hops, journey, coder, path);
}

}  // namespace laconic
