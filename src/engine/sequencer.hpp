// SPDX-License-Identifier: BSD-3-Clause
// The order of operations on one transport.  Operations begin in the order of their calls, which is the same on all
// ranks, and only a limited number is in progress at a time.  The oldest unfinished operation is in progress on every
// rank, so some operation can always advance.
#pragma once

#include <cstdint>
#include <vector>

namespace laconic {

class Sequencer {
 public:
  // limit: operations in progress at a time, >= 1.
  explicit Sequencer(std::uint64_t limit) : limit_(limit) { finished_.reserve(limit); }

  // Returns the number of the next operation, from 0; the same on all ranks that take numbers in the same order.
  std::uint64_t take() { return next_++; }

  // Whether an operation may begin: all operations before it have begun, and all that are `limit` or more before it
  // have finished.
  bool reached(std::uint64_t turn) const { return turn == begun_ && turn < oldest_ + limit_; }
  void begin() { ++begun_; }

  // Finishes an operation that has begun.
  void finish(std::uint64_t turn) {
    finished_.push_back(turn);
    for (auto at = finished_.begin(); at != finished_.end();) {
      if (*at != oldest_) {
        ++at;
        continue;
      }
      ++oldest_;
      finished_.erase(at);
      at = finished_.begin();
    }
  }

 private:
  std::uint64_t limit_;
  std::uint64_t next_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t oldest_ = 0;             // the oldest operation that has not finished
  std::vector<std::uint64_t> finished_;  // younger operations that have finished
};

}  // namespace laconic
