// SPDX-License-Identifier: BSD-3-Clause
#include "core/terms.hpp"

#include <dlfcn.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace laconic::dropin {
namespace {

constexpr std::uint32_t all_operations = (std::uint32_t{1} << num_operations) - 1;
constexpr std::uint32_t all_forms = (std::uint32_t{1} << num_forms) - 1;

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
         "persistent, type:NAME (float, double, complex, integer), type:byte=NAME and type:packed=NAME (float, double: "
         "bytes of messages that are such numbers), comm:PATTERN, site:PATTERN, size<BYTES, "
         "size>=BYTES, each with ! before it to negate it, joined by +";
}

bool is_type_name(std::string_view name) {
  return name == "float" || name == "double" || name == "complex" || name == "integer";
}

// "byte=double": leaves "byte". None for other texts.
Kind parse_reading(std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) return Kind::none;
  const std::string name = text.substr(equals + 1);
  const Kind kind = name == "double" ? Kind::real : name == "float" ? Kind::single : Kind::none;
  text.resize(equals);
  return text == "byte" || text == "packed" ? kind : Kind::none;
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

std::string Term::read(std::string_view term) {
  const std::string whole(term);
  if (term.starts_with("!")) {
    negated = true;
    term.remove_prefix(1);
  }
  const auto value_after = [&](std::string_view prefix) {
    if (!term.starts_with(prefix)) return false;
    text = term.substr(prefix.size());
    return !text.empty();
  };
  const auto size_after = [&](std::string_view prefix) {
    if (!value_after(prefix)) return false;
    const auto size = parse_bytes(text);
    bytes = size.value_or(0);
    return size.has_value();
  };
  if (term == "nonblocking" || term == "persistent") {
    what = What::form;
    forms = bit(index_of(term == "nonblocking" ? Form::nonblocking : Form::persistent));
    return "";
  }
  what = What::operation;
  if (parse_operation(term, operations, forms)) return "";
  what = What::type;
  if (value_after("type:") && is_type_name(text)) return "";
  if (value_after("type:") && !negated && (reads_as = parse_reading(text)) != Kind::none) return "";
  what = What::comm;
  if (value_after("comm:")) return "";
  what = What::site;
  if (value_after("site:")) return "";
  what = What::smaller;
  if (size_after("size<")) return "";
  what = What::at_least;
  if (size_after("size>=")) return "";
  return "'" + whole + "' is not valid; valid are " + valid_terms();
}

bool Term::fits(const Facts& facts) const {
  const auto holds = [&] {
    switch (what) {
      case What::operation:
        return (operations & bit(index_of(facts.operation))) != 0 && (forms & bit(index_of(facts.form))) != 0;
      case What::form: return (forms & bit(index_of(facts.form))) != 0;
      case What::type: return text == (reads_as != Kind::none ? name_of(facts.content) : name_of(facts.kind));
      case What::comm: return fnmatch(text.c_str(), comm_name(facts.comm).c_str(), 0) == 0;
      case What::site: return fnmatch(text.c_str(), file_of(facts.site).c_str(), 0) == 0;
      case What::smaller: return facts.bytes < bytes;
      case What::at_least: return facts.bytes >= bytes;
    }
    return false;
  };
  return holds() != negated;
}

std::string Item::read(std::string_view text) {
  while (true) {
    const auto plus = text.find('+');
    Term term;
    if (std::string problem = term.read(text.substr(0, plus)); !problem.empty()) return problem;
    terms.push_back(std::move(term));
    if (plus == std::string_view::npos) return "";
    text.remove_prefix(plus + 1);
  }
}

bool Item::matches(const Facts& facts) const {
  return std::all_of(terms.begin(), terms.end(), [&](const Term& term) { return term.fits(facts); });
}

bool Item::names(Operation operation, Form form) const {
  const Facts facts{operation, form, Kind::none, false, 0, MPI_COMM_NULL, nullptr};
  return !any([&](const Term& t) { return t.tests_name() && !t.fits(facts); });
}

bool Item::names_wholly(Operation operation, Form form) const {
  return names(operation, form) && !any([](const Term& t) { return !t.tests_name(); });
}

bool Item::names_operation() const {
  return any([](const Term& t) { return t.what == Term::What::operation && !t.negated; });
}

bool Item::names_integers() const {
  return any([](const Term& t) { return t.tests_type() && !t.negated && t.text == name_of(Kind::integer); });
}

Kind Item::reads_as() const {
  for (const Term& term : terms)
    if (term.reads_as != Kind::none) return term.reads_as;
  return Kind::none;
}

bool Item::of_messages_only() const {
  return any([](const Term& t) {
    return t.what == Term::What::operation && !t.negated && t.operations == bit(index_of(Operation::send));
  });
}

}  // namespace laconic::dropin
