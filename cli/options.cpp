// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <cmath>

namespace laconic::cli {

CommandOption add_real(Command& command, const std::string& name, double& value, bool zero_too,
                       const std::string& help) {
  const auto parse = [=, &value](const std::string& text) {
    double read = 0;
    if (!parse_number(text, read) || !std::isfinite(read) || read < 0 || (read == 0 && !zero_too))
      throw not_valid(name, text, zero_too ? "numbers from 0 on" : "numbers above 0");
    value = read;
  };
  return command.add_option_function(name, parse, help).default_str(fmt::format("{:g}", value)).type_name("X");
}

}  // namespace laconic::cli
