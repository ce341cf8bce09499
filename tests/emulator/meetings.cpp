// SPDX-License-Identifier: BSD-3-Clause
// The collective functions of the lanes of a warp.
#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "emulator/grid.hpp"

namespace laconic::emulator {

const char* name(Meeting meeting) {
  switch (meeting) {
    case Meeting::syncwarp: return "__syncwarp";
    case Meeting::shfl: return "__shfl_sync";
    case Meeting::shfl_up: return "__shfl_up_sync";
    case Meeting::shfl_down: return "__shfl_down_sync";
    case Meeting::shfl_xor: return "__shfl_xor_sync";
    case Meeting::ballot: return "__ballot_sync";
    case Meeting::any: return "__any_sync";
    case Meeting::all: return "__all_sync";
    case Meeting::match_any: return "__match_any_sync";
    case Meeting::reduce_add: return "__reduce_add_sync";
    case Meeting::reduce_and: return "__reduce_and_sync";
    case Meeting::reduce_or: return "__reduce_or_sync";
    case Meeting::reduce_xor: return "__reduce_xor_sync";
    case Meeting::reduce_min: return "__reduce_min_sync";
    case Meeting::reduce_max: return "__reduce_max_sync";
    case Meeting::reduce_min_signed: return "__reduce_min_sync (signed)";
    case Meeting::reduce_max_signed: return "__reduce_max_sync (signed)";
  }
  return "?";
}

const char* name(Barrier barrier) {
  switch (barrier) {
    case Barrier::sync: return "__syncthreads";
    case Barrier::count: return "__syncthreads_count";
    case Barrier::every: return "__syncthreads_and";
    case Barrier::some: return "__syncthreads_or";
  }
  return "?";
}

namespace {

std::string hex(std::uint32_t mask) {
  std::string digits = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[mask >> shift & 15];
  return digits;
}

template <class F>
void for_each_lane(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

std::uint32_t reduced(Meeting meeting, std::uint32_t a, std::uint32_t b) {
  const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
  switch (meeting) {
    case Meeting::reduce_add: return a + b;
    case Meeting::reduce_and: return a & b;
    case Meeting::reduce_or: return a | b;
    case Meeting::reduce_xor: return a ^ b;
    case Meeting::reduce_min: return std::min(a, b);
    case Meeting::reduce_max: return std::max(a, b);
    case Meeting::reduce_min_signed: return static_cast<std::uint32_t>(std::min(x, y));
    case Meeting::reduce_max_signed: return static_cast<std::uint32_t>(std::max(x, y));
    default: return 0;
  }
}

std::uint64_t reduce(const Warp& warp, Meeting meeting, std::uint32_t mask) {
  auto total = static_cast<std::uint32_t>(warp.value[static_cast<unsigned>(std::countr_zero(mask))]);
  for_each_lane(mask & (mask - 1),
                [&](unsigned l) { total = reduced(meeting, total, static_cast<std::uint32_t>(warp.value[l])); });
  return total;
}

std::uint64_t vote(const Warp& warp, std::uint32_t mask) {
  std::uint32_t votes = 0;
  for_each_lane(mask, [&](unsigned l) { votes |= static_cast<std::uint32_t>(warp.value[l] != 0) << l; });
  return votes;
}

std::uint64_t matches(const Warp& warp, std::uint32_t mask, unsigned lane) {
  std::uint32_t equal = 0;
  for_each_lane(mask, [&](unsigned l) { equal |= static_cast<std::uint32_t>(warp.value[l] == warp.value[lane]) << l; });
  return equal;
}

}  // namespace

void Grid::expect_mask(const Lane& lane, Meeting meeting, std::uint32_t mask, Where where) {
  const Warp& warp = *lane.warp;
  const auto call = [&] {
    return "thread " + std::to_string(lane.thread.x) + " calls " + name(meeting) + " (" + text(where) + ") with mask " +
           hex(mask);
  };
  fail_if((mask >> lane.number & 1) == 0, [&] { return call() + ", in which it is not"; });
  fail_if((mask & ~warp.exists) != 0, [&] { return call() + ", with lanes that the block does not have"; });
  fail_if((mask & warp.finished) != 0,
          [&] { return call() + ", with lanes that have returned: " + hex(mask & warp.finished); });
}

std::uint64_t Grid::meet(Meeting meeting, std::uint32_t mask, std::uint64_t value, std::uint32_t source, Where where) {
  Lane& lane = *running;
  Warp& warp = *lane.warp;
  const std::uint32_t bit = 1u << lane.number;
  if ((mask & bit) == 0 || (mask & (~warp.exists | warp.finished)) != 0) expect_mask(lane, meeting, mask, where);
  warp.value[lane.number] = value;
  warp.source[lane.number] = source;
  std::size_t index = 0;
  while (index < warp.meetings.size() && warp.meetings[index].mask != mask) ++index;
  if (index == warp.meetings.size()) warp.meetings.push_back({meeting, mask, 0, where});
  Rendezvous& rendezvous = warp.meetings[index];
  fail_if(rendezvous.meeting != meeting || !same(rendezvous.where, where), [&] {
    return "lanes of a warp, mask " + hex(mask) + ", are in different calls: " + name(rendezvous.meeting) + " (" +
           text(rendezvous.where) + ") and " + name(meeting) + " (" + text(where) + ")";
  });
  rendezvous.arrived |= bit;
  if (rendezvous.arrived == mask) {
    lane.where = where;
    complete(warp, index);
  } else {
    set_waiting(lane, Lane::State::meets, where);
  }
  hand_over(random_.next() >> (32 - restless_) == 0);
  return warp.result[lane.number];
}

// Results are kept for each lane, because a lane that reaches the next meeting early must not change results that other
// lanes have not read yet.
void Grid::complete(Warp& warp, std::size_t index) {
  const Rendezvous rendezvous = warp.meetings[index];
  warp.meetings[index] = warp.meetings.back();
  warp.meetings.pop_back();
  const std::uint32_t mask = rendezvous.mask;
  const auto all_get = [&](std::uint64_t result) { for_each_lane(mask, [&](unsigned l) { warp.result[l] = result; }); };
  switch (rendezvous.meeting) {
    case Meeting::syncwarp: break;
    case Meeting::shfl:
    case Meeting::shfl_up:
    case Meeting::shfl_down:
    case Meeting::shfl_xor:
      for_each_lane(mask, [&](unsigned l) {
        fail_if((mask >> warp.source[l] & 1) == 0, [&] {
          return std::string(name(rendezvous.meeting)) + " (" + text(rendezvous.where) + "): lane " +
                 std::to_string(l) + " reads lane " + std::to_string(warp.source[l]) + ", which is not in the mask " +
                 hex(mask);
        });
        warp.result[l] = warp.value[warp.source[l]];
      });
      break;
    case Meeting::ballot:
    case Meeting::any:
    case Meeting::all: all_get(vote(warp, mask)); break;
    case Meeting::match_any: for_each_lane(mask, [&](unsigned l) { warp.result[l] = matches(warp, mask, l); }); break;
    default: all_get(reduce(warp, rendezvous.meeting, mask));
  }
  for_each_lane(mask, [&](unsigned l) { warp.lanes[l].state = Lane::State::ready; });
  set_ready(warp, mask);
}

// The positions of the threads, for as many blocks as a reader can take in.
std::string Grid::standings() const {
  constexpr std::size_t most = 6;
  std::string all;
  std::size_t shown = 0, resident = 0;
  for (const auto& block : slots_) {
    if (!block->resident || block->finished == launch_.threads) continue;
    ++resident;
    if (shown == most) continue;
    ++shown;
    std::map<std::string, std::string> at;
    for (const auto& warp : block->warps) {
      for_each_lane(warp->exists, [&](unsigned l) {
        const Lane& lane = warp->lanes[l];
        std::string place;
        switch (lane.state) {
          case Lane::State::ready: place = "ready, last seen at " + text(lane.where); break;
          case Lane::State::finished: place = "returned"; break;
          case Lane::State::waits: place = std::string("at ") + name(block->barrier) + " " + text(lane.where); break;
          case Lane::State::meets: place = "in a collective call of the warp, " + text(lane.where); break;
        }
        std::string& threads = at[place];
        if (threads.size() < 60)
          threads += " " + std::to_string(lane.thread.x);
        else if (threads.back() != '.')
          threads += " ...";
      });
    }
    for (const auto& [place, threads] : at)
      all += "  block " + std::to_string(block->index) + ", threads" + threads + ": " + place + "\n";
  }
  all += "  " + std::to_string(resident) + " blocks are resident, " + std::to_string(waiting_.size()) +
         " have not started";
  return all;
}

}  // namespace laconic::emulator
