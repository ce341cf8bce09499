#include "engine/run.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "wire/frame.hpp"

namespace laconic {
namespace {

// Frames carry 32-bit sizes and MPI int counts: 2^26 numbers of 8 bytes stay below both.
constexpr std::size_t largest_chunk = std::size_t{1} << 26;

constexpr std::uint64_t send_cookie = std::uint64_t{1} << 63;
constexpr std::uint64_t lane_bits = 16;

// One coding step of a lane, run by the device.
class CodingJob final : public Job {
 public:
  Act act = Act::encode;
  const Codec* codec = nullptr;
  const Coding* coding = nullptr;
  Frame first;   // of fold, add, decode
  Frame second;  // of add
  const std::byte* numbers = nullptr;
  std::byte* result = nullptr;
  std::size_t count = 0;
  Blob out;

  Coded coded;
  double seconds = 0;

  void run() noexcept override {
    const double begin = now();
    switch (act) {
      case Act::encode: coded = codec->encode(numbers, count, *coding, out); break;
      case Act::fold: coded = codec->fold(first, numbers, count, *coding, out); break;
      case Act::add: coded = codec->add(first, second, count, *coding, out); break;
      case Act::decode: coded = {codec->decode(first, result, count, *coding), 0}; break;
      case Act::copy:
        if (result != numbers && count > 0) std::memmove(result, numbers, count * size_of(coding->dtype));
        coded = {};
        break;
      case Act::send:
      case Act::take:
      case Act::drop: break;
    }
    seconds = now() - begin;
  }
};

}  // namespace

// One row under way.
class Run::Lane {
 public:
  struct Arrival {
    int slot = FramePool::none;
    bool here = false;
  };

  std::uint64_t index = 0;
  std::uint64_t row = 0;
  std::size_t at = 0;  // next action
  std::size_t receives_posted = 0;
  std::size_t receives_taken = 0;
  std::size_t sends_outstanding = 0;
  bool active = false;
  bool job_pending = false;
  int out_slot = FramePool::none;      // what the pending job writes
  int arrived_slot = FramePool::none;  // what the pending job reads besides the current frame
  std::vector<int> frames;             // current frame of every block
  std::array<Arrival, receives_ahead> arrivals;
  CodingJob job;

  void reserve(std::size_t blocks) { frames.reserve(blocks); }

  Arrival& arrival(std::size_t receive) { return arrivals[receive % receives_ahead]; }

  void begin(std::uint64_t new_row, std::int32_t blocks) {
    row = new_row;
    at = receives_posted = receives_taken = 0;
    sends_outstanding = 0;
    job_pending = false;
    active = true;
    frames.assign(static_cast<std::size_t>(blocks), FramePool::none);
    arrivals = {};
  }
};

Run::Run(Transport& transport, Device& device)
    : transport_(transport), device_(device), channel_(transport.make_channel()), pool_(device) {}

Run::~Run() = default;

Status Run::reserve(const Work& work) {
  if (broken_) return status_;  // transfers of the broken operation may still write into our memory
  work_ = work;
  const auto blocks = static_cast<std::size_t>(work.plan->blocks);
  const std::size_t block = work.count / blocks + (work.count % blocks != 0);
  work_.chunk = std::min({std::max<std::size_t>(work.chunk, 1), std::max<std::size_t>(block, 1), largest_chunk});
  rows_ = first_row_ = next_row_ = (block + work_.chunk - 1) / work_.chunk;  // finished, until start()

  // Rows that are under way together must not use a message's name twice.  Within one row names may repeat: both ends
  // post its messages in the order of the plan, and transports keep messages of one name in order.
  const std::uint64_t nameable = std::max<std::uint64_t>(transport_.messages() / work.plan->most_messages, 1);
  depth_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(work.depth), 1, std::max<std::uint64_t>(rows_, 1));
  depth_ = std::min(depth_, nameable);
  while (lanes_.size() < depth_) {
    lanes_.push_back(std::make_unique<Lane>());
    lanes_.back()->index = lanes_.size() - 1;
  }
  for (auto& lane : lanes_) lane->reserve(blocks);
  completions_.reserve(depth_ * (receives_ahead + sends_ahead));
  // Current frames, frames that are being sent, room for what arrives, and the job's: what it reads and what it writes.
  const std::size_t lane_slots = work.plan->most_frames + sends_ahead + receives_ahead + 2;
  if (!pool_.prepare(work.codec->capacity(work_.chunk, work.coding.dtype), depth_ * lane_slots))
    return {Code::memory, "no memory for the frames of an operation"};
  return {};
}

void Run::start(const Work& work) {
  if (broken_) return;
  status_ = reserve(work);
  account_ = {};
  if (!status_.ok()) return;
  channel_->open(work.sequence);
  first_row_ = next_row_ = 0;
  for (auto& lane : lanes_) lane->active = false;
  retire_and_admit();
  last_poll_ = now();
}

