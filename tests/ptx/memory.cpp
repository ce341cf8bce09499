// SPDX-License-Identifier: BSD-3-Clause
#include "ptx/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

#include "ptx/module.hpp"

namespace laconic::ptx {

namespace {

constexpr std::uint32_t warp_lanes = 32;

Trace::Shared relation(const Who& a, const Who& b) {
  if (a.block != b.block) return Trace::Shared::grid;
  if (a.thread / warp_lanes != b.thread / warp_lanes) return Trace::Shared::block;
  return a.thread == b.thread ? Trace::Shared::one : Trace::Shared::warp;
}

std::string name(const Who& who) {
  return "thread " + std::to_string(who.thread) + " of block " + std::to_string(who.block);
}

[[noreturn]] void race(const char* what, const Who& me, const Who& other) {
  throw Fault(std::string("a race: ") + what + ": " + name(me) + " and " + name(other));
}

}  // namespace

bool Trace::before(const Who& me) const {
  if (among == Shared::none || who.launch != me.launch) return true;
  const Shared with_me = std::max(among, relation(who, me));
  switch (with_me) {
    case Shared::none:
    case Shared::one: return true;
    case Shared::warp: return who.barriers != me.barriers || who.syncs != me.syncs;
    case Shared::block: return who.barriers != me.barriers;
    case Shared::grid: break;
  }
  return false;
}

void Trace::add(const Who& me) {
  among = before(me) ? Shared::one : std::max(among, relation(who, me));
  who = me;
}

void check(Cell* cells, std::size_t bytes, const Who& me, Access access, bool set_before_read) {
  for (Cell* cell = cells; cell != cells + bytes; ++cell) {
    const bool reads = access == Access::read || access == Access::read_word;
    if (reads && set_before_read && !cell->is_set) throw Fault(name(me) + " reads memory that was never written");
    switch (access) {
      case Access::read:
        if (!cell->writer.before(me)) race("a read of what another thread writes", me, cell->writer.who);
        cell->reader.add(me);
        break;
      case Access::write:
        if (!cell->writer.before(me)) race("two writes", me, cell->writer.who);
        if (!cell->reader.before(me)) race("a write of what another thread reads", me, cell->reader.who);
        cell->writer.add(me);
        cell->is_set = true;
        break;
      case Access::read_word: break;
      case Access::write_word: cell->is_set = true; break;
    }
  }
}

void Accesses::Free::operator()(Cell* cells) const { std::free(cells); }

void Accesses::allocated(const std::byte* begin, std::size_t bytes, bool on_device) {
  // All zero is a cell that nobody has accessed, and costs nothing before somebody does.
  auto* const cells = static_cast<Cell*>(std::calloc(std::max<std::size_t>(bytes, 1), sizeof(Cell)));
  if (cells == nullptr) throw std::bad_alloc();
  regions_[begin] = {begin, bytes, on_device, std::unique_ptr<Cell[], Free>(cells)};
  latest_ = nullptr;
}

void Accesses::freed(const std::byte* begin) {
  regions_.erase(begin);
  latest_ = nullptr;
}

Accesses::Region* Accesses::find(const std::byte* at) {
  const auto has = [at](const Region& region) { return at >= region.begin && at < region.begin + region.bytes; };
  if (latest_ != nullptr && has(*latest_)) return latest_;
  auto after = regions_.upper_bound(at);
  if (after == regions_.begin() || !has((--after)->second)) return nullptr;
  return latest_ = &after->second;
}

void Accesses::copied(const std::byte* to, const std::byte* from, std::size_t bytes) {
  Region* const target = find(to);
  if (target == nullptr || !target->on_device) return;
  Region* const source = from != nullptr ? find(from) : nullptr;
  for (std::size_t i = 0; i < bytes; ++i)
    target->cells[static_cast<std::size_t>(to - target->begin) + i].is_set =
        source == nullptr || !source->on_device ||
        source->cells[static_cast<std::size_t>(from - source->begin) + i].is_set;
}

void Accesses::check_global(std::uint64_t address, std::size_t bytes, const Who& me, Access access) {
  const auto* const at = reinterpret_cast<const std::byte*>(address);
  Region* const region = find(at);
  if (region == nullptr || at + bytes > region->begin + region->bytes)
    throw Fault(name(me) + " accesses memory outside of any allocation");
  Cell* const cells = &region->cells[static_cast<std::size_t>(at - region->begin)];
  // Host memory: the host has written it, or not, unseen.
  if (!region->on_device)
    for (std::size_t i = 0; i < bytes; ++i) cells[i].is_set = true;
  if (access == Access::read_word) ++idle_reads_;
  if (access == Access::write_word) idle_reads_ = 0;
  check(cells, bytes, me, access, true);
}

}  // namespace laconic::ptx
