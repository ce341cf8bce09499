// SPDX-License-Identifier: BSD-3-Clause
#include "engine/run.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "engine/lane.hpp"
#include "wire/frame.hpp"
#include "wire/message.hpp"

namespace laconic {
namespace {

// Frames carry 32-bit sizes and MPI int counts: 2^26 numbers of 8 bytes stay below both.
constexpr std::size_t largest_chunk = wire::largest_chunk;

// Cookies: the number of the lane, that of a slot, message or receive, and the kind of transfer.
constexpr std::uint64_t send_of_frame = std::uint64_t{1} << 63;
constexpr std::uint64_t send_of_message = std::uint64_t{1} << 62;
constexpr std::uint64_t any_send = send_of_frame | send_of_message;
constexpr std::uint64_t lane_bits = 16;

// Encodes share a launch up to so many bytes, with which a GPU of today is busy.  Their frames take memory until they
// are sent.
constexpr std::size_t bytes_encoded_together = std::size_t{1} << 22;

// The most encodes of a row that share a launch.
std::size_t encodes_together(const Plan& plan, std::size_t bytes_of_chunk) {
  const std::size_t fitting = std::max<std::size_t>(bytes_encoded_together / bytes_of_chunk, 1);
  return std::clamp<std::size_t>(plan.encodes_of_input.size(), 1, std::min(fitting, EncodeGroup::most));
}

Codings codings_of(const Work& work) {
  Codings c;
  c.intermediate = c.completing = c.final = c.result = work.coding;
  c.completing.complete = c.result.complete = true;
  if (work.plan->travel != Travel::homomorphic) {
    c.final.allowance = work.last_allowance;
    // Frames with either allowance are decoded, so the decoder must not compare a frame's allowance with one of them.
    // The rate is the same for all frames.
    c.result.allowance = c.result.relative = 0;
  }
  c.between = c.result;
  c.between.divisor = 1;
  c.between.complete = false;
  c.between.streaming = false;
  for (Coding* encoding : {&c.intermediate, &c.final})
    if (work.keeps_input) encoding->allowance = encoding->relative = encoding->rate = 0;
  return c;
}

}  // namespace

Run::Run(Transport& transport, Device& device)
    : transport_(transport), device_(device), channel_(transport.make_channel()), pool_(device), messages_(device) {}

Run::~Run() = default;

Status Run::reserve(const Work& work) {
  if (broken_) return status_;  // transfers of the broken operation may still write into our memory
  work_ = work;
  work_.chunk = std::min({std::max<std::size_t>(work.chunk, 1), std::max<std::size_t>(work.largest, 1), largest_chunk});
  rows_ = first_row_ = next_row_ = (work.largest + work_.chunk - 1) / work_.chunk;  // no rows to do until start()

  // Two rows in progress at the same time must not use the same message number.  Within one row a number may repeat:
  // both ends post its messages in the order of the plan, and transports keep messages with one number in order.
  const std::uint64_t nameable = std::max<std::uint64_t>(transport_.messages() / work.plan->most_messages, 1);
  depth_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(work.depth), 1, std::max<std::uint64_t>(rows_, 1));
  depth_ = std::min(depth_, nameable);
  while (lanes_.size() < depth_) {
    lanes_.push_back(std::make_unique<Lane>());
    lanes_.back()->index = lanes_.size() - 1;
  }
  const DeviceCodec* kernels = device_.on_host() ? nullptr : work.codec->on_device();
  const std::size_t decodes = std::max<std::size_t>(work.plan->decodes, 1);
  decodes_ahead_ = kernels != nullptr ? std::min(decodes - 1, most_decodes_ahead) : 0;
  encodes_together_ = kernels != nullptr ? encodes_together(*work.plan, work_.chunk * size_of(work.coding.dtype)) : 1;
  const std::size_t combined = kernels != nullptr ? kernels->combines(work.coding) : 2;
  arrivals_together_ = std::min(work.plan->most_arrivals, combined - 1);  // besides the current frame
  for (auto& lane : lanes_) {
    lane->blocks.reserve(work.plan->blocks.size());
    lane->held.reserve(arrivals_together_);
    lane->held_slots.reserve(arrivals_together_);
    if (encodes_together_ > 1) lane->encodes.reserve(encodes_together_);
  }
  completions_.reserve(depth_ * (receives_ahead + sends_ahead));
  const Dtype dtype = work.coding.dtype;
  const bool adds = work.plan->adds || work.coding.terms > 1;
  const std::size_t frame =
      adds ? work.codec->capacity(work_.chunk, dtype) : work.codec->moved_capacity(work_.chunk, dtype);
  const std::size_t capacity = std::max(frame + wire::seal_bytes, work_.chunk * size_of(dtype));
  if (kernels != nullptr && !device_.prepare(encodes_together_ * kernels->workspace_words(work_.chunk, dtype)))
    return {Code::memory, "no memory for the kernels of an operation"};
  // Messages of several frames are put together and taken apart by the host.
  const bool joined = work.plan->most_parts > 1;
  const bool staged = !transport_.takes_device_memory() || work.reduce_on_host || joined;
  if (!pool_.prepare(capacity,
                     depth_ * (work.plan->slots + encodes_together_ - 1 + arrivals_together_ - 1 + decodes_ahead_),
                     staged))
    return {Code::memory, "no memory for the frames of an operation"};
  if (joined &&
      !messages_.prepare(wire::message_bytes(work.plan->most_parts, capacity), depth_ * (receives_ahead + sends_ahead)))
    return {Code::memory, "no memory for the messages of an operation"};
  return {};
}

