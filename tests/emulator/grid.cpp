// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/grid.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <numeric>

namespace laconic::emulator {

Lane* running = nullptr;

namespace {

constexpr std::size_t fewest_resident = 8, most_resident = 48;  // more blocks than a look-back reads at a time
constexpr std::size_t most_fibers = most_resident * 256;
constexpr std::size_t shared_limit = 48 * 1024;  // limit for a block that has not requested more
constexpr unsigned most_threads = 1024;

// Stacks are kept for later launches, because mapping them takes longer than most kernels.
std::unique_ptr<Stacks>& kept_stacks() {
  static std::unique_ptr<Stacks> kept;
  return kept;
}

std::unique_ptr<Stacks> take_stacks(std::size_t count) {
  std::unique_ptr<Stacks>& kept = kept_stacks();
  if (kept != nullptr && kept->count() >= count) return std::move(kept);
  kept.reset();
  return std::make_unique<Stacks>(std::bit_ceil(std::max<std::size_t>(count, 1024)));
}

}  // namespace

Grid::Grid(const Launch& launch, const std::function<void()>& body)
    : launch_(launch), body_(body), random_(launch.seed), waiting_(launch.blocks), restless_(4 + random_.below(7)) {
  std::iota(waiting_.begin(), waiting_.end(), 0u);
  // CUDA does not guarantee that blocks start in the order of their numbers.
  for (std::size_t i = waiting_.size(); i > 1; --i) std::swap(waiting_[i - 1], waiting_[random_.below(i)]);
}

Grid::~Grid() {
  for (auto& block : slots_)
    if (block->resident) retire(*block);
  // After a fault, the stacks hold the remains of lanes that never returned, so they are not reused.
  if (stacks_ != nullptr && stacks_->ok() && fault_.empty()) kept_stacks() = std::move(stacks_);
}

std::string Grid::run() {
  if (launch_.threads == 0 || launch_.threads > most_threads) {
    note("a block has " + std::to_string(launch_.threads) + " threads, and 1 to 1024 are possible");
    return fault_;
  }
  const std::size_t resident = std::min({launch_.blocks + std::size_t{0}, most_fibers / launch_.threads,
                                         fewest_resident + random_.below(most_resident - fewest_resident + 1)});
  stacks_ = take_stacks(resident * launch_.threads);
  if (!stacks_->ok()) {
    note("no memory for the stacks of the emulator");
    return fault_;
  }
  for (std::size_t i = 0; i < resident; ++i) slots_.push_back(std::make_unique<Block>());
  for (fill(); fault_.empty() && !ready_.empty(); fill()) {
    running = &choose(pick());
    Fiber::change(outside_, running->fiber);
  }
  running = nullptr;
  const auto stuck = [](const auto& block) { return block->resident; };
  if (fault_.empty() && std::any_of(slots_.begin(), slots_.end(), stuck))
    note("deadlock: every thread of the resident blocks waits\n" + standings());
  return fault_;
}

void Grid::fill() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Block& block = *slots_[i];
    if (block.resident && block.finished == launch_.threads) retire(block);
    if (block.resident || waiting_.empty() || !fault_.empty()) continue;
    block.index = waiting_.back();
    waiting_.pop_back();
    start(block, i);
  }
}

