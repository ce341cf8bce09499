// SPDX-License-Identifier: BSD-3-Clause
// Memory for frames, leased from the device once and reused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "codec/codec.hpp"
#include "device/device.hpp"
#include "wire/seal.hpp"

namespace laconic {

// Memory for one frame.  On the host, `blob`, `wire` and `header` are the same memory.  On a discrete device, `wire` is
// host memory if the transport cannot access device memory, and `header` is always host memory.
struct FrameSlot {
  Blob blob;                    // the memory that the device's kernels access
  Blob wire;                    // the memory that the transport accesses
  std::byte* header = nullptr;  // host-accessible memory of the first wire::header_bytes bytes
  std::size_t bytes = 0;        // size of the frame; 0: no frame
  std::size_t sealed = 0;       // bytes of the seal behind the frame; 0: no seal
  wire::Seal seal;              // seal of a frame that was made here, or that has been checked
  int from = -1;                // the rank that the frame came from; -1: it was made here
  bool complete = false;        // an arrived frame must hold all contributions
  bool checked = true;          // false: the frame arrived, and its seal has not been checked
  bool loaded = false;          // the frame is in blob; an arrived frame may be in wire only
  std::size_t used = 0;         // the most bytes of blob ever in use
  int holders = 0;

  bool staged() const { return wire.data() != blob.data(); }
  bool host_reaches_wire() const { return header == wire.data(); }
  // The address at which the host reads and writes the seal.
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

  // Provides `slots` slots of `capacity` bytes each; returns false if memory has run out.  staged: the transport cannot
  // access the device's memory.  Call only while no slot is held.
  //
  // All slots are cut from one piece of memory.  An operation with many small slots and a later one with few large
  // slots together take no more than the larger of the two.
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

  // Returns a slot with one holder, or `none` if all slots are held.
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

  // Records that `bytes` bytes of a slot are in use for something other than a frame.
  void use(int slot, std::size_t bytes) {
    FrameSlot& s = at(slot);
    if (bytes <= s.used) return;
    used_ += bytes - s.used;
    s.used = bytes;
    most_used_ = std::max(most_used_, used_);
  }

  // The reference stays valid for as long as the slot is held.
  FrameSlot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  // Records that `bytes` bytes have arrived in FrameSlot::wire.  sealed: they should end in a seal.
  void arrived(int slot, std::size_t bytes, bool sealed) {
    FrameSlot& s = at(slot);
    s.sealed = sealed && bytes >= wire::seal_bytes ? wire::seal_bytes : 0;
    s.bytes = bytes - s.sealed;
    s.checked = !sealed;
    s.loaded = !s.staged();
  }

  // The memory leased, and the most of it that was ever in use, in bytes.
  std::size_t footprint() const { return memory_.size() * (staged_ ? 2 : 1); }
  std::size_t most_used() const { return most_used_ * (staged_ ? 2 : 1); }

 private:
  // An alignment that suits every codec, device and network.
  static constexpr std::size_t alignment = 256;
  // The space for a header and a seal: one cache line, so that neighbouring slots do not share one.
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
  std::size_t used_ = 0;  // bytes in use of the current slots
  std::size_t most_used_ = 0;
};

}  // namespace laconic
