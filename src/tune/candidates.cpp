// SPDX-License-Identifier: BSD-3-Clause
#include "tune/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedule/messages.hpp"

namespace laconic {
namespace {

// Bytes that one core copies per second, and bytes of numbers that it adds.
constexpr double copy_rate = 6e9;
constexpr double add_rate = 4e9;

constexpr double preparation = 4e-6;  // seconds

Curve rate_of(double seconds_per_byte) { return Curve::modelled(0, 1 / std::max(seconds_per_byte, 1e-15), "sampled"); }

// The sample is in the caches when it is coded.  The numbers of a call are not, and have to be read or written.
Coder coder_of(const CodingCost& cost) {
  Coder coder;
  coder[Kernel::encode] = rate_of(cost.encode + cost.read);
  coder[Kernel::decode] = rate_of(cost.decode + cost.read);
  coder[Kernel::merge] = rate_of(cost.decode + cost.read + 1 / add_rate);
  coder[Kernel::fold] = rate_of((cost.fold > 0 ? cost.fold : cost.encode + cost.decode) + cost.read);
  coder[Kernel::add] = rate_of(cost.add > 0 ? cost.add : cost.encode + 2 * cost.decode);
  coder[Kernel::copy] = rate_of(1 / copy_rate);
  return coder;
}

Coder uncompressed_coder() {
  Coder coder;
  for (const Kernel kernel : all_kernels) coder[kernel] = rate_of(0);
  for (const Kernel kernel : {Kernel::merge, Kernel::fold, Kernel::add}) coder[kernel] = rate_of(1 / add_rate);
  coder[Kernel::copy] = rate_of(1 / copy_rate);
  return coder;
}

// The rows of the largest block with chunks of so many numbers.  Ranks may have different types, so none of them
// counts.
int rows_of(double block_bytes, std::size_t chunk) {
  const double numbers = block_bytes / static_cast<double>(size_of(Dtype::f32));
  return static_cast<int>(std::clamp(std::ceil(numbers / static_cast<double>(chunk)), 1.0, 1e6));
}

// The numbers of rows that the model chooses among: all that there are, unless the user asks for one.
using RowCounts = std::vector<int> (*)(const CallModel& call, double block_bytes);

std::vector<int> all_row_counts(const CallModel& call, double block_bytes) {
  if (call.chunk == 0) return row_counts(block_bytes);
  return {rows_of(block_bytes, call.chunk)};
}

std::vector<int> usual_row_count(const CallModel&, double block_bytes) {
  const auto numbers = static_cast<std::size_t>(block_bytes) / size_of(Dtype::f32);
  return {rows_of(block_bytes, choose_chunk(numbers, Dtype::f32, default_depth))};
}

// The most blocks in a message, for blocks cut into so many rows.
using Messages = std::uint32_t (*)(double block_bytes, int rows);

std::uint32_t as_here(double block_bytes, int rows) {
  return blocks_per_message(static_cast<std::size_t>(block_bytes / size_of(Dtype::f32) / rows));
}

// MPI sends everything that goes to one peer on a hop at once.
std::uint32_t as_in_mpi(double, int) { return all_blocks; }

// How calls are cut into rows and messages.
struct Division {
  RowCounts rows;
  Messages messages;
  bool ours;  // the library's algorithms: they may follow the nodes, and limit the rows that are under way
};

// How the numbers are coded.
struct WayOfCoding {
  Effort effort;
  Coder coder;
  double ratio;
  double before;  // seconds that a call takes besides
};

// The candidates with one way of coding: those of one algorithm, in which rows differ, or the best of each algorithm.
using OfOneWay = std::vector<Candidate>;

// For each way of coding, an algorithm with each number of rows; nothing where its plans are too large to be walked.
// Making the plans of many ranks takes longer than walking them, and they serve all ways.
std::vector<OfOneWay> timings_of(const CallModel& call, Division division, const Algorithm& algorithm,
                                 std::span<const WayOfCoding> ways, const Path& path) {
  Journey journey;
  journey.bytes = call.bytes;
  journey.size = call.size;
  journey.travel = call.travel;
  journey.nodes = call.nodes;
  const bool knows_nodes = call.shared_cables && call.nodes != nullptr && call.nodes->per_node() > 1;
  if (algorithm.by_nodes() || knows_nodes) journey.within = call.within;
  std::vector<OfOneWay> found(ways.size());
  const auto find = [&](std::uint32_t most) {
    return Hops::find(algorithm, {call.size, call.nodes}, 0, call.travel, true, most, call.limits, call.shared_cables);
  };
  std::uint32_t most = 1;
  auto hops = find(most);
  if (!hops) return found;
  const double block_bytes = call.bytes / num_parts(call.collective, hops->plan(0).cut, call.size);
  auto counts = division.rows(call, block_bytes);
  const std::size_t affordable = call.limits.in_all / std::max<std::size_t>(hops->actions(), 1);
  // Algorithms with so many actions have small blocks, for which few rows are best.
  counts.resize(std::clamp<std::size_t>(affordable / 4, 1, counts.size()));
  const auto walked = static_cast<int>(std::clamp<std::size_t>(affordable / counts.size(), 2, most_walked_rows));
  for (const int rows : counts) {
    journey.rows = rows;
    journey.depth = division.ours ? call.depth : rows;
    journey.in_order = division.ours;
    if (const std::uint32_t wanted = division.messages(block_bytes, rows); wanted != most) hops = find(most = wanted);
    for (std::size_t w = 0; w < ways.size(); ++w) {
      journey.ratio = ways[w].ratio;
      if (const auto timing = time_of(algorithm.collective, *hops, journey, ways[w].coder, path, walked))
        found[w].push_back({&algorithm, rows, ways[w].effort, timing->seconds + ways[w].before, 0, *timing});
    }
  }
  return found;
}

bool faster(const Candidate& a, const Candidate& b) { return a.predicted < b.predicted; }

// What all_algorithms() are predicted to take with one way of coding.
class Ranking {
 public:
  // The candidates of an algorithm, one for each number of rows.
  void add(OfOneWay by_rows) {
    if (by_rows.empty()) return;
    const Candidate best = *std::min_element(by_rows.begin(), by_rows.end(), faster);
    if (std::none_of(best_.begin(), best_.end(), [&](const Candidate& c) { return !faster(best, c); }))
      of_fastest_ = std::move(by_rows);
    best_.push_back(best);
  }

