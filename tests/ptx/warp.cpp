// SPDX-License-Identifier: BSD-3-Clause
#include "ptx/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace laconic::ptx {

Warp::Warp(const Kernel& kernel, Block& block, unsigned index, Accesses& accesses)
    : kernel_(kernel),
      block_(block),
      first_thread_(index * warp_lanes),
      accesses_(accesses),
      rows_(std::make_unique_for_overwrite<std::uint64_t[]>(std::size_t{kernel.rows} * warp_lanes)),
      constants_(kernel.constants.data()),
      own_(std::make_unique_for_overwrite<std::byte[]>(kernel.own_bytes * warp_lanes)) {}

void Warp::start(const std::byte* parameters, unsigned blocks, std::uint8_t garbage) {
  std::memset(own_.get(), garbage, kernel_.own_bytes * warp_lanes);
  parameters_ = parameters;
  const unsigned lanes = std::min(warp_lanes, block_.threads - first_thread_);
  const auto set = [&](Row row, auto value) {
    for (unsigned lane = 0; lane < warp_lanes; ++lane) rows_[row * warp_lanes + lane] = value(lane);
  };
  set(row_tid, [&](unsigned lane) { return first_thread_ + lane; });
  set(row_ctaid, [&](unsigned) { return block_.index; });
  set(row_ntid, [&](unsigned) { return block_.threads; });
  set(row_nctaid, [&](unsigned) { return blocks; });
  set(row_lane, [&](unsigned lane) { return lane; });
  set(row_parameters, [&](unsigned) { return reinterpret_cast<std::uint64_t>(parameters); });
  set(row_own, [&](unsigned lane) { return reinterpret_cast<std::uint64_t>(own(lane)); });
  groups_.assign(1, {lanes == warp_lanes ? ~Lanes{0} : (Lanes{1} << lanes) - 1, 0, {}, false});
  syncs_ = 0;
  executed_ = 0;
  at_barrier_ = false;
}

Lanes Warp::alive() const {
  Lanes all = 0;
  for (const Group& group : groups_) all |= group.lanes;
  return all;
}

void Warp::join() {
  for (std::size_t a = 0; a < groups_.size(); ++a)
    for (std::size_t b = groups_.size() - 1; b > a; --b)
      if (groups_[a].at == groups_[b].at && groups_[a].callers == groups_[b].callers) {
        groups_[a].lanes |= groups_[b].lanes;
        groups_[a].waits = false;
        groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(b));
      }
}

// The group that is furthest behind, so that the others meet it; those in a function are behind its caller.
std::size_t Warp::pick() {
  join();
  std::size_t best = groups_.size();
  const auto behind = [](const Group& a, const Group& b) {
    return a.callers.size() != b.callers.size() ? a.callers.size() > b.callers.size() : a.at < b.at;
  };
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (!groups_[g].waits && (best == groups_.size() || behind(groups_[g], groups_[best]))) best = g;
  if (best == groups_.size()) {
    running_ = groups_.front().at;
    throw Fault("lanes of a warp wait for others that never come");
  }
  return best;
}

void Warp::run(std::uint64_t most, bool restless) {
  while (!groups_.empty()) {
    const std::size_t group = pick();
    bool same = true;
    while (same) {
      if (most-- == 0) return;
      const Instruction& i = kernel_.code[groups_[group].at];
      same = step(group);
      if (at_barrier_ || (restless && i.word)) return;
    }
  }
}

// Runs one instruction; whether the same group is sure to go on.
bool Warp::step(std::size_t g) {
  Group& group = groups_[g];
  running_ = group.at;
  const Instruction& i = kernel_.code[running_];
  const Lanes act = i.guarded ? group.lanes & predicate(i.guard) : group.lanes;
  ++executed_;
  switch (i.flow) {
    case Flow::straight:
      if (act != 0) i.action(*this, i, act);
      ++group.at;
      return groups_.size() == 1 || !kernel_.is_target[group.at];
    case Flow::branch: branch(g, i, act); return groups_.size() == 1;
    case Flow::call:
    case Flow::meeting:
    case Flow::barrier:
      if (act != group.lanes) {
        go_on(g, group.lanes & ~act);  // those that do not take part; the others are asked again
        return false;
      }
      if (i.flow == Flow::call) return call(group, i), false;
      if (i.flow == Flow::meeting) return meet(g, i);
      arrive(group, i);
      return false;
    case Flow::leave: break;
  }
  leave(g, i, act);
  return false;
}

void Warp::branch(std::size_t g, const Instruction& i, Lanes act) {
  Group& group = groups_[g];
  if (act == group.lanes) {
    group.at = i.target;
  } else if (act == 0) {
    ++group.at;
  } else {
    Group taken = group;
    taken.lanes = act;
    taken.at = i.target;
    group.lanes &= ~act;
    ++group.at;
    groups_.push_back(std::move(taken));
  }
}

// Some or all lanes of a group go on to the next instruction.
void Warp::go_on(std::size_t g, Lanes lanes) {
  Group& group = groups_[g];
  if (lanes == group.lanes) {
    ++group.at;
  } else if (lanes != 0) {
    Group others = group;
    group.lanes &= ~lanes;
    others.lanes = lanes;
    others.waits = false;
    ++others.at;
    groups_.push_back(std::move(others));
  }
}

