// SPDX-License-Identifier: BSD-3-Clause
// Room for frames, leased from the device once and used again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "codec/codec.hpp"
#include "device/device.hpp"
#include "wire/seal.hpp"

namespace laconic {

// Room for one frame.  On the host its three faces are the same memory.  On a device that works apart, `wire` is memory
// of the host where the transport reads no other, and `header` is always on the host.
struct FrameSlot {
  Blob blob;                    // where the device codes
  Blob wire;                    // where the transport reads and writes
  std::byte* header = nullptr;  // where the host reads and writes the first wire::header_bytes bytes
  std::size_t bytes = 0;        // of the frame; 0: none
  std::size_t sealed = 0;       // bytes of the seal behind the frame; 0: none
  wire::Seal seal;              // of a frame that was made here, or has been checked
  int from = -1;                // the rank that the frame came from; -1: it was made here
  bool complete = false;        // of one that came: it must hold all contributions
  bool checked = true;          // false: it came, and its seal has not been looked at
  bool loaded = false;          // the frame is in blob: one that has arrived may be in wire only
  std::size_t used = 0;         // the most of blob that was ever
  int holders = 0;

  bool staged() const { return wire.data() != blob.data(); }
  bool host_reaches_wire() const { return header == wire.data(); }
  // Where the host reads and writes the seal.
  std::byte* seal_place() const { return host_reaches_wire() ? header + bytes : header + wire::header_bytes; }
  Frame travelling() const { return Frame(wire).first(bytes + sealed); }
  Frame frame() const { return Frame(blob).first(bytes); }
  Status read_header(wire::Header& out) const {
    return wire::read_header({header, std::min(bytes, wire::header_bytes)}, bytes, out);
  }
};

class FramePool {
 public:
  explicit FramePool(Device& device) : device_(device) {}
  ~FramePool() { release_all(); }
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  // From here on there are `slots` slots with room for `capacity` bytes each; false when memory has run out.  staged:
  // the transport does not reach the device's memory.  Call only while no slot is held.
  //
  // They are cut from one piece of memory, so that many small ones and few large ones, by turns, take no more than the
  // larger of both.
  bool prepare(std::size_t capacity, std::size_t slots, bool staged = false) {
    staged = staged && !device_.on_host();
    capacity = (capacity + alignment - 1) / alignment * alignment;
    if (capacity == capacity_ && slots == slots_.size() && staged == staged_) return true;
    const bool apart = !staged && !device_.on_host();
    if (capacity * slots > memory_.size() || (apart && slots * header_room > headers_.size()) || staged != staged_) {
      release_all();
      staged_ = staged;
      most_slots_ = std::max(most_slots_, slots);
      if (!lease(capacity * slots, most_slots_)) {
        release_all();
        return false;
      }
    }
    cut(capacity, slots);
    return true;
  }

  static constexpr int none = -1;

  // A slot with one holder, or none when all are held.
  int acquire() {
    if (free_.empty()) return none;
    const int slot = free_.back();
    free_.pop_back();
    at(slot).holders = 1;
    FrameSlot& s = at(slot);
    s.bytes = s.sealed = 0;
    s.from = -1;
    s.complete = s.loaded = false;
    s.checked = true;
    return slot;
  }
  void hold(int slot) { ++at(slot).holders; }
  void release(int slot) {
    if (--at(slot).holders > 0) return;
    use(slot, at(slot).bytes);
    free_.push_back(slot);
  }

  // So many bytes of a slot are in use, for something else than a frame.
  void use(int slot, std::size_t bytes) {
    FrameSlot& s = at(slot);
    if (bytes <= s.used) return;
    used_ += bytes - s.used;
    s.used = bytes;
    most_used_ = std::max(most_used_, used_);
  }

  // Stays where it is for as long as the slot is held.
  FrameSlot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  // So many bytes have come to FrameSlot::wire.  sealed: they should end in a seal.
  void arrived(int slot, std::size_t bytes, bool sealed) {
    FrameSlot& s = at(slot);
    s.sealed = sealed && bytes >= wire::seal_bytes ? wire::seal_bytes : 0;
    s.bytes = bytes - s.sealed;
    s.checked = !sealed;
    s.loaded = !s.staged();
  }

  // Memory leased, and the most that was ever in use, in bytes.
  std::size_t footprint() const { return memory_.size() * (staged_ ? 2 : 1); }
  std::size_t most_used() const { return most_used_ * (staged_ ? 2 : 1); }

 private:
  // Enough for whatever a codec, a device or a network does best with.
  static constexpr std::size_t alignment = 256;
  // One cache line, so that neighbours do not share it: for a header and a seal.
  static constexpr std::size_t header_room = 64;

  bool lease(std::size_t bytes, std::size_t slots) {
    if (bytes == 0) return true;
    memory_ = device_.lease(bytes);
    if (memory_.empty()) return false;
    if (device_.on_host()) return true;
    Blob& beside = staged_ ? shared_ : headers_;
    beside = device_.lease_shared(staged_ ? bytes : slots * header_room);
    return !beside.empty();
  }

  void cut(std::size_t capacity, std::size_t slots) {
    capacity_ = capacity;
    used_ = 0;
    slots_.assign(slots, {});
    free_.clear();
    for (std::size_t k = slots; k-- > 0;) {
      FrameSlot& slot = slots_[k];
      slot.blob = memory_.subspan(k * capacity, capacity);
      slot.wire = staged_ ? shared_.subspan(k * capacity, capacity) : slot.blob;
      const bool apart = !staged_ && !device_.on_host();
      slot.header = apart ? headers_.data() + k * header_room : slot.wire.data();
      free_.push_back(static_cast<int>(k));
    }
  }

  void release_all() {
    if (!headers_.empty()) device_.give_back_shared(headers_);
    if (!shared_.empty()) device_.give_back_shared(shared_);
    if (!memory_.empty()) device_.give_back(memory_);
    memory_ = shared_ = headers_ = {};
    slots_.clear();
    free_.clear();
    capacity_ = 0;
  }

  Device& device_;
  Blob memory_;
  Blob shared_;
  Blob headers_;
  std::size_t most_slots_ = 0;
  std::size_t capacity_ = 0;
  bool staged_ = false;
  std::vector<FrameSlot> slots_;
  std::vector<int> free_;
  std::size_t used_ = 0;  // of the slots as they are cut
  std::size_t most_used_ = 0;
};

}  // namespace laconic