void Run::start(const Work& work) {
  if (broken_) return;
  status_ = reserve(work);
  account_ = {};
  if (!status_.ok()) return;
  codings_ = codings_of(work);
  channel_->open(work.sequence);
  first_row_ = next_row_ = 0;
  moved_ = waiting_ = false;
  for (auto& lane : lanes_) lane->active = false;
  retire_and_admit();
  last_poll_ = now();
}

Run::Slice Run::slice(std::int32_t block, std::uint64_t row) const {
  const std::size_t count = work_.regions[static_cast<std::size_t>(block)].count;
  const std::size_t from = std::min(count, static_cast<std::size_t>(row) * work_.chunk);
  return {from, std::min(work_.chunk, count - from)};
}

// Whether the numbers of a block that only moves lie already where they are wanted, to the bit: then they are not
// written, because MPI does not write them, either.
bool Run::has_result(std::int32_t block) const {
  const Region& region = work_.regions[static_cast<std::size_t>(block)];
  const Coding& own = codings_.intermediate;
  return !work_.plan->adds && region.input != nullptr && region.input == region.output && own.allowance == 0 &&
         own.relative == 0 && own.rate == 0;
}

bool Run::poll() {
  moved_ = false;
  if (first_row_ == rows_) return true;
  device_.progress();
  if (broken_) return !coding();
  if (Status s = channel_->poll(completions_); !s) {
    break_off(std::move(s));
    return !coding();
  }
  for (const Completion& completion : completions_) complete(completion);
  bool moved = !completions_.empty();
  completions_.clear();
  ran_job_ = false;
  // The oldest row comes first, because other ranks have waited longest for its frames.
  for (std::uint64_t row = first_row_; row < next_row_ && !broken_; ++row) {
    Lane& lane = *lanes_[row % depth_];
    if (lane.active) moved = advance(lane) || moved;
  }
  pass_time(moved);
  moved_ = moved;
  retire_and_admit();
  waiting_ = !moved && std::none_of(lanes_.begin(), lanes_.end(), [](const auto& lane) {
    return lane->active && (lane->pending != nullptr || lane->decoding());
  });
  return broken_ ? !coding() : first_row_ == rows_;
}

void Run::wait() {
  if (!waiting_ || broken_) return;
  if (Status s = channel_->wait(completions_); !s) break_off(std::move(s));
}

void Run::pass_time(bool moved) {
  const double t = now();
  const double passed = t - last_poll_;
  last_poll_ = t;
  const bool still_reducing = reducing();
  if (!moved) account_.seconds_wait += passed;
  if (!moved && still_reducing) account_.seconds_wait_reducing += passed;
  if (!still_reducing && work_.plan->reduced > 0) account_.seconds_distribute += passed;
}

bool Run::reducing() const {
  const std::size_t reduced = work_.plan->reduced;
  return reduced > 0 && (next_row_ < rows_ || std::any_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) {
                           return lane->active && lane->at < reduced;
                         }));
}

bool Run::coding() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane->active && (lane->coding() || lane->landing()); });
}

