// SPDX-License-Identifier: BSD-3-Clause
#include "ptx/module.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace laconic::ptx {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

// Comments become spaces.
std::string without_comments(std::string text) {
  for (std::size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at))
    while (at < text.size() && text[at] != '\n') text[at++] = ' ';
  return text;
}

// The first word, which is removed.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const auto end = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_space) - text.begin());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

// Behind the brace or bracket that closes the one at `open`.
std::size_t behind(std::string_view text, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    depth += text[at] == opening ? 1 : text[at] == closing ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  throw Fault("PTX: a bracket is never closed");
}

std::vector<Variable> read_parameters(std::string_view list) {
  std::vector<Variable> all;
  for (std::string_view one : split(list)) {
    if (take_word(one) != ".param") throw Fault("PTX: a parameter that is none: " + std::string(one));
    all.push_back(read_variable(one));
  }
  return all;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    depth += (c == '{' || c == '[' || c == '(') ? 1 : (c == '}' || c == ']' || c == ')') ? -1 : 0;
    if (c != ',' || (depth != 0 && at < list.size())) continue;
    if (const auto part = trimmed(list.substr(begin, at - begin)); !part.empty()) parts.push_back(part);
    begin = at + 1;
  }
  return parts;
}

Variable read_variable(std::string_view declaration) {
  const std::string whole(declaration);
  Variable variable;
  std::string_view word = take_word(declaration);
  std::size_t alignment = 0;
  if (word == ".align") {
    word = take_word(declaration);
    std::from_chars(word.data(), word.data() + word.size(), alignment);
    word = take_word(declaration);
  }
  std::size_t bits = 0;
  if (word.size() < 3 || std::from_chars(word.data() + 2, word.data() + word.size(), bits).ec != std::errc{})
    throw Fault("PTX: a variable of a type that is not known: " + whole);
  const std::size_t open = declaration.find('[');
  std::size_t count = 1;
  if (open != std::string_view::npos) {
    const char* const first = declaration.data() + open + 1;
    if (std::from_chars(first, declaration.data() + declaration.size(), count).ec != std::errc{})
      throw Fault("PTX: a variable of unknown size: " + whole);
  }
  variable.name = trimmed(declaration.substr(0, open));
  variable.bytes = count * bits / 8;
  variable.alignment = alignment != 0 ? alignment : bits / 8;
  return variable;
}

std::vector<Statement> statements_of(std::string_view body) {
  std::vector<Statement> all;
  std::size_t at = 0;
  while (at < body.size()) {
    // Braces of a scope: names are used once, or for the same thing.
    if (is_space(body[at]) || body[at] == '{' || body[at] == '}' || body[at] == ';') {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < body.size() && in_name(body[end])) ++end;
    if (end > at && end < body.size() && body[end] == ':') {
      all.push_back({Statement::Kind::label, body.substr(at, end - at)});
      at = end + 1;
      continue;
    }
    end = body.find(';', at);
    if (end == std::string_view::npos) throw Fault("PTX: a statement never ends");
    const auto kind = body[at] == '.' ? Statement::Kind::directive : Statement::Kind::instruction;
    all.push_back({kind, trimmed(body.substr(at, end - at))});
    at = end + 1;
  }
  return all;
}

Module::Module(std::string text) : text_(without_comments(std::move(text))) {
  const std::string_view all = text_;
  std::size_t at = 0;
  while (at < all.size()) {
    if (is_space(all[at])) {
      ++at;
      continue;
    }
    const std::string_view rest = all.substr(at);
    const bool line = rest.starts_with(".version") || rest.starts_with(".target") || rest.starts_with(".address_size");
    if (line) {
      at = std::min(all.find('\n', at), all.size());
      continue;
    }
    const std::size_t end = all.find_first_of(";{", at);
    if (end == std::string_view::npos) throw Fault("PTX: a declaration never ends: " + std::string(rest.substr(0, 80)));
    const std::string_view header = trimmed(all.substr(at, end - at));
    at = all[end] == ';' ? end + 1 : behind(all, end, '{', '}');
    read_header(header, all[end] == ';' ? std::string_view() : all.substr(end + 1, at - end - 2));
  }
}

void Module::read_header(std::string_view header, std::string_view body) {
  const std::string whole(header);
  std::string_view word = take_word(header);
  while (word == ".visible" || word == ".weak" || word == ".extern") word = take_word(header);
  if (word == ".shared") return shared_.push_back(read_variable(header));
  if (word != ".entry" && word != ".func") throw Fault("PTX: a declaration that is not known: " + whole);
  if (body.empty()) return;  // only announced
  Function function;
  function.entry = word == ".entry";
  function.body = body;
  if (header.starts_with('(')) {
    const std::size_t end = behind(header, 0, '(', ')');
    function.results = read_parameters(header.substr(1, end - 2));
    header = trimmed(header.substr(end));
  }
  const std::size_t open = header.find('(');
  if (open == std::string_view::npos) throw Fault("PTX: a function without parameters: " + whole);
  function.name = trimmed(header.substr(0, open));
  function.parameters = read_parameters(header.substr(open + 1, behind(header, open, '(', ')') - open - 2));
  functions_[function.name] = std::move(function);
}

}  // namespace laconic::ptx
