// SPDX-License-Identifier: BSD-3-Clause
#include "report/text.hpp"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace laconic::dropin {

std::string format(const char* form, ...) {
  char buffer[1024];
  std::va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(buffer, sizeof buffer, form, arguments);
  va_end(arguments);
  return buffer;
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

std::string size_text(std::uint64_t bytes) {
  if (bytes == 0) return "sizes that differ by rank";
  for (const auto& [unit, name] : {std::pair{std::uint64_t{1} << 20, "MiB"}, {std::uint64_t{1} << 10, "KiB"}})
    if (bytes >= unit) return format("%llu %s", static_cast<unsigned long long>(bytes / unit), name);
  return format("%llu B", static_cast<unsigned long long>(bytes));
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=./:,@%") == std::string::npos;
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += format("\\u%04x", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

// JSON has no literal for infinity.
std::string number(double x) { return std::isfinite(x) ? format("%.9g", x) : "null"; }

}  // namespace laconic::dropin
