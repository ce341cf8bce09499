// SPDX-License-Identifier: BSD-3-Clause
#include "tune/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

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

// A walk along so many actions takes a few milliseconds.  Where ranks are many, fewer rows are walked.
constexpr std::size_t quick_actions = std::size_t{1} << 15;

// The engine's number of rows for the largest block.  Ranks may have different types, so none of them counts.
int rows_of(const CallModel& call, double block_bytes) {
  const double numbers = block_bytes / static_cast<double>(size_of(Dtype::f32));
  const auto chunk = static_cast<double>(choose_chunk(static_cast<std::size_t>(numbers), Dtype::f32, call.depth));
  return static_cast<int>(std::clamp(std::ceil(numbers / chunk), 1.0, 1e6));
}

std::optional<Timing> timing_of(const CallModel& call, const Algorithm& algorithm, const Coder& coder, double ratio,
                                const Path& path) {
  Journey journey;
  journey.bytes = call.bytes;
  journey.size = call.size;
  journey.travel = call.travel;
  journey.ratio = ratio;
  const auto hops = Hops::find(algorithm, call.size, 0, call.travel);
  if (!hops) return {};
  journey.rows = rows_of(call, call.bytes / num_parts(call.collective, hops->plan(0).cut, call.size));
  const std::size_t affordable = quick_actions / std::max<std::size_t>(hops->actions(), 1);
  const auto rows = static_cast<int>(std::clamp<std::size_t>(affordable, 2, most_walked_rows));
  return time_of(algorithm.collective, *hops, journey, coder, path, rows);
}

// All algorithms that serve the call, the fastest first.  before: seconds to add to each.
std::vector<Candidate> timed(const CallModel& call, const Coder& coder, double ratio, const Path& path, double before) {
  std::vector<Candidate> found;
  for (const Algorithm& a : all_algorithms()) {
    if (a.collective != call.collective || !a.fits(call.size)) continue;
    if (const auto timing = timing_of(call, a, coder, ratio, path))
      found.push_back({&a, before + timing->seconds, 0, *timing});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.predicted < b.predicted; });
  return found;
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
  path.moved_by_ranks = true;
  return path;
}

Path path_between_nodes() {
  Path path;
  path.latency = 30e-6;
  path.bytes_per_second = 1e9;
  path.per_message = 5e-6;
  // With 8 hosts and links of 1 Gbit/s, seven senders at a time lose 5 % (allgather) to 38 % (reduce_scatter).
  path.congestion = 0.02;
  return path;
}

std::vector<Candidate> candidates(const CallModel& call, const CodingCost& cost, const Path& path) {
  return timed(call, coder_of(cost), 1 / cost.frame, path, seconds_before(call, cost, path));
}

std::vector<Candidate> uncompressed_candidates(const CallModel& call, const Path& path) {
  CallModel raw = call;
  raw.travel = Travel::homomorphic;  // numbers are added as they arrive
  return timed(raw, uncompressed_coder(), 1, path, 0);
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
