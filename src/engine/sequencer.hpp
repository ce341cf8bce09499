// SPDX-License-Identifier: BSD-3-Clause
// The order of operations on one transport: they begin in the order in which they were asked for, which is the same on
// all ranks, and only so many are under way.  The oldest unfinished one is under way on every rank, so some operation
// can always go on.
#pragma once

#include <cstdint>
#include <vector>

namespace laconic {

class Sequencer {
 public:
  // limit: operations under way at a time, >= 1.
  explicit Sequencer(std::uint64_t limit) : limit_(limit) { finished_.reserve(limit); }

  // Numbers from 0, the same on all ranks that take them in the same order.
  std::uint64_t take() { return next_++; }

  // Whether an operation may begin: all that are `limit` or more before it have finished, and all before it have begun.
  bool reached(std::uint64_t turn) const { return turn == begun_ && turn < oldest_ + limit_; }
  void begin() { ++begun_; }

  // Of one that has begun.
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
  std::uint64_t oldest_ = 0;             // the oldest that has not finished
  std::vector<std::uint64_t> finished_;  // younger ones that have
};

}  // namespace laconic
