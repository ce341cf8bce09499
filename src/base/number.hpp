// SPDX-License-Identifier: BSD-3-Clause
// Conversion between text and numbers, independent of the locale.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace laconic {

// True when all of text is one number of type T.
template <class T>
bool parse_number(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end && !text.empty();
}

inline std::string format_number(double value) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc{} ? std::string(text, end) : std::string("?");
}

}  // namespace laconic
