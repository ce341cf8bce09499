// SPDX-License-Identifier: BSD-3-Clause
// The work that a collective gives to the engine, and the statistics that it reports about it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "comm/collectives/collective.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/settings.hpp"
#include "comm/core/stats.hpp"
#include "engine/predict.hpp"
#include "tune/chunk.hpp"

namespace laconic {

// Fills the work except its sequence number and its allowance, which need the agreement.  largest: the largest block of
// all ranks, or 0 where this rank knows it.
Status CollectiveOperation::make_work(std::size_t largest) {
  const Signature& m = shape().signature();
  work_ = {};
  work_.codec = asked_codec(settings());
  if (work_.codec == nullptr) return not_built(settings().codec);
  const Travel travel = travel_of(*work_.codec, per_hop(settings().variant));
  Machinery& machinery = *binding->machinery();
  const int root = placement_.call().root;
  work_.coding = coding_of(resolved_, shape(), binding->size);
  work_.checksum = settings().checksum == LACONIC_CHECKSUM_ON;
  work_.reduce_on_host = settings().variant == LACONIC_VARIANT_HOST_CENTRIC;
  work_.largest = largest > 0 ? largest : shape().largest(machinery.cut(algorithm(), root));
  work_.depth = overlapping(settings().variant) ? settings().depth : 1;
  if (!overlapping(settings().variant))
    work_.chunk = std::max<std::size_t>(work_.largest, 1);
  else if (settings().chunk_elements > 0)
    work_.chunk = static_cast<std::size_t>(settings().chunk_elements);
  else if (rows_ > 0)
    work_.chunk = on_devices_ ? std::min(chunk_of(work_.largest, rows_), largest_device_chunk)
                              : host_chunk_of(work_.largest, rows_, m.dtype);
  else
    work_.chunk = choose_chunk(work_.largest, m.dtype, work_.depth);
  const Plan& plan =
      machinery.plan(algorithm(), root, travel, blocks_per_message(std::min(work_.chunk, work_.largest)));
  work_.plan = &plan;
  try {
    if (Status s = placement_.set_aside(); !s) return s;
    regions_.resize(plan.blocks.size());
  } catch (const std::bad_alloc&) {
    return {Code::memory, "no memory for the table of blocks"};
  }
  placement_.regions(plan, regions_);
  work_.regions = regions_;
  return run_->reserve(work_);
}

// Proposes everything that must be the same on all ranks.
void CollectiveOperation::propose_arguments(Proposal& p) const {
  const Signature& m = shape().signature();
  const laconic_options& o = settings();
  const bool partial = shape().counts_partial();
  p.set(Argument::function, static_cast<std::uint64_t>(placement_.call().routine));
  if (placement_.call().traits().rooted()) p.set(Argument::root, static_cast<std::uint64_t>(placement_.call().root));
  p.set(Argument::plain, o.plain != nullptr ? 1 : 0);
  if (refuses()) return;
  if (!shape().count_hidden() && !partial) {
    p.set(Argument::count, shape().total());
    const MPI_Count* counts =
        placement_.call().traits().reduces ? placement_.call().send.counts : placement_.call().recv.counts;
    if (counts != nullptr)
      for (int r = 0; r < binding->size; ++r) p.set(Argument::count, static_cast<std::uint64_t>(counts[r]));
  }
  // Where one rank cannot compress, all ranks exchange uncompressed data.
  if (p.plain == LACONIC_PLAIN_NOT && !m.no_numbers) p.set_dtype(m.dtype);
  // Some pairs of ranks may exchange numbers of one type, and some of another.
  p.types_may_differ =
      partial && (placement_.call().traits().all_to_all() || placement_.call().traits().neighborhood());
  if (placement_.call().traits().reduces)
    p.set(Argument::op, m.mean ? std::uint64_t{100} : static_cast<std::uint64_t>(m.op));
  p.set(Argument::bound, static_cast<std::uint64_t>(o.bound.mode));
  p.set(Argument::bound, std::bit_cast<std::uint64_t>(o.bound.value));
  p.set(Argument::target, static_cast<std::uint64_t>(o.target));
  p.set(Argument::codec, static_cast<std::uint64_t>(o.codec));
  // A codec stands for its effort.
  if (o.codec == LACONIC_CODEC_UNSET) p.set(Argument::effort, static_cast<std::uint64_t>(resolved_.asked_effort()));
  p.set(Argument::algorithm, static_cast<std::uint64_t>(o.algorithm));
  p.set(Argument::variant, static_cast<std::uint64_t>(o.variant));
  p.set(Argument::denormals, static_cast<std::uint64_t>(o.denormals));
  p.set(Argument::checksum, static_cast<std::uint64_t>(o.checksum));
  p.set(Argument::tune, static_cast<std::uint64_t>(o.tune));
  p.set(Argument::chunk_elements, static_cast<std::uint64_t>(o.chunk_elements));
  p.set(Argument::depth, static_cast<std::uint64_t>(o.depth));
}

// The greatest magnitude of a result, where the ranks agreed on the range; 0 where they did not, and for sums.  With it
// the bound covers the last rounding of the result, too.
double CollectiveOperation::agreed_magnitude() const {
  const bool sum = placement_.call().traits().reduces && shape().signature().op == Op::sum;
  if (settings().bound.mode != LACONIC_BOUND_REL || sum || work_.plan->travel != Travel::homomorphic) return 0;
  return greatest_magnitude(range_);
}

// Whether the ranks may all hold the same numbers, so that their errors are equal, too, and add up.
bool CollectiveOperation::all_equal() const {
  return settings().target == LACONIC_TARGET_LIKELY && (agreement_.any_on_devices() || agreement_.fingerprints_equal());
}

// The bound as an absolute error.  That of a sum is relative to the larger of two ranges.
double CollectiveOperation::agreed_bound() const {
  const double width = range_.greatest - range_.least;
  const double of_sum = range_of_sum_.width();
  return absolute_bound(settings(), of_sum > width ? Range{0, of_sum} : range_);
}

void CollectiveOperation::set_bound() {
  const Signature& m = shape().signature();
  const bool sum = reduces(algorithm().collective) && m.op == Op::sum;
  const BoundTarget target = all_equal() ? BoundTarget::result : target_of(settings());
  Budget budget = budget_for(agreed_bound(), target, m.op, m.mean, algorithm(), binding->ranks(), *work_.codec,
                             work_.plan->travel == Travel::per_hop);
  budget.apply(sum, work_.coding);
  work_.last_allowance = budget.last_allowance;
  work_.coding.greatest = agreed_magnitude();
  // With these bounds the absolute error is not known before the numbers are coded.
  if (settings().bound.mode == LACONIC_BOUND_RATE || of_blocks(bound_of(settings()).mode))
    budget.worst_case = std::numeric_limits<double>::infinity();
  stats_.algorithm = in_api(algorithm().id);
  stats_.codec = in_api(work_.codec->api_name());
  stats_.variant = settings().variant;
  stats_.bound = budget.worst_case;
  if (settings().bound.mode == LACONIC_BOUND_REL)
    stats_.range_of =
        range_of_sum_.width() > range_.greatest - range_.least ? LACONIC_TARGET_RESULT : LACONIC_TARGET_INPUT;
}

void CollectiveOperation::take_account() {
  const Account& account = run_->account();
  stats_.bytes_sent = account.bytes_sent;
  stats_.bytes_uncompressed = account.bytes_uncompressed;
  if (account.bytes_sent > 0)
    stats_.ratio = static_cast<double>(account.bytes_uncompressed) / static_cast<double>(account.bytes_sent);
  if (class_ != nullptr && account.bytes_sent > 0) class_->coded(effort_of(settings()), 1 / stats_.ratio);
  // Adding up and dividing the allowances rounds; their exact sum is never above the bound.
  stats_.achieved_bound =
      std::min(shape().signature().mean ? account.error / binding->size : account.error, stats_.bound);
  stats_.seconds_encode = account.seconds_encode;
  stats_.seconds_decode = account.seconds_decode;
  stats_.seconds_reduce = account.seconds_reduce;
  stats_.seconds_copy += account.seconds_copy;
  stats_.seconds_wait += account.seconds_wait;
  stats_.seconds_wait_reducing = account.seconds_wait_reducing;
  stats_.seconds_distribute = account.seconds_distribute;
  stats_.most_chunks = account.most_rows;
  stats_.memory_bytes = run_->most_used() + placement_.size();
}

void CollectiveOperation::finish_stats() {
  stats_.calls = 1;
  stats_.bytes_in = shape().contribution() * shape().signature().width;
  stats_.seconds_copy += placement_.seconds_copy();
  stats_.through_host = placement_.through_host();
  stats_.through_host_calls = stats_.through_host != LACONIC_THROUGH_HOST_NOT ? 1 : 0;
  stats_.seconds_total = now() - began_;
  const double named =
      stats_.seconds_encode + stats_.seconds_decode + stats_.seconds_reduce + stats_.seconds_copy + stats_.seconds_wait;
  // With worker threads the coding overlaps the calling thread's time and the phases may exceed the total.
  stats_.seconds_other = std::max(0.0, stats_.seconds_total - named);
  accumulate(binding->stats, stats_);
  if (has_options_) sink_of(given_).write(stats_);
}

}  // namespace laconic
