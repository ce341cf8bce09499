// SPDX-License-Identifier: BSD-3-Clause
#include "core/bounds.hpp"

#include <algorithm>

#include "core/settings.hpp"

namespace laconic::dropin {
namespace {

constexpr const char* variable = "LACONIC_BOUND";
constexpr const char* example = "send=abs:1e-9,alltoallv+comm:fft=rel:1e-12,abs:1e-6";

}  // namespace

std::string Bounds::read(std::string_view list, const laconic_options& options) {
  items_.clear();
  const auto source = [&](const std::string& item) {
    return std::string(variable) + (item == list ? ": " : ": item '" + item + "': ");
  };
  const auto read_item = [&](std::string_view text) -> std::string {
    BoundItem item{std::string(text), {}, {}};
    const auto wrong = [&](const std::string& problem) { return source(item.text) + problem; };
    if (set() && items_.back().selects.terms.empty())
      return wrong("it follows '" + items_.back().text +
                   "', which has no terms and so is the bound of all other calls; valid is such an item at the end of "
                   "the list only");
    // A bound has no '=', but a term may have one: "size>=1M".
    const auto equals = text.rfind('=');
    const bool all = equals == std::string_view::npos;
    if (!all)
      if (std::string problem = item.selects.read(text.substr(0, equals)); !problem.empty()) return wrong(problem);
    laconic_options one = options;
    const std::string bound(all ? text : text.substr(equals + 1));
    if (std::string problem = set_option(one, "bound", bound.c_str(), ""); !problem.empty())
      return wrong(problem + ", for all calls; or a list of TERMS=BOUND, as in " + example);
    item.bound = one.bound;
    items_.push_back(std::move(item));
    return "";
  };
  std::string problem = each_item(list, read_item);
  if (problem.empty() && (list.empty() || list.ends_with(","))) problem = read_item("");
  // Only now, because this reads the whole environment.
  for (std::size_t k = 0; k < items_.size() && problem.empty(); ++k) {
    laconic_options one = options;
    one.bound = items_[k].bound;
    problem = check_options(one);
    if (!problem.empty()) problem = source(items_[k].text) + problem;
  }
  return problem;
}

CallBound Bounds::of(const Facts& facts) const {
  for (std::size_t k = 0; k < items_.size(); ++k)
    if (items_[k].selects.matches(facts)) return {items_[k].bound, static_cast<int>(k)};
  return {};
}

bool Bounds::may_bound(Operation operation, Form form) const {
  return std::any_of(items_.begin(), items_.end(),
                     [&](const BoundItem& item) { return item.selects.names(operation, form); });
}

bool Bounds::may_differ(Operation operation, Form form) const {
  const bool partial = is_collective(operation) && traits_of(operation).counts_partial();
  const bool types = partial || (!reduces(operation) && form == Form::blocking);
  const auto differs = [&](const Term& t) {
    return t.tests_rank() || (types && t.tests_type()) || (partial && t.tests_size());
  };
  return is_collective(operation) && std::any_of(items_.begin(), items_.end(), [&](const BoundItem& item) {
           return item.selects.names(operation, form) && item.selects.any(differs);
         });
}

}  // namespace laconic::dropin
