// SPDX-License-Identifier: BSD-3-Clause
// The rules of LACONIC_INCLUDE and LACONIC_EXCLUDE: which calls may be compressed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls/operation.hpp"
#include "core/datatypes.hpp"

namespace laconic::dropin {

// The properties of a call that rules can test. Names are looked up only if a rule tests them.
struct Facts {
  Operation operation;
  Form form;
  Kind kind;
  bool rounded;  // the bound is lossy
  std::uint64_t bytes;
  MPI_Comm comm;
  const void* site;
};

// Messages between two ranks are included by the rules that name them, or included, or excluded.
enum class Messages : std::uint8_t { by_rules, included, excluded };

class Rules {
 public:
  // Parses the values of the two environment variables. `messages`: by LACONIC_P2P.
  // Returns an error message; empty if both are valid.
  std::string read(std::string_view include, std::string_view exclude, Messages messages);

  bool touches(const Facts& facts) const;
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
  struct Term {
    enum class What : std::uint8_t { operation, form, type, comm, site, smaller, at_least };
    What what;
    bool negated = false;
    std::uint32_t operations = 0;  // one bit per operation
    std::uint32_t forms = 0;
    std::string text;
    std::uint64_t bytes = 0;
  };
  struct Item {
    std::vector<Term> terms;  // the item matches if all of them hold
  };

  std::string read_items(std::string_view variable, std::string_view text, std::vector<Item>& items);
  std::string read_term(std::string_view text, Term& term) const;
  static bool holds(const Term& term, const Facts& facts);
  static bool tests_name(const Term& term);
  static bool matches(const Item& item, const Facts& facts);
  static bool names(const Item& item, Operation operation, Form form);
  static bool of_messages_only(const Item& item);
  static bool names_integers(const Item& item);

  // Whether an operation is compressed if no rule matches.
  bool by_default(Operation operation) const;

  std::vector<Item> include_;
  std::vector<Item> exclude_;
  Messages messages_ = Messages::by_rules;
  bool differ_by_rank_ = false;
};

// The file name of the library or executable that contains a code address; empty if unknown.
std::string file_of(const void* site);

}  // namespace laconic::dropin
