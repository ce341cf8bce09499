// SPDX-License-Identifier: BSD-3-Clause
#include "explain/explain.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "schedule/messages.hpp"
#include "tune/choose.hpp"
#include "variants.hpp"
#include "wire/frame.hpp"
#include "wire/message.hpp"
#include "wire/seal.hpp"

namespace laconic::cli::explain {
namespace {

// The blocks of an alltoall grow with the square of the ranks. Above this number, a plan is made only on request.
constexpr std::size_t most_blocks_unasked = std::size_t{1} << 20;

std::size_t blocks_of(const Question& q) {
  const auto ranks = static_cast<std::size_t>(q.ranks);
  if (traits_of(q.collective).neighborhood()) return 2 * assumed_neighbors;
  return traits_of(q.collective).all_to_all() ? ranks * ranks : ranks;
}

// The numbers in a block: nearly equal parts of the data; for an alltoall and the like, parts of the data that one rank
// sends.
std::size_t block_count(const Question& q, std::int32_t block, std::int32_t cut) {
  const std::size_t n = q.bytes / size_of(q.dtype);
  const bool free_cut = traits_of(q.collective).cut_freely();
  const auto parts = static_cast<std::size_t>(num_parts(q.collective, cut, q.ranks));
  const auto part = static_cast<std::size_t>(block) % parts;
  return n / parts + (free_cut && part < n % parts ? 1 : 0);
}

bool overlapping(const Question& q) { return find_variant(q.variant)->overlaps; }

// The transfers and the division into rows, the same as in CollectiveOperation::make_work() and Run::reserve().
Work work_of(const Question& q, const Algorithm& algorithm, Travel travel) {
  Work w;
  const Neighborhood neighborhood = assumed_neighborhood(q.rank, q.ranks);
  const Place at{q.rank, q.ranks, q.root, &neighborhood, q.shape()};
  w.schedule = algorithm.build(at);
  w.largest = block_count(q, 0, w.schedule.blocks);
  w.depth = overlapping(q) ? static_cast<std::size_t>(q.depth) : 1;
  w.chunk = w.largest;
  if (overlapping(q)) w.chunk = q.chunk > 0 ? q.chunk : choose_chunk(w.largest, q.dtype, q.depth);
  w.chunk = std::clamp<std::size_t>(w.chunk, 1, std::max<std::size_t>(w.largest, 1));
  w.schedule = join(std::move(w.schedule), blocks_per_message(w.chunk));
  w.plan = lower(w.schedule, q.collective, at, travel);
  w.rows = (w.largest + w.chunk - 1) / w.chunk;
  w.depth = std::clamp<std::size_t>(w.depth, 1, std::max<std::size_t>(w.rows, 1));
  for (const Step& step : w.schedule.steps) {
    ++w.verbs[static_cast<std::size_t>(step.verb)];
    if (step.part == 0) ++(step.verb == Verb::send ? w.messages_sent : w.messages_taken);
    if (step.verb == Verb::send)
      w.sent += static_cast<double>(block_count(q, step.block, w.plan.cut) * size_of(q.dtype));
  }
  w.frames = w.verbs[0] * w.rows;
  w.wire = w.sent / q.ratio + static_cast<double>(w.frames * wire::header_bytes);
  for (const Step& step : w.schedule.steps)
    if (step.verb == Verb::send && step.parts > 1) w.wire += static_cast<double>(w.rows * wire::message_bytes(1, 0));
  // The memory that the engine leases, for frames of the worst case.  A call uses less of it.
  const std::size_t frame = q.codec->capacity(w.chunk, q.dtype) + wire::seal_bytes;
  const std::size_t slot = std::max(frame, w.chunk * size_of(q.dtype));
  w.memory = w.depth * w.plan.slots * slot;
  if (w.plan.most_parts > 1)
    w.memory += w.depth * (receives_ahead + sends_ahead) * wire::message_bytes(w.plan.most_parts, slot);
  return w;
}

}  // namespace

Travel travel_in(const Question& q) { return travel_of(*q.codec, find_variant(q.variant)->per_hop); }

Comparison compare(const Question& q) {
  const Travel travel = travel_in(q);
  CallModel call = model_of(q.collective, q.bytes, q.ranks, travel);
  call.bytes = static_cast<double>(q.bytes);
  call.nodes = q.shape();
  call.chunk = q.chunk;
  call.depth = q.depth;
  call.relative = q.bound.mode == BoundMode::rel;
  call.limits = long_walk;
  call.shared_cables = !q.profile;
  const auto compressed = candidates(call, q.coding, q.path);
  const auto uncompressed = uncompressed_candidates(call, q.path);
  const auto of = [](const Algorithm& a, const std::vector<Candidate>& all) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Candidate& c) { return c.algorithm == &a; });
    return found == all.end() ? std::nullopt : std::optional(*found);
  };
  Comparison comparison;
  for (const Algorithm& a : all_algorithms())
    if (a.collective == q.collective && a.fits({q.ranks, q.shape()}))
      comparison.rows.push_back(
          {&a, terms_of(a, {q.ranks, q.shape()}, travel), of(a, compressed), of(a, uncompressed), q.ranks});
  const auto walked = [](const Row& row) { return row.compressed.has_value(); };
  // Algorithms for powers of two need the plans of all ranks elsewhere, but their times differ little.
  CallModel fewer = call;
  fewer.size = static_cast<int>(std::bit_floor(static_cast<unsigned>(q.ranks)));
  fewer.nodes = nullptr;
  if (fewer.size < q.ranks && !std::all_of(comparison.rows.begin(), comparison.rows.end(), walked)) {
    const auto compressed_fewer = candidates(fewer, q.coding, q.path);
    const auto uncompressed_fewer = uncompressed_candidates(fewer, q.path);
    for (Row& row : comparison.rows)
      if (const auto found = of(*row.algorithm, compressed_fewer); found && !walked(row))
        row = {row.algorithm, row.terms, found, of(*row.algorithm, uncompressed_fewer), fewer.size};
  }
  comparison.chosen = &choose_algorithm(q.collective, q.bytes, q.ranks, travel);
  if (q.profile) {
    comparison.verdict = q.profile->decide(call);
    if (comparison.verdict->algorithm != nullptr) comparison.chosen = comparison.verdict->algorithm;
  }
  for (const Row& row : comparison.rows)
    if (row.uncompressed)
      comparison.plain = std::min(comparison.plain.value_or(row.uncompressed->predicted), row.uncompressed->predicted);
  return comparison;
}

Answer answer(const Question& q, const Algorithm& algorithm) {
  Answer a;
  a.algorithm = &algorithm;
  a.travel = travel_in(q);
  const Ranks ranks(q.ranks, q.shape());
  a.terms = terms_of(algorithm, ranks, a.travel);
  a.budgeted = q.bound.mode == BoundMode::abs || q.bound.mode == BoundMode::rel;
  if (a.budgeted)
    a.budget =
        budget_for(q.bound.value, q.target, q.op, q.mean, algorithm, ranks, *q.codec, a.travel == Travel::per_hop);
  a.worked_out = q.rank_given || blocks_of(q) <= most_blocks_unasked;
  if (a.worked_out) a.work = work_of(q, algorithm, a.travel);
  return a;
}

}  // namespace laconic::cli::explain