void Run::complete(const Completion& completion) {
  Lane& lane = *lanes_[completion.cookie & ((std::uint64_t{1} << lane_bits) - 1)];
  const std::uint64_t rest = (completion.cookie & ~any_send) >> lane_bits;
  if (completion.cookie & any_send) {
    const int number = static_cast<int>(rest);
    completion.cookie& send_of_frame ? pool_.release(number) : messages_.release(number);
    --lane.sends_outstanding;
    return;
  }
  Lane::Arrival& arrival = lane.arrival(static_cast<std::size_t>(rest));
  if (arrival.message != MessagePool::none) {
    messages_.use(arrival.message, completion.bytes);
    const Action& first = work_.plan->actions[work_.plan->receives[static_cast<std::size_t>(rest)]];
    arrival.unpacker.begin(messages_.at(arrival.message).first(completion.bytes), first.parts);
    arrival.here = true;
    return;
  }
  pool_.arrived(arrival.slot, completion.bytes, work_.checksum);
  arrival.here = true;
  FrameSlot& slot = pool_.at(arrival.slot);
  if (slot.header == slot.wire.data() || slot.bytes == 0) return;
  arrival.landing.slot = &slot;
  device_.submit(arrival.landing);
}

// Returns true if anything was done.
bool Run::advance(Lane& lane) {
  bool moved = post_receives(lane);
  moved = finish_decodes(lane) || moved;
  while (!broken_) {
    if (lane.pending != nullptr) {
      if (!lane.pending->done()) return moved;
      lane.pending == &lane.job ? finish_job(lane) : finish_encodes(lane);
      moved = true;
    }
    if (lane.at == work_.plan->actions.size()) return moved;
    if (!begin_action(lane, work_.plan->actions[lane.at])) return moved;
    moved = true;
  }
  return moved;
}

// Returns false if the action has to wait.
bool Run::begin_action(Lane& lane, const Action& action) {
  if (waits_for_message(action.act) && !lane.arrived()) return false;
  Block& block = lane.blocks[static_cast<std::size_t>(action.block)];
  Status problem;
  switch (action.act) {
    case Act::send: return begin_send(lane, action);
    case Act::drop: release(block.frame); break;
    case Act::forget: release(block.spare); break;
    case Act::take:
      release(block.frame);
      block.frame = take_arrival(lane, action, problem);
      if (broken_) return false;
      if (!problem.ok()) fail(std::move(problem));
      if (passing(action.block)) learn_count(block);
      break;
    case Act::encode:
      if (block.ready == FramePool::none) return begin_encodes(lane) || begin_job(lane, action);
      release(block.frame);
      block.frame = std::exchange(block.ready, FramePool::none);
      break;
    case Act::decode:
      if (has_result(action.block)) {
        release(block.frame);
        break;
      }
      if (decodes_ahead_ == 0) return begin_job(lane, action);
      if (!begin_decode(lane, action)) return false;
      break;
    default:
      if (!hold_arrival(lane, action)) return !broken_ && begin_job(lane, action);
  }
  ++lane.at;
  post_receives(lane);
  return true;
}

// Returns the slot of the frame for the next receiving action.  Its message must have arrived.
int Run::take_arrival(Lane& lane, const Action& action, Status& problem) {
  if (action.parts > 1) return unpack(lane, action);
  Lane::Arrival& arrival = lane.arrival(lane.receives_taken);
  ++lane.receives_taken;
  if (!arrival.landing.status.ok()) {
    problem = std::exchange(arrival.landing.status, Status{});
    pool_.at(arrival.slot).bytes = pool_.at(arrival.slot).sealed = 0;
  }
  return std::exchange(arrival.slot, FramePool::none);
}

int Run::unpack(Lane& lane, const Action& action) {
  Lane::Arrival& arrival = lane.arrival(lane.receives_taken);
  const int number = acquire();
  if (number == FramePool::none) return number;
  FrameSlot& slot = pool_.at(number);
  slot.from = action.peer;
  slot.complete = action.complete;
  // A damaged message may announce more than a slot holds.
  Frame frame = arrival.unpacker.next();
  if (frame.size() > slot.wire.size()) frame = {};
  if (!frame.empty()) std::memcpy(slot.wire.data(), frame.data(), frame.size());
  pool_.arrived(number, frame.size(), work_.checksum);
  if (action.part + 1 < action.parts) return number;
  messages_.release(std::exchange(arrival.message, MessagePool::none));
  ++lane.receives_taken;
  return number;
}

bool Run::passing(std::int32_t block) const { return work_.plan->passing[static_cast<std::size_t>(block)]; }

void Run::learn_count(Block& block) {
  wire::Header header;
  const bool readable = pool_.at(block.frame).read_header(header).ok();
  block.count = readable ? std::min<std::size_t>(header.count, work_.chunk) : 0;
}

