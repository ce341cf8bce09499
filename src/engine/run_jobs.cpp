// SPDX-License-Identifier: BSD-3-Clause
// Run: the coding steps of a row, from gathering their operands to recording their results.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "engine/lane.hpp"
#include "engine/run.hpp"
#include "wire/frame.hpp"

namespace laconic {
namespace {

// No single frame shows why a sum holds too few or too many contributions, so the message names all ranks that sent
// frames of the block.
Status about_sum(const Status& status, const Plan& plan, std::int32_t block) {
  std::string ranks;
  for (const Action& a : plan.actions)
    if (a.block == block && waits_for_message(a.act)) ranks += (ranks.empty() ? "" : " or ") + std::to_string(a.peer);
  return {status.code(), status.message() + "; they came from rank " + ranks};
}

bool miscounted(const CodingJob& job) {
  const bool result = job.act == Act::decode || job.act == Act::copy;
  return job.sealing.on && (job.contributions > job.sealing.whole ||
                            (result && job.contributions > 0 && job.contributions < job.sealing.whole));
}

}  // namespace

std::byte* Run::location(Lane& lane, const Action& action, Location where) {
  const Region& region = work_.regions[static_cast<std::size_t>(action.block)];
  Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  const std::size_t offset = slice(action.block, lane.row).offset * size_of(work_.coding.dtype);
  switch (where) {
    case Location::none: return nullptr;
    case Location::input: return const_cast<std::byte*>(region.input) + offset;  // only read
    case Location::output: return region.output + offset;
    case Location::spare:
      if (block.spare == FramePool::none) block.spare = acquire();
      if (block.spare == FramePool::none) return nullptr;
      pool_.use(block.spare, slice(action.block, lane.row).count * size_of(work_.coding.dtype));
      return pool_.at(block.spare).blob.data();
  }
  return nullptr;
}

// The operands and the place of a job, but for the frames that it reads.
void Run::set_up(CodingJob& job, Lane& lane, const Action& action, int out) {
  const Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  job.act = action.act;
  job.from = action.from;
  job.last = action.last;
  job.reduce_on_host = work_.reduce_on_host;
  job.codec = work_.codec;
  job.codings = &codings_;
  job.count = passing(action.block) ? block.count : slice(action.block, lane.row).count;
  job.numbers = location(lane, action, action.from);
  job.result =
      location(lane, action, action.act == Act::decode || action.act == Act::copy ? Location::output : action.to);
  job.error_before = action.act == Act::encode ? block.error : 0;
  job.sealing = sealing_of(lane, action);
  job.contributions = action.from == Location::none ? 0 : block.contributions;
  job.problem = {};
  job.travels = makes_frame(action.act) && will_be_sent(action);
  job.out = slot(out);
}

// Keeps an arrived frame for the next one that is combined with the same block, so that one launch reads them all
// (gZCCL's gather, then one pass): a pass reads each frame once, and packs the sum once.  Returns false if there is
// none to come, or enough are kept.
bool Run::hold_arrival(Lane& lane, const Action& action) {
  if (!action.more || lane.held.size() + 1 >= arrivals_together_) return false;
  if (!lane.held.empty() && work_.plan->actions[lane.held_from].block != action.block) return false;
  if (lane.held.empty()) lane.held_from = lane.at;
  Status problem;
  const int slot = take_arrival(lane, action, problem);
  if (broken_) return false;
  if (lane.held_problem.ok()) lane.held_problem = std::move(problem);
  lane.held_slots.push_back(slot);
  lane.held.push_back(&pool_.at(slot));
  return true;
}

bool Run::begin_job(Lane& lane, const Action& action) {
  // After one inline job in this thread, the network is polled again before the next.
  if (ran_job_) return false;
  const Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  CodingJob& job = lane.job;
  if (makes_frame(action.act)) lane.out_slot = acquire();
  if (action.act == Act::merge) lane.scratch_slot = acquire();
  if (broken_) return false;
  const bool gathers = !lane.held.empty() && work_.plan->actions[lane.held_from].block == action.block;
  const Action& first = gathers ? work_.plan->actions[lane.held_from] : action;
  set_up(job, lane, first, lane.out_slot);
  if (broken_) return false;
  if (gathers) {
    job.earlier = lane.held;
    job.last = action.last;
    job.travels = will_be_sent(action);
    job.problem = std::exchange(lane.held_problem, Status{});
  }
  job.current = slot(block.frame);
  job.scratch = slot(lane.scratch_slot);
  if (job.scratch != nullptr) pool_.use(lane.scratch_slot, job.count * size_of(work_.coding.dtype));
  if (waits_for_message(action.act)) {
    lane.arrived_slot = take_arrival(lane, action, job.problem);
    post_receives(lane);
    if (broken_) return false;
  }
  job.arrived = slot(lane.arrived_slot);
  // The errors are read now, because the job may overwrite the memory of a frame that is no longer needed.
  lane.error_current = error_in(job.current);
  lane.error_arrived = error_in(job.arrived);
  if (block.failed && first.from != Location::none)
    job.problem = {Code::frame, "the numbers of a block did not arrive"};
  lane.pending = &job;
  device_.submit(job);
  if (device_.runs_inline()) ran_job_ = true;
  return true;
}

Sealing Run::sealing_of(const Lane& lane, const Action& action) const {
  const std::uint32_t block = work_.plan->labels[static_cast<std::size_t>(action.block)];
  return {work_.checksum,
          {wire::operation_in_seals(work_.sequence, work_.salt), lane.row, block},
          static_cast<std::uint32_t>(transport_.rank()),
          work_.plan->whole,
          work_.plan->forwards};
}

double Run::error_in(const FrameSlot* frame) {
  wire::Header header;
  return frame != nullptr && frame->read_header(header).ok() ? header.error : 0;
}

FrameSlot* Run::slot(int number) { return number == FramePool::none ? nullptr : &pool_.at(number); }

// Whether the frame that this action of the plan makes is sent to another rank before a newer frame replaces it.
bool Run::will_be_sent(const Action& made) const {
  const std::vector<Action>& actions = work_.plan->actions;
  const std::int32_t block = made.block;
  for (auto k = static_cast<std::size_t>(&made - actions.data()) + 1; k < actions.size(); ++k) {
    if (actions[k].block != block) continue;
    if (actions[k].act == Act::send) return true;
    if (actions[k].act != Act::copy && actions[k].act != Act::forget) return false;
  }
  return false;
}

// Begins the next encodes of the caller's numbers, of which the lane's next action is the first, in one launch. Nothing
// writes to these numbers before the plan comes to their encodes.  Returns false if encodes are begun one by one.
bool Run::begin_encodes(Lane& lane) {
  const std::vector<Action>& actions = work_.plan->actions;
  const std::vector<std::size_t>& all = work_.plan->encodes_of_input;
  std::size_t& next = lane.encodes_begun;
  if (encodes_together_ == 1 || next == all.size() || all[next] != lane.at) return false;
  lane.encodes.clear();
  for (; next < all.size() && lane.encodes.size() < encodes_together_; ++next) {
    const Action& action = actions[all[next]];
    int& ready = lane.blocks[static_cast<std::size_t>(action.block)].ready;
    // With Travel::per_hop a block is encoded anew for each receiver.
    if (action.last != actions[lane.at].last || ready != FramePool::none) break;
    ready = acquire();
    if (broken_) return false;
    set_up(lane.encodes.add(), lane, action, ready);
  }
  lane.pending = &lane.encodes;
  device_.submit(lane.encodes);
  return true;
}

void Run::finish_encodes(Lane& lane) {
  lane.pending = nullptr;
  account_.seconds_encode += lane.encodes[0].seconds;  // that of all of them
  for (std::size_t k = 0; k < lane.encodes.size(); ++k)
    if (CodingJob& job = lane.encodes[k]; !job.status.ok()) fail(std::move(job.status));
}

// Begins a decode and leaves it: nothing that follows in the plan reads or writes the result.  The frame stays in
// memory until the end of the decode.  Returns false if so many are under way already.
bool Run::begin_decode(Lane& lane, const Action& action) {
  const auto end = lane.decodes.begin() + static_cast<std::ptrdiff_t>(decodes_ahead_);
  const auto free = std::find_if(lane.decodes.begin(), end, [](const auto& d) { return d.slot == FramePool::none; });
  if (free == end) return false;
  free->slot = std::exchange(lane.blocks[static_cast<std::size_t>(action.block)].frame, FramePool::none);
  free->block = action.block;
  set_up(free->job, lane, action, FramePool::none);
  free->job.current = slot(free->slot);
  free->error = error_in(free->job.current);
  device_.submit(free->job);
  return true;
}

// Returns true if any has finished.
bool Run::finish_decodes(Lane& lane) {
  bool finished = false;
  for (Lane::Decode& decode : lane.decodes) {
    if (decode.slot == FramePool::none || !decode.job.done()) continue;
    account_seconds(decode.job);
    note_status(decode.job, decode.block);
    account_.error = std::max(account_.error, decode.error);
    release(decode.slot);
    finished = true;
  }
  return finished;
}

// The operation fails with the error of a job, if there is one.
void Run::note_status(CodingJob& job, std::int32_t block) {
  if (!job.status.ok()) fail(miscounted(job) ? about_sum(job.status, *work_.plan, block) : std::move(job.status));
}

void Run::finish_job(Lane& lane) {
  CodingJob& job = lane.job;
  const Action& action = work_.plan->actions[lane.at];
  Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  lane.pending = nullptr;
  account_seconds(job);
  const bool ok = job.status.ok();
  note_status(job, action.block);
  switch (action.act) {
    case Act::encode:
    case Act::fold:
    case Act::add:
      release(block.frame);
      block.frame = std::exchange(lane.out_slot, FramePool::none);
      break;
    case Act::merge:
    case Act::unpack:
      take_error(lane, action);
      block.contributions = job.contributions;
      block.failed = !ok;
      release(block.frame);
      break;
    case Act::decode:
      take_error(lane, action);
      account_.error = std::max(account_.error, block.error);
      release(block.frame);
      break;
    case Act::copy: account_.error = std::max(account_.error, block.error); break;
    default: break;
  }
  if (!std::exchange(job.earlier, {}).empty()) lane.release_held(pool_);
  release(lane.arrived_slot);
  release(lane.scratch_slot);
  ++lane.at;
}

// Updates the error of the numbers that a job has written.
void Run::take_error(Lane& lane, const Action& action) {
  Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  if (action.from == Location::none) block.error = lane.error_current;
  if (action.act == Act::merge) {
    const double other = lane.error_arrived;
    const double both = work_.coding.op == Op::sum ? block.error + other : std::max(block.error, other);
    block.error = std::min(both, std::numeric_limits<double>::max());
  }
}

void Run::account_seconds(const CodingJob& job) {
  switch (job.act) {
    case Act::encode: account_.seconds_encode += job.seconds; break;
    case Act::decode:
    case Act::unpack: account_.seconds_decode += job.seconds; break;
    case Act::merge:
      account_.seconds_decode += job.seconds - job.seconds_combined;
      account_.seconds_reduce += job.seconds_combined;
      break;
    case Act::copy: account_.seconds_copy += job.seconds; break;
    default: account_.seconds_reduce += job.seconds; break;
  }
}

}  // namespace laconic
