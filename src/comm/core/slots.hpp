// SPDX-License-Identifier: BSD-3-Clause
// Numbers (slots) of the persistent operations of a communicator.  An operation keeps its slot from its _init until it
// is freed, and no other operation has that slot meanwhile on any rank.  So its messages can be told from all others,
// in whatever order the operations are started.
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

  // Takes a slot, which is the same on all ranks that take slots in the same order.  The result is `none` when all
  // slots known to be free are taken: then the ranks have to find out which slots none of them uses any more.
  int take();
  void give_back(int slot);

  // A bit for each slot that this rank uses.  The ranks form the union of these bits, and renew() begins again with the
  // slots that are free on all ranks.  It returns false when there are none.
  std::span<const std::uint64_t> used() const { return used_; }
  bool renew(std::span<const std::uint64_t> used_by_any);

 private:
  void prepare();

  std::size_t number_ = 0;
  std::vector<std::uint64_t> used_;
  std::vector<int> free_;  // the slots free on all ranks at the last agreement
  std::size_t next_ = 0;
};

}  // namespace laconic
