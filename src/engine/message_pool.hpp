// SPDX-License-Identifier: BSD-3-Clause
// Memory for messages of several frames, leased from the device once and reused.  Frames are copied into a message
// before it is sent, and out of it when they are used: such messages are small, and a copy costs less than a message
// for each frame would.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace laconic {

class MessagePool {
 public:
  explicit MessagePool(Device& device) : device_(device) {}
  ~MessagePool() { release_all(); }
  MessagePool(const MessagePool&) = delete;
  MessagePool& operator=(const MessagePool&) = delete;

  // Provides `count` messages of `capacity` bytes each, in memory that the host accesses; returns false if memory has
  // run out.  Call only while no message is held.
  bool prepare(std::size_t capacity, std::size_t count) {
    if (capacity * count > memory_.size()) {
      release_all();
      memory_ = device_.lease_shared(capacity * count);
      if (memory_.empty()) return false;
    }
    capacity_ = capacity;
    in_use_ = 0;
    used_.assign(count, 0);
    free_.clear();
    for (std::size_t k = count; k-- > 0;) free_.push_back(static_cast<int>(k));
    return true;
  }

  static constexpr int none = -1;

  // Returns a message, or `none` if all are held.
  int acquire() {
    if (free_.empty()) return none;
    const int message = free_.back();
    free_.pop_back();
    return message;
  }

  void release(int message) { free_.push_back(message); }

  // Records that `bytes` bytes of a message are in use.
  void use(int message, std::size_t bytes) {
    std::size_t& used = used_[static_cast<std::size_t>(message)];
    in_use_ += std::max(bytes, used) - used;
    used = std::max(bytes, used);
    most_used_ = std::max(most_used_, in_use_);
  }

  std::span<std::byte> at(int message) const {
    return memory_.subspan(static_cast<std::size_t>(message) * capacity_, capacity_);
  }

  // The memory leased, and the most of it that was ever in use, in bytes.
  std::size_t footprint() const { return memory_.size(); }
  std::size_t most_used() const { return most_used_; }

 private:
  void release_all() {
    if (!memory_.empty()) device_.give_back_shared(memory_);
    memory_ = {};
  }

  Device& device_;
  std::span<std::byte> memory_;
  std::size_t capacity_ = 0;
  std::vector<int> free_;
  std::vector<std::size_t> used_;  // the most bytes of each message that were ever in use
  std::size_t in_use_ = 0;         // their sum
  std::size_t most_used_ = 0;
};

}  // namespace laconic