Run::Slice Run::slice(std::int32_t block, std::uint64_t row) const {
  const auto blocks = static_cast<std::size_t>(work_.plan->blocks);
  const auto b = static_cast<std::size_t>(block);
  const std::size_t share = work_.count / blocks;
  const std::size_t larger = work_.count % blocks;  // the first `larger` blocks have one number more
  const std::size_t begin = b * share + std::min(b, larger);
  const std::size_t size = share + (b < larger);
  const std::size_t from = std::min(size, static_cast<std::size_t>(row) * work_.chunk);
  return {begin + from, std::min(work_.chunk, size - from)};
}

bool Run::poll() {
  if (first_row_ == rows_) return true;
  if (broken_) return !coding();
  completions_.clear();
  if (Status s = channel_->poll(completions_); !s) {
    fail(std::move(s));
    broken_ = true;
    return !coding();
  }
  for (const Completion& completion : completions_) complete(completion);
  bool moved = !completions_.empty();
  ran_job_ = false;
  // Oldest row first: others wait for its frames longest.
  for (std::uint64_t row = first_row_; row < next_row_ && !broken_; ++row) {
    Lane& lane = *lanes_[row % depth_];
    if (lane.active) moved = advance(lane) || moved;
  }
  retire_and_admit();
  const double t = now();
  if (!moved) account_.seconds_wait += t - last_poll_;
  last_poll_ = t;
  return broken_ ? !coding() : first_row_ == rows_;
}

bool Run::coding() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane->active && lane->job_pending && !lane->job.done(); });
}

void Run::complete(const Completion& completion) {
  Lane& lane = *lanes_[completion.cookie & ((std::uint64_t{1} << lane_bits) - 1)];
  const std::uint64_t rest = (completion.cookie & ~send_cookie) >> lane_bits;
  if (completion.cookie & send_cookie) {
    pool_.release(static_cast<int>(rest));
    --lane.sends_outstanding;
    return;
  }
  Lane::Arrival& arrival = lane.arrival(static_cast<std::size_t>(rest));
  pool_.set_bytes(arrival.slot, completion.bytes);
  arrival.here = true;
}

// True when anything was done.
bool Run::advance(Lane& lane) {
  bool moved = post_receives(lane);
  while (!broken_) {
    if (lane.job_pending) {
      if (!lane.job.done()) return moved;
      finish_job(lane);
      moved = true;
    }
    if (lane.at == work_.plan->actions.size()) return moved;
    if (!begin_action(lane, work_.plan->actions[lane.at])) return moved;
    moved = true;
  }
  return moved;
}

// False when the action has to wait.
bool Run::begin_action(Lane& lane, const Action& action) {
  int& frame = lane.frames[static_cast<std::size_t>(action.block)];
  switch (action.act) {
    case Act::send: return begin_send(lane, action);
    case Act::drop:
      pool_.release(std::exchange(frame, FramePool::none));
      ++lane.at;
      return true;
    case Act::take: {
      Lane::Arrival& arrival = lane.arrival(lane.receives_taken);
      if (lane.receives_taken == lane.receives_posted || !arrival.here) return false;
      if (frame != FramePool::none) pool_.release(frame);
      frame = std::exchange(arrival.slot, FramePool::none);
      ++lane.receives_taken;
      ++lane.at;
      post_receives(lane);
      return true;
    }
    case Act::encode:
    case Act::fold:
    case Act::add:
    case Act::decode:
    case Act::copy: return begin_job(lane, action);
  }
  return false;
}

bool Run::begin_send(Lane& lane, const Action& action) {
  if (lane.sends_outstanding == sends_ahead) return false;
  const int slot = lane.frames[static_cast<std::size_t>(action.block)];
  pool_.hold(slot);
  const Frame frame = pool_.frame(slot);
  const std::uint64_t cookie = send_cookie | static_cast<std::uint64_t>(slot) << lane_bits | lane.index;
  if (Status s = channel_->send(frame, action.peer, lane.row * action.messages + action.message, cookie); !s) {
    fail(std::move(s));
    broken_ = true;
    return false;
  }
  ++lane.sends_outstanding;
  account_.bytes_sent += frame.size();
  account_.bytes_uncompressed += slice(action.block, lane.row).count * size_of(work_.coding.dtype);
  ++lane.at;
  return true;
}

