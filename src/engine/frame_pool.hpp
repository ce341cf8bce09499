// Room for frames, leased from the device once and used again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "codec/codec.hpp"
#include "device/device.hpp"

namespace laconic {

// Room for one frame.  On the host its three faces are the same memory.  On a device that works apart, `wire` is memory
// of the host where the transport reads no other, and `header` is always on the host.
struct FrameSlot {
  Blob blob;                    // where the device codes
  Blob wire;                    // where the transport reads and writes
  std::byte* header = nullptr;  // where the host reads and writes the first wire::header_bytes bytes
  std::size_t bytes = 0;        // of the frame; 0: none
  bool loaded = false;          // the frame is in blob: one that has arrived may be in wire only
  int holders = 0;

  bool staged() const { return wire.data() != blob.data(); }
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

  // From here on every slot has room for `capacity` bytes or more, and `slots` of them are there; false when memory has
  // run out.  staged: the transport does not reach the device's memory.  Call only while no slot is held.
  bool prepare(std::size_t capacity, std::size_t slots, bool staged = false) {
    staged = staged && !device_.on_host();
    if (capacity > capacity_ || staged != staged_) {
      release_all();
      capacity_ = std::max(capacity, capacity_);
      staged_ = staged;
    }
    while (slots_.size() < slots)
      if (!grow()) return false;
    return true;
  }

  static constexpr int none = -1;

  // A slot with one holder, or none when memory has run out.
  int acquire() {
    if (free_.empty() && !grow()) return none;
    const int slot = free_.back();
    free_.pop_back();
    at(slot).holders = 1;
    at(slot).bytes = 0;
    at(slot).loaded = false;
    return slot;
  }
  void hold(int slot) { ++at(slot).holders; }
  void release(int slot) {
    if (--at(slot).holders == 0) free_.push_back(slot);
  }

  // Stays where it is for as long as the slot is held.
  FrameSlot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  // A frame of so many bytes has come to FrameSlot::wire.
  void arrived(int slot, std::size_t bytes) {
    at(slot).bytes = bytes;
    at(slot).loaded = !at(slot).staged();
  }

  // Memory leased, in bytes.
  std::size_t footprint() const { return slots_.size() * capacity_ * (staged_ ? 2 : 1); }

 private:
  // One cache line, so that neighbours do not share it.
  static constexpr std::size_t header_room = 64;

  bool grow() {
    FrameSlot slot;
    slot.blob = device_.lease(capacity_);
    slot.wire = slot.blob;
    if (!slot.blob.empty() && staged_) slot.wire = device_.lease_shared(capacity_);
    slot.header = slot.wire.data();
    if (!slot.blob.empty() && !staged_ && !device_.on_host()) slot.header = device_.lease_shared(header_room).data();
    if (slot.blob.empty() || slot.header == nullptr) {
      give_back(slot);
      return false;
    }
    slots_.push_back(slot);
    free_.reserve(slots_.size());
    free_.push_back(static_cast<int>(slots_.size()) - 1);
    return true;
  }
  void give_back(FrameSlot& slot) {
    if (slot.header != nullptr && slot.header != slot.wire.data()) device_.give_back_shared({slot.header, header_room});
    if (!slot.wire.empty() && slot.staged()) device_.give_back_shared(slot.wire);
    if (!slot.blob.empty()) device_.give_back(slot.blob);
  }
  void release_all() {
    for (FrameSlot& slot : slots_) give_back(slot);
    slots_.clear();
    free_.clear();
  }

  Device& device_;
  std::size_t capacity_ = 0;
  bool staged_ = false;
  std::deque<FrameSlot> slots_;  // they do not move when there are more
  std::vector<int> free_;
};

}  // namespace laconic
