// SPDX-License-Identifier: BSD-3-Clause
// Options of all subcommands: parsing of numbers and lists, and the messages for invalid ones.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.hpp"
#include "command.hpp"
#include "failure.hpp"

namespace laconic::cli {

inline Failure not_valid(std::string_view what, std::string_view value, std::string_view valid) {
  return usage(fmt::format("{} '{}' is not valid; valid are {}", what, value, valid));
}

// Values separated by commas; the option may be repeated.
inline CommandOption add_list(Command& command, const std::string& name, std::vector<std::string>& list,
                              const std::string& help) {
  return command.add_option(name, list, help).delimiter(',').allow_extra_args(false);
}

// A whole number from least to most.
template <class T>
T parse_whole(std::string_view what, std::string_view text, T least, T most = std::numeric_limits<T>::max()) {
  T value{};
  if (parse_number(text, value) && value >= least && value <= most) return value;
  throw not_valid(what, text,
                  most == std::numeric_limits<T>::max() ? fmt::format("whole numbers from {} on", least)
                                                        : fmt::format("whole numbers from {} to {}", least, most));
}

// The default is shown in the help if it is itself valid; otherwise it stands for an option that was not given.
template <class T>
CommandOption add_whole(Command& command, const std::string& name, T& value, T least, T most, const std::string& help) {
  auto option = command.add_option_function(
      name, [=, &value](const std::string& text) { value = parse_whole<T>(name, text, least, most); }, help);
  if (value >= least && value <= most) option.default_str(fmt::format("{}", value));
  return option.type_name("N");
}

template <class T>
CommandOption add_whole(Command& command, const std::string& name, T& value, T least, const std::string& help) {
  return add_whole<T>(command, name, value, least, std::numeric_limits<T>::max(), help);
}

// A number above 0, or at least 0.
CommandOption add_real(Command& command, const std::string& name, double& value, bool zero_too,
                       const std::string& help);
CommandOption add_real(Command& command, const std::string& name, std::optional<double>& value, bool zero_too,
                       const std::string& help);

}  // namespace laconic::cli
