// SPDX-License-Identifier: BSD-3-Clause
// The terms by which rules select calls, as in "bcast+comm:solver": of LACONIC_INCLUDE, LACONIC_EXCLUDE and
// LACONIC_BOUND.
#pragma once

#include <mpi.h>

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
  Content content = Content::other;  // of a message that may be read as numbers
};

struct Term {
  enum class What : std::uint8_t { operation, form, type, comm, site, smaller, at_least };
  What what = What::operation;
  bool negated = false;
  std::uint32_t operations = 0;  // one bit per operation
  std::uint32_t forms = 0;
  std::string text;
  std::uint64_t bytes = 0;
  Kind reads_as = Kind::none;  // "type:byte=double": bytes, which are these numbers

  // Reads "bcast", "!comm:solver", "size>=1M". Returns an error message with the valid terms; empty if it is one.
  std::string read(std::string_view text);
  // Operations and forms are known of every call; all other properties only of one that is made.
  bool tests_name() const { return what == What::operation || what == What::form; }
  // Communicator names and call sites, which may differ between the ranks of a call.
  bool tests_rank() const { return what == What::comm || what == What::site; }
  bool tests_type() const { return what == What::type; }
  bool tests_size() const { return what == What::smaller || what == What::at_least; }
  // Whether it holds for the call, negated or not.
  bool fits(const Facts& facts) const;
};

// A rule matches a call if all of its terms hold.
struct Item {
  std::vector<Term> terms;

  // Reads terms that are joined by "+". Returns an error message; empty if all are valid.
  std::string read(std::string_view text);
  bool matches(const Facts& facts) const;
  // Whether the item may match calls of this operation in this form.
  bool names(Operation operation, Form form) const;
  bool names_wholly(Operation operation, Form form) const;  // it matches all of them
  bool names_operation() const;
  bool names_integers() const;
  bool of_messages_only() const;
  Kind reads_as() const;  // what the item says of bytes
  template <class F>
  bool any(F f) const {
    for (const Term& term : terms)
      if (f(term)) return true;
    return false;
  }
};

// The bits of an operation or a form in the sets of a term.
constexpr std::uint32_t bit(std::size_t index) { return std::uint32_t{1} << index; }

// Calls f(item) for each of the items of a list that commas separate, until f returns an error message.
template <class F>
std::string each_item(std::string_view list, F f) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (std::string problem = f(list.substr(0, comma)); !problem.empty()) return problem;
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return "";
}

// The file name of the library or executable that contains a code address; empty if unknown.
std::string file_of(const void* site);

}  // namespace laconic::dropin
