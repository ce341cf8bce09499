// Room for frames, leased from the device once and used again.
#pragma once

#include <cstddef>
#include <vector>

#include "codec/codec.hpp"
#include "device/device.hpp"

namespace laconic {

class FramePool {
 public:
  explicit FramePool(Device& device) : device_(device) {}
  ~FramePool() { release_all(); }
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  // From here on every slot has room for `capacity` bytes or more, and `slots` of them are there; false when memory has
  // run out. Call only while no slot is held.
  bool prepare(std::size_t capacity, std::size_t slots) {
    if (capacity > capacity_) {
      release_all();
      capacity_ = capacity;
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
    return slot;
  }
  void hold(int slot) { ++at(slot).holders; }
  void release(int slot) {
    if (--at(slot).holders == 0) free_.push_back(slot);
  }

  Blob room(int slot) const { return slots_[static_cast<std::size_t>(slot)].blob; }
  Frame frame(int slot) const {
    const Slot& s = slots_[static_cast<std::size_t>(slot)];
    return s.blob.first(s.bytes);
  }
  void set_bytes(int slot, std::size_t bytes) { at(slot).bytes = bytes; }

  // Memory leased, in bytes.
  std::size_t footprint() const { return slots_.size() * capacity_; }

 private:
  struct Slot {
    Blob blob;
    std::size_t bytes = 0;
    int holders = 0;
  };
  Slot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  bool grow() {
    const Blob blob = device_.lease(capacity_);
    if (blob.empty()) return false;
    slots_.push_back({blob, 0, 0});
    free_.reserve(slots_.capacity());
    free_.push_back(static_cast<int>(slots_.size()) - 1);
    return true;
  }
  void release_all() {
    for (Slot& slot : slots_) device_.give_back(slot.blob);
    slots_.clear();
    free_.clear();
  }

  Device& device_;
  std::size_t capacity_ = 0;
  std::vector<Slot> slots_;
  std::vector<int> free_;
};

}  // namespace laconic