  // The best of each algorithm, and of the fastest the neighbours in rows; the fastest first.
  OfOneWay take() {
    std::stable_sort(best_.begin(), best_.end(), faster);
    for (std::size_t k = 0; k + 1 < of_fastest_.size(); ++k) {
      if (of_fastest_[k].rows == best_[0].rows) best_.push_back(of_fastest_[k + 1]);
      if (of_fastest_[k + 1].rows == best_[0].rows) best_.push_back(of_fastest_[k]);
    }
    std::stable_sort(best_.begin(), best_.end(), faster);
    return std::move(best_);
  }

 private:
  OfOneWay best_;
  OfOneWay of_fastest_;
};

// All candidates with the first way of coding, the fastest first, then all with the next.
std::vector<Candidate> timed(const CallModel& call, Division division, std::span<const WayOfCoding> ways,
                             const Path& path) {
  std::vector<Ranking> rankings(ways.size());
  for (const Algorithm& a : all_algorithms()) {
    if (a.collective != call.collective || !a.fits({call.size, call.nodes})) continue;
    if (a.by_nodes() && !division.ours) continue;
    std::vector<OfOneWay> found = timings_of(call, division, a, ways, path);
    for (std::size_t w = 0; w < ways.size(); ++w) rankings[w].add(std::move(found[w]));
  }
  std::vector<Candidate> all;
  for (Ranking& ranking : rankings)
    for (const Candidate& c : ranking.take()) all.push_back(c);
  return all;
}

// What a compressed call takes besides coding and sending: the agreement, the search for the range of this rank's
// numbers, and the engine's preparations.
double seconds_before(const CallModel& call, const CodingCost& cost, const Path& path) {
  const double rounds = 2 * std::ceil(std::log2(std::max(call.size, 2)));
  const bool block = traits_of(call.collective).send.contents == Contents::block;
  const double numbers = call.relative ? call.bytes / (block ? call.size : 1) : 0;
  return preparation + rounds * (path.latency + path.per_message) + numbers * cost.read;
}

}  // namespace

double class_bytes(double bytes) {
  return static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(std::max(bytes, 1.0))));
}

Path path_within_node() {
  Path path;
  path.latency = 1e-6;
  path.bytes_per_second = copy_rate;
  path.per_message = 0.5e-6;
  path.posting = 0.5e-6;
  path.moved_by_ranks = true;
  return path;
}

Path path_between_nodes() {
  Path path;
  path.latency = 30e-6;
  path.bytes_per_second = 1e9;
  path.per_message = 5e-6;
  path.posting = 5e-6;
  // With 8 hosts and links of 1 Gbit/s, seven senders at a time lose 5 % (allgather) to 38 % (reduce_scatter).
  path.congestion = 0.02;
  return path;
}

std::vector<Candidate> candidates(const CallModel& call, const CodingCosts& costs, const Path& path) {
  std::vector<WayOfCoding> ways;
  for (const Effort effort : efforts)
    if (const CodingCost& cost = costs.of(effort); cost.known())
      ways.push_back({effort, coder_of(cost), 1 / cost.frame, seconds_before(call, cost, path)});
  std::vector<Candidate> all = timed(call, {all_row_counts, as_here, true}, ways, path);
  const auto taken_before = [](const Candidate& a, const Candidate& b) {
    const auto counted = [](const Candidate& c) {
      return c.effort == Effort::dense ? c.predicted / clear_gain : c.predicted;
    };
    return counted(a) < counted(b);
  };
  std::stable_sort(all.begin(), all.end(), taken_before);
  return all;
}

std::vector<Candidate> uncompressed_candidates(const CallModel& call, const Path& path) {
  CallModel raw = call;
  raw.travel = Travel::homomorphic;  // numbers are added as they arrive
  if (!call.shared_cables) raw.nodes = nullptr;
  Path of_mpi = path;
  of_mpi.posting = 0;
  const WayOfCoding uncoded{Effort::light, uncompressed_coder(), 1, 0};
  return timed(raw, {usual_row_count, as_in_mpi, false}, std::span(&uncoded, 1), of_mpi);
}

Path path_of(const CallModel& call, double seconds, const Path& start) {
  const std::vector<Candidate> models = uncompressed_candidates(call, start);
  Path path = start;
  if (models.empty() || seconds <= 0) return path;
  const Timing& least = models[0].timing;
  if (least.wire <= 0) return path;
  // A call that takes longer than expected has slower links; one that is faster has less of everything.
  const double rest = least.latency + least.codec;
  if (seconds > least.seconds) {
    path.bytes_per_second *= least.wire / (seconds - rest);
  } else {
    const double factor = seconds / least.seconds;
    path.bytes_per_second /= factor;
    path.latency *= factor;
    path.per_message *= factor;
  }
  return path;
}

}  // namespace laconic
