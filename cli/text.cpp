// SPDX-License-Identifier: BSD-3-Clause
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "failure.hpp"

namespace laconic::cli {
namespace {

// Splits a text into a number above 0 and the unit after it.
bool split_number(std::string_view text, double& value, std::string_view& unit) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || !(value > 0) || !std::isfinite(value)) return false;
  unit = {rest, static_cast<std::size_t>(end - rest)};
  return true;
}

}  // namespace

std::string aligned(const std::vector<Cells>& rows, std::size_t left) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const Cells& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c < left ? fmt::format("{:<{}}  ", row[c], widths[c]) : fmt::format("{:>{}}  ", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

JsonObject& JsonObject::raw(std::string_view name, std::string_view value) {
  members_ += fmt::format("{}{}: {}", members_.empty() ? "{" : ", ", json_text(name), value);
  return *this;
}

std::string json_list(const std::vector<std::string>& objects) {
  return fmt::format("[\n {}\n]\n", fmt::join(objects, ",\n "));
}

std::size_t parse_bytes(std::string_view option, std::string_view text) {
  double value = 0;
  std::string_view unit;
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}}};
  if (split_number(text, value, unit))
    for (const auto& [name, factor] : units)
      if (unit == name && value * factor >= 1 && value * factor < 1e18) return static_cast<std::size_t>(value * factor);
  throw usage(fmt::format("{} '{}' is not valid; valid are numbers of bytes as N, NK, NM or NG", option, text));
}

double parse_rate(std::string_view option, std::string_view text) {
  if (text == "none") return 0;
  double value = 0;
  std::string_view unit;
  constexpr std::array<std::pair<std::string_view, double>, 3> units{{{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}}};
  if (split_number(text, value, unit))
    for (const auto& [name, factor] : units)
      if (unit == name) return value * factor;
  throw usage(fmt::format("{} '{}' is not valid; valid are none, Nkbit, Nmbit and Ngbit", option, text));
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 4> units{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.4g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

}  // namespace laconic::cli
