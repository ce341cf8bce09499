// SPDX-License-Identifier: BSD-3-Clause
#include "core/rules.hpp"

#include <algorithm>

namespace laconic::dropin {

std::string Rules::read_items(std::string_view variable, std::string_view list, std::vector<Item>& items) {
  return each_item(list, [&](std::string_view text) -> std::string {
    Item item;
    if (std::string problem = item.read(text); !problem.empty()) return std::string(variable) + ": " + problem;
    // Rules for messages need no agreement: the sender alone decides whether a message is compressed.
    if (!item.of_messages_only() && item.any([](const Term& t) { return t.tests_rank(); })) differ_by_rank_ = true;
    items.push_back(std::move(item));
    return "";
  });
}

std::string Rules::read(std::string_view include, std::string_view exclude, Messages messages) {
  *this = Rules{};
  messages_ = messages;
  if (std::string problem = read_items("LACONIC_INCLUDE", include, include_); !problem.empty()) return problem;
  for (const Item& item : include_)
    if (!item.names_operation())
      return "LACONIC_INCLUDE: every item must name an operation, as in bcast+comm:solver; to leave calls out use "
             "LACONIC_EXCLUDE";
  for (const Item& item : include_)
    if (item.reads_as() != Kind::none && !item.of_messages_only())
      return "LACONIC_INCLUDE: only bytes of messages are read as numbers, as in send+type:byte=double";
  return read_items("LACONIC_EXCLUDE", exclude, exclude_);
}

bool Rules::by_default(Operation operation) const {
  return reduces(operation) || (operation == Operation::send && messages_ == Messages::included);
}

bool Rules::names_integers() const {
  return std::any_of(include_.begin(), include_.end(), [](const Item& item) { return item.names_integers(); });
}

bool Rules::touches(const Facts& facts) const {
  if (facts.operation == Operation::send && messages_ == Messages::excluded) return false;
  const bool by_name = facts.kind == Kind::integer && facts.rounded;
  const auto include = [&](const Item& item) { return item.matches(facts) && (!by_name || item.names_integers()); };
  const bool included =
      (by_default(facts.operation) && !by_name) || std::any_of(include_.begin(), include_.end(), include);
  return included && !excludes(facts);
}

Kind Rules::reads_as(const Facts& facts) const {
  for (const Item& item : include_)
    if (item.reads_as() != Kind::none && item.matches(facts)) return item.reads_as();
  return Kind::none;
}

bool Rules::excludes(const Facts& facts) const {
  return std::any_of(exclude_.begin(), exclude_.end(), [&](const Item& item) { return item.matches(facts); });
}

bool Rules::test_data(Operation operation, Form form) const {
  const auto tests = [&](const Item& item) {
    return item.names(operation, form) && item.any([](const Term& t) { return t.tests_type() || t.tests_size(); });
  };
  return std::any_of(include_.begin(), include_.end(), tests) || std::any_of(exclude_.begin(), exclude_.end(), tests);
}

bool Rules::may_touch(Operation operation, Form form) const {
  if (operation == Operation::send && messages_ == Messages::excluded) return false;
  // Messages of integers are never compressed, so an item of integers does not include messages.
  const auto named = [&](const Item& item) {
    return item.names(operation, form) && (is_collective(operation) || !item.names_integers());
  };
  const auto wholly = [&](const Item& item) { return item.names_wholly(operation, form); };
  const bool included = by_default(operation) || std::any_of(include_.begin(), include_.end(), named);
  return included && std::none_of(exclude_.begin(), exclude_.end(), wholly);
}

}  // namespace laconic::dropin
