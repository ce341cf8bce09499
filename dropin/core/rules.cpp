// SPDX-License-Identifier: BSD-3-Clause
#include "core/rules.hpp"

#include <dlfcn.h>
#include <fnmatch.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace laconic::dropin {
namespace {

constexpr std::uint32_t all_operations = (std::uint32_t{1} << num_operations) - 1;
constexpr std::uint32_t all_forms = (std::uint32_t{1} << num_forms) - 1;

std::uint32_t bit(std::size_t index) { return std::uint32_t{1} << index; }

std::uint32_t reductions() {
  std::uint32_t bits = 0;
  for (std::size_t k = 0; k < num_operations; ++k)
    if (reduces(static_cast<Operation>(k))) bits |= bit(k);
  return bits;
}

// "allreduce", "iallreduce", "allreduce_init", "reductions", "movement", "all".
bool parse_operation(std::string_view text, std::uint32_t& ops, std::uint32_t& in_forms) {
  in_forms = all_forms;
  ops = 0;
  if (text == "all") ops = all_operations;
  if (text == "reductions") ops = reductions();
  if (text == "movement") ops = all_operations & ~reductions() & ~bit(index_of(Operation::send));
  const auto find = [&](std::string_view name) {
    for (std::size_t k = 0; k < num_operations; ++k)
      if (name_of(static_cast<Operation>(k)) == name) ops = bit(k);
    return ops != 0;
  };
  if (ops != 0 || find(text)) return true;
  if (text.starts_with("i") && find(text.substr(1))) {
    in_forms = bit(index_of(Form::nonblocking));
    return true;
  }
  constexpr std::string_view suffix = "_init";
  if (text.ends_with(suffix) && find(text.substr(0, text.size() - suffix.size()))) {
    in_forms = bit(index_of(Form::persistent));
    return true;
  }
  return false;
}

// "100", "64K", "1M", "2G".
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  unsigned shift = 0;
  if (text.ends_with("K")) shift = 10;
  if (text.ends_with("M")) shift = 20;
  if (text.ends_with("G")) shift = 30;
  if (shift > 0) text.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > (UINT64_MAX >> shift)) return std::nullopt;
  return value << shift;
}

std::string valid_terms() {
  std::string names;
  for (std::size_t k = 0; k < num_operations; ++k)
    names += (k > 0 ? ", " : "") + std::string(name_of(static_cast<Operation>(k)));
  return "operations (" + names +
         "; iallreduce ... and allreduce_init ... for one form of them; reductions, movement, all), nonblocking, "
         "persistent, type:NAME (float, double, complex, integer), comm:PATTERN, site:PATTERN, size<BYTES, "
         "size>=BYTES, each with ! before it to negate it, joined by +";
}

bool is_type_name(std::string_view name) {
  return name == "float" || name == "double" || name == "complex" || name == "integer";
}

std::string comm_name(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  return name;
}

}  // namespace

