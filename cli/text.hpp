// SPDX-License-Identifier: BSD-3-Clause
// Tables for people, JSON for programs, and numbers with units as people write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace laconic::cli {

using Cells = std::vector<std::string>;

// In columns: the first `left` flush left, the others flush right.
std::string aligned(const std::vector<Cells>& rows, std::size_t left);

// A text or a number as JSON has it; what is not finite is null.
std::string json_text(std::string_view text);
std::string json_number(double value);

class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) { return raw(name, json_text(value)); }
  JsonObject& number(std::string_view name, double value) { return raw(name, json_number(value)); }
  JsonObject& whole(std::string_view name, unsigned long long value) { return raw(name, std::to_string(value)); }
  JsonObject& truth(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  JsonObject& raw(std::string_view name, std::string_view value);  // JSON already
  std::string take() const { return members_.empty() ? "{}" : members_ + "}"; }

 private:
  std::string members_;
};

// One object a line.
std::string json_list(const std::vector<std::string>& objects);

// "64K", "16M", "2G" or bytes.  Throws Failure, which names the option.
std::size_t parse_bytes(std::string_view option, std::string_view text);

// "1gbit", "100mbit", "none" (0): bits per second.
double parse_rate(std::string_view option, std::string_view text);

// "16 MiB", "1000 B".
std::string bytes_text(double bytes);

// "1.23 ms", with the unit that suits.
std::string seconds_text(double seconds);

}  // namespace laconic::cli