bool Run::begin_send(Lane& lane, const Action& action) {
  if (action.part == 0 && lane.sends_outstanding == sends_ahead) return false;
  const int slot = lane.blocks[static_cast<std::size_t>(action.block)].frame;
  const FrameSlot& frame = pool_.at(slot);
  if (action.parts == 1) pool_.hold(slot);
  const bool sent = action.parts == 1
                        ? send(lane, action, frame.travelling(), send_of_frame | std::uint64_t(slot) << lane_bits)
                        : pack(lane, action, frame.travelling());
  if (!sent) return false;
  // The count comes from the header, because a rank that only forwards a block may not know it.
  wire::Header header;
  if (frame.read_header(header)) {
    account_.bytes_uncompressed += std::min<std::size_t>(header.count, work_.chunk) * size_of(work_.coding.dtype);
    account_.error_sent = std::max(account_.error_sent, header.error);
  }
  ++lane.at;
  return true;
}

// Puts a frame into the message of its lane, and sends the message with its last frame.  Returns false if that fails.
bool Run::pack(Lane& lane, const Action& action, const Frame& frame) {
  if (action.part == 0) {
    lane.departing = acquire_message();
    if (broken_) return false;
    lane.packer.begin(messages_.at(lane.departing), action.parts);
  }
  lane.packer.add(frame);
  if (action.part + 1 < action.parts) return true;
  const int message = std::exchange(lane.departing, MessagePool::none);
  messages_.use(message, lane.packer.message().size());
  return send(lane, action, lane.packer.message(), send_of_message | std::uint64_t(message) << lane_bits);
}

bool Run::send(Lane& lane, const Action& action, std::span<const std::byte> bytes, std::uint64_t cookie) {
  const std::uint64_t number = lane.row * action.messages + action.message;
  if (Status s = channel_->send(bytes, action.peer, number, cookie | lane.index); !s) {
    break_off(std::move(s));
    return false;
  }
  ++lane.sends_outstanding;
  ++account_.messages_sent;
  account_.bytes_sent += bytes.size();
  return true;
}

bool Run::post_receives(Lane& lane) {
  bool posted = false;
  while (lane.receives_posted < work_.plan->receives.size() &&
         lane.receives_posted < lane.receives_taken + receives_ahead && !broken_) {
    if (!post_receive(lane, work_.plan->actions[work_.plan->receives[lane.receives_posted]])) return posted;
    ++lane.receives_posted;
    posted = true;
  }
  return posted;
}

// Posts the receive of the message that begins with this action.
bool Run::post_receive(Lane& lane, const Action& action) {
  Lane::Arrival& arrival = lane.arrival(lane.receives_posted);
  arrival.here = false;
  std::span<std::byte> room;
  if (action.parts > 1) {
    arrival.message = acquire_message();
    if (broken_) return false;
    room = messages_.at(arrival.message);
  } else {
    arrival.slot = acquire();
    if (broken_) return false;
    pool_.at(arrival.slot).from = action.peer;
    pool_.at(arrival.slot).complete = action.complete;
    room = pool_.at(arrival.slot).wire;
  }
  const std::uint64_t cookie = static_cast<std::uint64_t>(lane.receives_posted) << lane_bits | lane.index;
  const std::uint64_t number = lane.row * action.messages + action.message;
  if (Status s = channel_->receive(room, action.peer, number, cookie); !s) {
    break_off(std::move(s));
    return false;
  }
  return true;
}

int Run::acquire_message() {
  const int message = messages_.acquire();
  if (message == MessagePool::none) break_off({Code::memory, "no memory for another message"});
  return message;
}

int Run::acquire() {
  const int slot = pool_.acquire();
  if (slot == FramePool::none) break_off({Code::memory, "no memory for another frame"});
  return slot;
}

void Run::release(int& slot) {
  if (slot != FramePool::none) pool_.release(slot);
  slot = FramePool::none;
}

void Run::retire_and_admit() {
  while (first_row_ < next_row_) {
    Lane& lane = *lanes_[first_row_ % depth_];
    if (lane.at != work_.plan->actions.size() || lane.sends_outstanding != 0 || lane.decoding()) break;
    lane.active = false;
    ++first_row_;
  }
  while (next_row_ < rows_ && next_row_ < first_row_ + depth_) {
    lanes_[next_row_ % depth_]->begin(next_row_, work_.plan->blocks.size());
    ++next_row_;
  }
  account_.most_rows = std::max(account_.most_rows, next_row_ - first_row_);
}

void Run::fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void Run::break_off(Status status) {
  fail(std::move(status));
  broken_ = true;
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
    text += std::string(name_of(action.act)) + " block " +
            std::to_string(work_.plan->blocks[static_cast<std::size_t>(action.block)]);
    if (action.peer >= 0) text += " with rank " + std::to_string(action.peer);
  }
  return text;
}

}  // namespace laconic