void Warp::move(const Move& move, Lanes lanes) {
  each(lanes, [&](unsigned lane) { std::memcpy(own(lane) + move.to, own(lane) + move.from, move.bytes); });
}

void Warp::call(Group& group, const Instruction& i) {
  for (const Move& argument : kernel_.calls[i.call].arguments) move(argument, group.lanes);
  group.callers.push_back(group.at);
  group.at = i.target;
}

void Warp::leave(std::size_t g, const Instruction& i, Lanes act) {
  Group& group = groups_[g];
  go_on(g, group.lanes & ~act);
  if (act == 0) return;
  Group& going = groups_[g];
  going.lanes = act;
  if (!going.callers.empty() && i.number == 0) {
    const std::uint32_t caller = going.callers.back();
    going.callers.pop_back();
    for (const Move& result : kernel_.calls[kernel_.code[caller].call].results) move(result, act);
    going.at = caller + 1;
    return;
  }
  groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(g));
  for (Group& other : groups_) other.waits = false;  // those that wait for lanes that are gone shall say so
}

bool Warp::meet(std::size_t g, const Instruction& i) {
  const Lanes all = groups_[g].lanes, living = alive();
  const std::uint64_t* const masks = in(i.at.back());
  for (Lanes left = all; left != 0;) {
    const auto mask = static_cast<Lanes>(masks[std::countr_zero(left)]);
    Lanes here = 0;
    each(all, [&](unsigned lane) { here |= static_cast<Lanes>(masks[lane]) == mask ? Lanes{1} << lane : 0; });
    left &= ~here;
    if ((mask & ~living) != 0) throw Fault("a mask names lanes that have returned or do not exist");
    if ((here & ~mask) != 0) throw Fault("a mask does not name the lane that calls");
    if (here != mask) continue;
    i.action(*this, i, here);
    kernel_.met[running_] = true;
    go_on(g, here);
    return groups_.size() == 1 || (here == all && !kernel_.is_target[groups_[g].at]);
  }
  groups_[g].waits = true;
  return false;
}

void Warp::arrive(Group& group, const Instruction& i) {
  group.waits = group.lanes != alive();
  if (group.waits) return;
  barrier_value_ = i.number == 0 ? 0 : static_cast<std::uint32_t>(std::popcount(predicate(i.at[2]) & group.lanes));
  at_barrier_ = true;
}

void Warp::pass_barrier(std::uint32_t sum) {
  Group& group = groups_.front();
  const Instruction& i = kernel_.code[group.at];
  kernel_.met[group.at] = true;
  switch (i.number) {
    case 1: each(group.lanes, [&](unsigned lane) { out(i.at[0])[lane] = sum; }); break;
    case 2: set_predicate(i.at[0], group.lanes, sum == block_.threads ? ~Lanes{0} : 0); break;
    case 3: set_predicate(i.at[0], group.lanes, sum > 0 ? ~Lanes{0} : 0); break;
    default: break;
  }
  ++group.at;
  at_barrier_ = false;
}

std::byte* Warp::reach(const Instruction& i, unsigned lane, std::uint64_t address, unsigned bytes, Access access) {
  Space space = i.space;
  const auto shared_begin = reinterpret_cast<std::uint64_t>(block_.shared);
  const auto own_begin = reinterpret_cast<std::uint64_t>(own(lane));
  const auto parameters_begin = reinterpret_cast<std::uint64_t>(parameters_);
  const auto inside = [&](std::uint64_t begin, std::size_t size) {
    return address >= begin && address + bytes <= begin + size;
  };
  if (space == Space::generic) {
    if (inside(shared_begin, kernel_.shared_bytes)) {
      space = Space::shared;
      address -= shared_begin;
    } else {
      space = inside(own_begin, kernel_.own_bytes)                ? Space::local
              : inside(parameters_begin, kernel_.parameter_bytes) ? Space::parameter
                                                                  : Space::global;
    }
  } else if (space == Space::shared) {
    address = static_cast<std::uint32_t>(address);
  }
  if (address % bytes != 0) throw Fault("an address that is not a multiple of the size");
  const Who me{block_.launch, block_.index, first_thread_ + lane, block_.barriers, syncs_};
  switch (space) {
    case Space::shared:
      if (address + bytes > kernel_.shared_bytes) throw Fault("an access outside of shared memory");
      check(&block_.cells[address], bytes, me, access, false);
      return block_.shared + address;
    case Space::local:
      if (!inside(own_begin, kernel_.own_bytes)) throw Fault("an access outside of the lane's own memory");
      break;
    case Space::parameter:
      if (inside(own_begin, kernel_.own_bytes)) break;
      if (access != Access::read || !inside(parameters_begin, kernel_.parameter_bytes))
        throw Fault("an access outside of the parameters");
      break;
    case Space::global:
    case Space::generic: accesses_.check_global(address, bytes, me, access); break;
  }
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace laconic::ptx
