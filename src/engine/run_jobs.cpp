// Run: the coding steps of a row, from their operands to what they leave behind.
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/lane.hpp"
#include "engine/run.hpp"
#include "wire/frame.hpp"

namespace laconic {

std::byte* Run::home(Lane& lane, const Action& action, Home where) {
  const Region& region = work_.regions[static_cast<std::size_t>(action.block)];
  Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  const std::size_t offset = slice(action.block, lane.row).offset * size_of(work_.coding.dtype);
  switch (where) {
    case Home::none: return nullptr;
    case Home::input: return const_cast<std::byte*>(region.input) + offset;  // only read, whoever asks for it
    case Home::output: return region.output + offset;
    case Home::spare:
      if (block.spare == FramePool::none) block.spare = acquire();
      return block.spare == FramePool::none ? nullptr : pool_.room(block.spare).data();
  }
  return nullptr;
}

bool Run::begin_job(Lane& lane, const Action& action) {
  // One piece of work in this thread, then the network is polled again.
  if (ran_job_) return false;
  const Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  CodingJob& job = lane.job;
  job.act = action.act;
  job.from = action.from;
  job.last = action.last;
  job.codec = work_.codec;
  job.codings = &codings_;
  job.count = passing(action.block) ? block.count : slice(action.block, lane.row).count;
  job.numbers = home(lane, action, action.from);
  job.result = home(lane, action, action.act == Act::decode || action.act == Act::copy ? Home::output : action.to);
  job.current = block.frame == FramePool::none ? Frame{} : pool_.frame(block.frame);
  const bool makes_frame = action.act == Act::encode || action.act == Act::fold || action.act == Act::add;
  if (makes_frame) lane.out_slot = acquire();
  if (action.act == Act::merge) lane.scratch_slot = acquire();
  if (broken_) return false;
  if (makes_frame) job.out = pool_.room(lane.out_slot);
  if (action.act == Act::merge) job.scratch = pool_.room(lane.scratch_slot);
  if (waits_for_message(action.act)) {
    lane.arrived_slot = std::exchange(lane.arrival(lane.receives_taken).slot, FramePool::none);
    ++lane.receives_taken;
    job.arrived = pool_.frame(lane.arrived_slot);
    post_receives(lane);
  }
  lane.job_pending = true;
  if (block.failed && action.from != Home::none) {
    // There are no numbers to work on.
    job.coded = {{Code::frame, "the numbers of a block did not arrive"}, 0};
    job.seconds = job.seconds_combined = 0;
    return true;
  }
  device_.submit(job);
  if (device_.runs_inline()) ran_job_ = true;
  return true;
}

void Run::finish_job(Lane& lane) {
  CodingJob& job = lane.job;
  const Action& action = work_.plan->actions[lane.at];
  Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  lane.job_pending = false;
  account_seconds(job);
  const bool ok = job.coded.status.ok();
  if (!ok) fail(std::move(job.coded.status));
  switch (action.act) {
    case Act::encode:
    case Act::fold:
    case Act::add: make_frame(lane, action); break;
    case Act::merge:
    case Act::unpack:
      take_error(lane, action);
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
  release(lane.arrived_slot);
  release(lane.scratch_slot);
  ++lane.at;
}

// Of the numbers that a job has put somewhere.
void Run::take_error(Lane& lane, const Action& action) {
  Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  wire::Header header;
  if (action.from == Home::none) block.error = wire::read_header(lane.job.current, header).ok() ? header.error : 0;
  if (action.act == Act::merge && wire::read_header(lane.job.arrived, header)) {
    const double both = work_.coding.op == Op::sum ? block.error + header.error : std::max(block.error, header.error);
    block.error = std::min(both, std::numeric_limits<double>::max());
  }
}

// The job's frame becomes the current one of the block.
void Run::make_frame(Lane& lane, const Action& action) {
  const CodingJob& job = lane.job;
  Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  std::size_t bytes = job.coded.bytes;
  if (bytes == 0) {
    // Without numbers a failed frame goes on in their place, so that nobody waits for ever or takes old bytes for new.
    bytes = wire::write_failed_frame(static_cast<std::uint32_t>(job.count), work_.coding.dtype, job.out);
  } else if (block.error > 0 && action.act == Act::encode) {
    // The codec knows the error that it made, not the one that the numbers came with.
    wire::Header header;
    if (wire::read_header(job.out.first(bytes), header)) {
      header.error = std::min(header.error + block.error, std::numeric_limits<double>::max());
      wire::write_header(header, job.out);
    }
  }
  pool_.set_bytes(lane.out_slot, bytes);
  release(block.frame);
  block.frame = std::exchange(lane.out_slot, FramePool::none);
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
