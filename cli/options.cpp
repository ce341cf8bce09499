// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <cmath>

namespace laconic::cli {

namespace {

template <class Value>
CommandOption add_number(Command& command, const std::string& name, Value& value, bool zero_too,
                         const std::string& help) {
  const auto parse = [=, &value](const std::string& text) {
    double read = 0;
    if (!parse_number(text, read) || !std::isfinite(read) || read < 0 || (read == 0 && !zero_too))
      throw not_valid(name, text, zero_too ? "numbers from 0 on" : "numbers above 0");
    value = read;
  };
  return command.add_option_function(name, parse, help).type_name("X");
}

}  // namespace

CommandOption add_real(Command& command, const std::string& name, double& value, bool zero_too,
                       const std::string& help) {
  return add_number(command, name, value, zero_too, help).default_str(fmt::format("{:g}", value));
}

CommandOption add_real(Command& command, const std::string& name, std::optional<double>& value, bool zero_too,
                       const std::string& help) {
  return add_number(command, name, value, zero_too, help);
}

}  // namespace laconic::cli
