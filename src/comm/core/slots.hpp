// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the persistent operations of a communicator.  An operation keeps its own from its _init until it is freed,
// and no other has it meanwhile on any rank: so its messages can be told from those of all others, in whatever order
// they are started.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace laconic {

class Slots {
 public:
  static constexpr int none = -1;
  static constexpr std::size_t most = 4096;

  void set_number(std::size_t number) { number_ = number; }

  // The same on all ranks that take them in the same order; `none` when as many have been taken as there are, and the
  // ranks have to find out which of them none of them uses any more.
  int take();
  void give_back(int slot);

  // A bit for each that this rank uses; the ranks form the union, and begin again with what is free on all of them.
  // False when nothing is.
  std::span<const std::uint64_t> used() const { return used_; }
  bool renew(std::span<const std::uint64_t> used_by_any);

 private:
  void prepare();

  std::size_t number_ = 0;
  std::vector<std::uint64_t> used_;
  std::vector<int> free_;  // on all ranks, when this was last agreed on
  std::size_t next_ = 0;
};

}  // namespace laconic