bool Run::begin_job(Lane& lane, const Action& action) {
  const bool waits = action.act == Act::fold || action.act == Act::add;
  if (waits && (lane.receives_taken == lane.receives_posted || !lane.arrival(lane.receives_taken).here)) return false;
  // One piece of work in this thread, then the network is polled again.
  if (ran_job_) return false;
  const Slice s = slice(action.block, lane.row);
  const std::size_t size = size_of(work_.coding.dtype);
  const int frame = lane.frames[static_cast<std::size_t>(action.block)];
  CodingJob& job = lane.job;
  job.act = action.act;
  job.codec = work_.codec;
  job.coding = &work_.coding;
  job.numbers = static_cast<const std::byte*>(work_.input) + s.offset * size;
  job.result = static_cast<std::byte*>(work_.output) + s.offset * size;
  job.count = s.count;
  if (action.act != Act::decode && action.act != Act::copy) {
    lane.out_slot = pool_.acquire();
    if (lane.out_slot == FramePool::none) {
      fail({Code::memory, "no memory for another frame"});
      broken_ = true;
      return false;
    }
    job.out = pool_.room(lane.out_slot);
  }
  if (waits) {
    lane.arrived_slot = std::exchange(lane.arrival(lane.receives_taken).slot, FramePool::none);
    ++lane.receives_taken;
    job.first = pool_.frame(lane.arrived_slot);
    if (action.act == Act::add) job.second = pool_.frame(frame);
    post_receives(lane);
  } else if (action.act == Act::decode) {
    job.first = pool_.frame(frame);
  }
  lane.job_pending = true;
  device_.submit(job);
  if (device_.runs_inline()) ran_job_ = true;
  return true;
}

void Run::finish_job(Lane& lane) {
  CodingJob& job = lane.job;
  const Action& action = work_.plan->actions[lane.at];
  int& frame = lane.frames[static_cast<std::size_t>(action.block)];
  lane.job_pending = false;
  switch (action.act) {
    case Act::encode: account_.seconds_encode += job.seconds; break;
    case Act::decode: account_.seconds_decode += job.seconds; break;
    case Act::copy: account_.seconds_copy += job.seconds; break;
    default: account_.seconds_reduce += job.seconds; break;
  }
  if (!job.coded.status.ok()) fail(std::move(job.coded.status));
  if (action.act == Act::decode) {
    wire::Header header;
    if (wire::read_header(job.first, header)) account_.error = std::max(account_.error, header.error);
    pool_.release(std::exchange(frame, FramePool::none));
  } else if (action.act != Act::copy) {
    // Without numbers a failed frame goes on in their place, so that nobody waits for ever or takes old bytes for new.
    const std::size_t bytes = job.coded.bytes > 0 ? job.coded.bytes
                                                  : wire::write_failed_frame(static_cast<std::uint32_t>(job.count),
                                                                             work_.coding.dtype, job.out);
    pool_.set_bytes(lane.out_slot, bytes);
    if (frame != FramePool::none) pool_.release(frame);
    frame = std::exchange(lane.out_slot, FramePool::none);
    if (lane.arrived_slot != FramePool::none) pool_.release(std::exchange(lane.arrived_slot, FramePool::none));
  }
  ++lane.at;
}

bool Run::post_receives(Lane& lane) {
  bool posted = false;
  while (lane.receives_posted < work_.plan->receives.size() &&
         lane.receives_posted < lane.receives_taken + receives_ahead && !broken_) {
    const Action& action = work_.plan->actions[work_.plan->receives[lane.receives_posted]];
    const int slot = pool_.acquire();
    if (slot == FramePool::none) {
      fail({Code::memory, "no memory for another frame"});
      broken_ = true;
      return posted;
    }
    lane.arrival(lane.receives_posted) = {slot, false};
    const std::uint64_t cookie = static_cast<std::uint64_t>(lane.receives_posted) << lane_bits | lane.index;
    const std::uint64_t message = lane.row * action.messages + action.message;
    if (Status s = channel_->receive(pool_.room(slot), action.peer, message, cookie); !s) {
      fail(std::move(s));
      broken_ = true;
      return posted;
    }
    ++lane.receives_posted;
    posted = true;
  }
  return posted;
}

void Run::retire_and_admit() {
  while (first_row_ < next_row_) {
    Lane& lane = *lanes_[first_row_ % depth_];
    if (lane.at != work_.plan->actions.size() || lane.sends_outstanding != 0) break;
    lane.active = false;
    ++first_row_;
  }
  while (next_row_ < rows_ && next_row_ < first_row_ + depth_) {
    lanes_[next_row_ % depth_]->begin(next_row_, work_.plan->blocks);
    ++next_row_;
  }
}

void Run::fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

std::string Run::describe() const {
  std::string text = "rows " + std::to_string(first_row_) + ".." + std::to_string(next_row_) + " of " +
                     std::to_string(rows_) + " under way";
  for (std::uint64_t row = first_row_; row < next_row_; ++row) {
    const Lane& lane = *lanes_[row % depth_];
    text += "; row " + std::to_string(row) + ": ";
    if (lane.at == work_.plan->actions.size()) {
      text += "waits for " + std::to_string(lane.sends_outstanding) + " sends";
      continue;
    }
    const Action& action = work_.plan->actions[lane.at];
    text += std::string(name_of(action.act)) + " block " + std::to_string(action.block);
    if (action.peer >= 0) text += " with rank " + std::to_string(action.peer);
  }
  return text;
}

}  // namespace laconic