void Grid::start(Block& block, std::size_t slot) {
  block.resident = true;
  block.finished = block.waiting = 0;
  block.held_until = 0;
  const unsigned warps = (launch_.threads + warp_size - 1) / warp_size;
  while (block.warps.size() < warps) block.warps.push_back(std::make_unique<Warp>());
  for (unsigned w = 0; w < warps; ++w) {
    Warp& warp = *block.warps[w];
    const unsigned lanes = std::min(warp_size, launch_.threads - w * warp_size);
    warp.block = &block;
    warp.exists = lanes == warp_size ? ~0u : (1u << lanes) - 1;
    warp.ready = warp.finished = 0;
    warp.meetings.clear();
    for (unsigned l = 0; l < lanes; ++l) {
      Lane& lane = warp.lanes[l];
      const unsigned thread = w * warp_size + l;
      lane.grid = this;
      lane.warp = &warp;
      lane.thread = {thread, 0, 0};
      lane.block = {block.index, 0, 0};
      lane.number = l;
      lane.state = Lane::State::ready;
      const std::size_t stack = slot * launch_.threads + thread;
      lane.fiber.prepare(stacks_->lowest(stack), stack * 7, &Grid::enter, &lane);
    }
    set_ready(warp, warp.exists);
  }
}

void Grid::retire(Block& block) {
  for (const Shared& object : block.shared) operator delete(object.memory, std::align_val_t(object.alignment));
  block.shared.clear();
  block.resident = false;
}

void Grid::enter(void* argument) {
  Lane& lane = *static_cast<Lane*>(argument);
  lane.grid->body_();
  lane.grid->finish(lane);
}

void Grid::finish(Lane& lane) {
  Warp& warp = *lane.warp;
  Block& block = *warp.block;
  const std::uint32_t bit = 1u << lane.number;
  for (const Rendezvous& rendezvous : warp.meetings)
    fail_if((rendezvous.mask & bit) != 0, [&] {
      return "thread " + std::to_string(lane.thread.x) + " returns, but is waited for at " + name(rendezvous.meeting) +
             " (" + text(rendezvous.where) + ")";
    });
  fail_if(block.waiting > 0, [&] {
    return "thread " + std::to_string(lane.thread.x) + " returns, while others wait at " + name(block.barrier) + " (" +
           text(block.where) + ")";
  });
  warp.finished |= bit;
  ++block.finished;
  idle_ = 0;
  set_waiting(lane, Lane::State::finished, lane.where);
  // The slot of a finished block is refilled by the outside context, not on a stack of the block itself.
  if (block.finished < launch_.threads && !ready_.empty()) {
    running = &choose(warp.ready != 0 ? warp : pick());
    Fiber::change(lane.fiber, running->fiber, true);
  } else {
    Fiber::change(lane.fiber, outside_, true);
  }
}

void Grid::set_ready(Warp& warp, std::uint32_t lanes) {
  if (warp.ready == 0 && lanes != 0) {
    warp.place = ready_.size();
    ready_.push_back(&warp);
  }
  warp.ready |= lanes;
}

void Grid::set_waiting(Lane& lane, Lane::State state, Where where) {
  Warp& warp = *lane.warp;
  lane.state = state;
  lane.where = where;
  warp.ready &= ~(1u << lane.number);
  if (warp.ready != 0) return;
  ready_.back()->place = warp.place;
  ready_[warp.place] = ready_.back();
  ready_.pop_back();
}

bool Grid::held(const Block& block) const { return block.held_until > turn_; }

// Selects one of the warps that can go on.  Now and then a block is held up for long, as happens on a GPU: other blocks
// overtake it, and blocks that wait for its results look far back.
Warp& Grid::pick() {
  constexpr std::size_t turns_between = 256;
  constexpr unsigned longest = 14;  // most bits in the number of turns
  ++turn_;
  if (random_.below(turns_between) == 0)
    ready_[random_.below(ready_.size())]->block->held_until = turn_ + (random_.next() >> (18 + random_.below(longest)));
  Warp* warp = ready_[random_.below(ready_.size())];
  for (int draw = 0; held(*warp->block) && draw < 8; ++draw) warp = ready_[random_.below(ready_.size())];
  return *warp;
}

Lane& Grid::choose(Warp& warp) {
  const unsigned from = random_.next() >> 27;
  const unsigned ahead = static_cast<unsigned>(std::countr_zero(std::rotr(warp.ready, static_cast<int>(from))));
  return warp.lanes[(from + ahead) % warp_size];
}

