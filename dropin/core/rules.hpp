// SPDX-License-Identifier: BSD-3-Clause
// What LACONIC_INCLUDE and LACONIC_EXCLUDE say: which calls may be touched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls/operation.hpp"
#include "core/datatypes.hpp"

namespace laconic::dropin {

// What rules ask about a call. Names are looked up only where a rule wants them.
struct Facts {
  Operation operation;
  Form form;
  Kind kind;
  bool rounded;  // the bound lets numbers change
  std::uint64_t bytes;
  MPI_Comm comm;
  const void* site;
};

class Rules {
 public:
  // Both texts as they stand in the environment; messages: whether those between two ranks are included. An empty text
  // means that they are valid.
  std::string read(std::string_view include, std::string_view exclude, bool messages);

  bool touches(const Facts& facts) const;

  // False when no call of this operation in this form can be touched.
  bool may_touch(Operation operation, Form form) const;

  // Integers are never rounded: where the bound rounds, they are touched without loss, if a rule asks for it by name.
  bool names_integers() const;

  // True when a rule looks at what may differ between the ranks of one call: names and call sites.
  bool differ_by_rank() const { return differ_by_rank_; }

 private:
  struct Term {
    enum class What : std::uint8_t { operation, form, type, comm, site, smaller, at_least };
    What what;
    bool negated = false;
    std::uint32_t operations = 0;  // a bit for each
    std::uint32_t forms = 0;
    std::string text;
    std::uint64_t bytes = 0;
  };
  struct Item {
    std::vector<Term> terms;  // all of which have to hold
  };

  std::string read_items(std::string_view variable, std::string_view text, std::vector<Item>& items);
  std::string read_term(std::string_view text, Term& term) const;
  static bool holds(const Term& term, const Facts& facts);
  static bool matches(const Item& item, const Facts& facts);
  static bool of_messages_only(const Item& item);
  static bool names_integers(const Item& item);

  // Whether an operation is touched where no rule says anything.
  bool by_default(Operation operation) const;

  std::vector<Item> include_;
  std::vector<Item> exclude_;
  bool messages_ = false;
  bool differ_by_rank_ = false;
};

// The file name of the library or program that an address of code belongs to; empty when it is not known.
std::string file_of(const void* site);

}  // namespace laconic::dropin
