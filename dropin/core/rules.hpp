// SPDX-License-Identifier: BSD-3-Clause
// The rules of LACONIC_INCLUDE and LACONIC_EXCLUDE: which calls may be compressed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/terms.hpp"

namespace laconic::dropin {

// Messages between two ranks are included by the rules that name them, or included, or excluded.
enum class Messages : std::uint8_t { by_rules, included, excluded };

class Rules {
 public:
  // Parses the values of the two environment variables. `messages`: by LACONIC_P2P.
  // Returns an error message; empty if both are valid.
  std::string read(std::string_view include, std::string_view exclude, Messages messages);

  bool touches(const Facts& facts) const;
  // The numbers that a message of bytes or of what was packed is to be read as, by LACONIC_INCLUDE; none without a
  // rule.
  Kind reads_as(const Facts& facts) const;
  // Whether LACONIC_EXCLUDE names the call.
  bool excludes(const Facts& facts) const;

  // False if no call of this operation in this form can be compressed.
  bool may_touch(Operation operation, Form form) const;

  // True if a rule for this operation in this form tests the datatype or the size of a call.
  bool test_data(Operation operation, Form form) const;

  // True if an include rule names integers. Integers are never rounded: under a lossy bound they are compressed
  // losslessly, and only if such a rule asks for it.
  bool names_integers() const;

  // True if a rule tests properties that may differ between the ranks of a call: communicator names and call sites.
  bool differ_by_rank() const { return differ_by_rank_; }

 private:
  std::string read_items(std::string_view variable, std::string_view list, std::vector<Item>& items);

  // Whether an operation is compressed if no rule matches.
  bool by_default(Operation operation) const;

  std::vector<Item> include_;
  std::vector<Item> exclude_;
  Messages messages_ = Messages::by_rules;
  bool differ_by_rank_ = false;
};

}  // namespace laconic::dropin