std::string file_of(const void* site) {
  Dl_info info{};
  if (site == nullptr || dladdr(site, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

std::string Rules::read_term(std::string_view text, Term& term) const {
  const std::string whole(text);
  if (text.starts_with("!")) {
    term.negated = true;
    text.remove_prefix(1);
  }
  const auto value_after = [&](std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    term.text = text.substr(prefix.size());
    return !term.text.empty();
  };
  const auto size_after = [&](std::string_view prefix) {
    if (!value_after(prefix)) return false;
    const auto bytes = parse_bytes(term.text);
    term.bytes = bytes.value_or(0);
    return bytes.has_value();
  };
  if (text == "nonblocking" || text == "persistent") {
    term.what = Term::What::form;
    term.forms = bit(index_of(text == "nonblocking" ? Form::nonblocking : Form::persistent));
    return "";
  }
  term.what = Term::What::operation;
  if (parse_operation(text, term.operations, term.forms)) return "";
  term.what = Term::What::type;
  if (value_after("type:") && is_type_name(term.text)) return "";
  term.what = Term::What::comm;
  if (value_after("comm:")) return "";
  term.what = Term::What::site;
  if (value_after("site:")) return "";
  term.what = Term::What::smaller;
  if (size_after("size<")) return "";
  term.what = Term::What::at_least;
  if (size_after("size>=")) return "";
  return "'" + whole + "' is not valid; valid are " + valid_terms();
}

std::string Rules::read_items(std::string_view variable, std::string_view text, std::vector<Item>& items) {
  while (!text.empty()) {
    const auto comma = text.find(',');
    std::string_view rest = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    Item item;
    while (true) {
      const auto plus = rest.find('+');
      Term term;
      if (std::string problem = read_term(rest.substr(0, plus), term); !problem.empty())
        return std::string(variable) + ": " + problem;
      item.terms.push_back(std::move(term));
      if (plus == std::string_view::npos) break;
      rest.remove_prefix(plus + 1);
    }
    // Rules for messages need no agreement: the sender alone decides whether a message is compressed.
    const auto by_rank = [](const Term& t) { return t.what == Term::What::comm || t.what == Term::What::site; };
    if (!of_messages_only(item) && std::any_of(item.terms.begin(), item.terms.end(), by_rank)) differ_by_rank_ = true;
    items.push_back(std::move(item));
  }
  return "";
}

bool Rules::of_messages_only(const Item& item) {
  return std::any_of(item.terms.begin(), item.terms.end(), [](const Term& t) {
    return t.what == Term::What::operation && !t.negated && t.operations == bit(index_of(Operation::send));
  });
}

std::string Rules::read(std::string_view include, std::string_view exclude, Messages messages) {
  *this = Rules{};
  messages_ = messages;
  if (std::string problem = read_items("LACONIC_INCLUDE", include, include_); !problem.empty()) return problem;
  for (const Item& item : include_) {
    const auto names_operation = [](const Term& t) { return t.what == Term::What::operation && !t.negated; };
    if (std::none_of(item.terms.begin(), item.terms.end(), names_operation))
      return "LACONIC_INCLUDE: every item must name an operation, as in bcast+comm:solver; to leave calls out use "
             "LACONIC_EXCLUDE";
  }
  return read_items("LACONIC_EXCLUDE", exclude, exclude_);
}

bool Rules::by_default(Operation operation) const {
  return reduces(operation) || (operation == Operation::send && messages_ == Messages::included);
}

bool Rules::holds(const Term& term, const Facts& facts) {
  switch (term.what) {
    case Term::What::operation:
      return (term.operations & bit(index_of(facts.operation))) != 0 && (term.forms & bit(index_of(facts.form))) != 0;
    case Term::What::form: return (term.forms & bit(index_of(facts.form))) != 0;
    case Term::What::type: return term.text == name_of(facts.kind);
    case Term::What::comm: return fnmatch(term.text.c_str(), comm_name(facts.comm).c_str(), 0) == 0;
    case Term::What::site: return fnmatch(term.text.c_str(), file_of(facts.site).c_str(), 0) == 0;
    case Term::What::smaller: return facts.bytes < term.bytes;
    case Term::What::at_least: return facts.bytes >= term.bytes;
  }
  return false;
}

bool Rules::matches(const Item& item, const Facts& facts) {
  return std::all_of(item.terms.begin(), item.terms.end(),
                     [&](const Term& term) { return holds(term, facts) != term.negated; });
}

bool Rules::names_integers(const Item& item) {
  return std::any_of(item.terms.begin(), item.terms.end(), [](const Term& term) {
    return term.what == Term::What::type && !term.negated && term.text == name_of(Kind::integer);
  });
}

bool Rules::names_integers() const {
  return std::any_of(include_.begin(), include_.end(), [](const Item& item) { return names_integers(item); });
}

bool Rules::touches(const Facts& facts) const {
  if (facts.operation == Operation::send && messages_ == Messages::excluded) return false;
  const bool by_name = facts.kind == Kind::integer && facts.rounded;
  const auto match = [&](const Item& item) { return matches(item, facts); };
  const auto include = [&](const Item& item) { return match(item) && (!by_name || names_integers(item)); };
  const bool included =
      (by_default(facts.operation) && !by_name) || std::any_of(include_.begin(), include_.end(), include);
  return included && !excludes(facts);
}

bool Rules::excludes(const Facts& facts) const {
  return std::any_of(exclude_.begin(), exclude_.end(), [&](const Item& item) { return matches(item, facts); });
}

bool Rules::tests_name(const Term& term) { return term.what == Term::What::operation || term.what == Term::What::form; }

// Whether the item may match calls of this operation in this form.
bool Rules::names(const Item& item, Operation operation, Form form) {
  const Facts facts{operation, form, Kind::none, false, 0, MPI_COMM_NULL, nullptr};
  return std::all_of(item.terms.begin(), item.terms.end(),
                     [&](const Term& t) { return !tests_name(t) || holds(t, facts) != t.negated; });
}

bool Rules::test_data(Operation operation, Form form) const {
  const auto tests = [&](const Item& item) {
    const auto of_data = [](const Term& t) {
      return t.what == Term::What::type || t.what == Term::What::smaller || t.what == Term::What::at_least;
    };
    return names(item, operation, form) && std::any_of(item.terms.begin(), item.terms.end(), of_data);
  };
  return std::any_of(include_.begin(), include_.end(), tests) || std::any_of(exclude_.begin(), exclude_.end(), tests);
}

bool Rules::may_touch(Operation operation, Form form) const {
  if (operation == Operation::send && messages_ == Messages::excluded) return false;
  const Facts facts{operation, form, Kind::none, false, 0, MPI_COMM_NULL, nullptr};
  // Messages of integers are never compressed, so an item of integers does not include messages.
  const auto named = [&](const Item& item) {
    return names(item, operation, form) && (is_collective(operation) || !names_integers(item));
  };
  const auto wholly = [&](const Item& item) {
    return std::all_of(item.terms.begin(), item.terms.end(), tests_name) && matches(item, facts);
  };
  const bool included = by_default(operation) || std::any_of(include_.begin(), include_.end(), named);
  return included && std::none_of(exclude_.begin(), exclude_.end(), wholly);
}

}  // namespace laconic::dropin
