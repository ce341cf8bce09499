// SPDX-License-Identifier: BSD-3-Clause
// The bounds of LACONIC_BOUND: one for all calls, or one for each rule, as in "send=abs:1e-9,alltoallv=rel:1e-12".
#pragma once

#include <laconic/laconic.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/terms.hpp"

namespace laconic::dropin {

// The bound of a call, and the item of LACONIC_BOUND that it comes from.
struct CallBound {
  static constexpr int no_item = -1;
  laconic_bound bound{LACONIC_BOUND_UNSET, 0};
  int item = no_item;
  bool set() const { return bound.mode != LACONIC_BOUND_UNSET; }
  bool lossless() const { return bound.mode == LACONIC_BOUND_LOSSLESS; }
  // Of a bound on each block the statistics have no absolute value: in reports it is the largest error of a block.
  void complete(laconic_stats& stats) const {
    if (bound.mode == LACONIC_BOUND_BLOCK) stats.bound = stats.achieved_bound;
  }
};

class Bounds {
 public:
  // Parses the value of LACONIC_BOUND. Codec and bound of every item are checked with the other settings in `options`.
  // Returns an error message that names the item; empty if all items are valid.
  std::string read(std::string_view list, const laconic_options& options);

  bool set() const { return !items_.empty(); }
  // True if calls can have different bounds.
  bool by_rule() const { return items_.size() > 1 || (set() && !items_.front().selects.terms.empty()); }

  // The bound of the first item that matches the call; unset if none does.
  CallBound of(const Facts& facts) const;
  // False if no item can match a call of this operation in this form.
  bool may_bound(Operation operation, Form form) const;
  // True if the ranks of a call may find different items: an item that can match it tests what may differ between them.
  // Those are communicator names and call sites; sizes that a rank does not see all of; and in blocking calls that move
  // data, datatypes, because ranks may give different ones for the same bytes.
  bool may_differ(Operation operation, Form form) const;

  // The items as they were written.
  std::size_t size() const { return items_.size(); }
  const std::string& text(std::size_t item) const { return items_[item].text; }

 private:
  struct BoundItem {
    std::string text;
    Item selects;  // without terms: all calls
    laconic_bound bound;
  };
  std::vector<BoundItem> items_;
};

}  // namespace laconic::dropin