void Grid::hand_over(bool far) {
  Lane& from = *running;
  if (ready_.empty()) {
    Fiber::change(from.fiber, outside_);
    return;
  }
  Warp& warp = far || from.warp->ready == 0 || held(*from.warp->block) ? pick() : *from.warp;
  Lane& to = choose(warp);
  if (&to == &from) return;
  running = &to;
  Fiber::change(from.fiber, to.fiber);
}

void Grid::before_read(Where where) {
  fail_if(++idle_ > launch_.patience,
          [&] { return "livelock: threads read shared words, and none writes any\n" + standings(); });
  before_write(where);
}

void Grid::before_write(Where where) {
  running->where = where;
  const std::uint32_t draw = random_.next() >> 29;
  if (draw < 4) hand_over(draw == 0);
}

void Grid::after_write(bool changed) {
  if (changed) idle_ = 0;
  const std::uint32_t draw = random_.next() >> 29;
  if (draw < 4) hand_over(draw < 2);
}

unsigned Grid::barrier(Barrier barrier, bool yes, Where where) {
  Lane& lane = *running;
  Block& block = *lane.warp->block;
  fail_if(block.finished > 0, [&] {
    return std::string("thread ") + std::to_string(lane.thread.x) + " waits at " + name(barrier) + " (" + text(where) +
           "), but other threads of the block have returned";
  });
  fail_if(block.waiting > 0 && (block.barrier != barrier || !same(block.where, where)), [&] {
    return std::string("threads of a block wait at different barriers: ") + name(block.barrier) + " (" +
           text(block.where) + ") and " + name(barrier) + " (" + text(where) + ")";
  });
  if (block.waiting == 0) block.sum = 0;
  block.barrier = barrier;
  block.where = where;
  block.sum += yes;
  if (++block.waiting == launch_.threads) {
    lane.where = where;
    release(block);
    hand_over(random_.next() >> (32 - 2) == 0);
  } else {
    set_waiting(lane, Lane::State::waits, where);
    hand_over(false);
  }
  switch (barrier) {
    case Barrier::every: return block.result == launch_.threads;
    case Barrier::some: return block.result > 0;
    default: return block.result;
  }
}

// A later barrier cannot be complete before every thread has taken the result of this one.
void Grid::release(Block& block) {
  block.waiting = 0;
  block.result = block.sum;
  idle_ = 0;
  for (auto& warp : block.warps) {
    for (unsigned l = 0; l < warp_size; ++l)
      if ((warp->exists >> l & 1) != 0) warp->lanes[l].state = Lane::State::ready;
    set_ready(*warp, warp->exists);
  }
}

void* Grid::shared(const void* site, std::size_t bytes, std::size_t alignment) {
  Block& block = *running->warp->block;
  std::size_t total = bytes;
  for (const Shared& object : block.shared) {
    if (object.site == site) return object.memory;
    total += object.bytes;
  }
  fail_if(total > shared_limit,
          [&] { return "more than 48 KiB of shared memory: " + std::to_string(total) + " bytes"; });
  // Every object is an allocation of its own, so that AddressSanitizer detects accesses beyond its end.
  alignment = std::max<std::size_t>(alignment, 16);
  auto* memory = static_cast<unsigned char*>(operator new(bytes, std::align_val_t(alignment)));
  const std::uint32_t garbage = random_.next();
  for (std::size_t i = 0; i < bytes; ++i) memory[i] = static_cast<unsigned char>((garbage >> i % 4 * 8) + i / 4 * 37);
  block.shared.push_back({site, bytes, alignment, memory});
  return memory;
}

void Grid::note(const std::string& what) {
  if (fault_.empty()) fault_ = running == nullptr ? what : "block " + std::to_string(running->block.x) + ": " + what;
}

void Grid::leave() {
  for (;;) Fiber::change(running->fiber, outside_);
}

}  // namespace laconic::emulator
