// SPDX-License-Identifier: BSD-3-Clause
// Tables for users, JSON for programs, and numbers with units.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace laconic::cli {

using Cells = std::vector<std::string>;

// Aligns rows in columns: the first `left` columns flush left, the others flush right.
std::string aligned(const std::vector<Cells>& rows, std::size_t left);

// A text or a number in JSON; a number that is not finite becomes null.
std::string json_text(std::string_view text);
std::string json_number(double value);

class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) { return raw(name, json_text(value)); }
  JsonObject& number(std::string_view name, double value) { return raw(name, json_number(value)); }
  JsonObject& whole(std::string_view name, unsigned long long value) { return raw(name, std::to_string(value)); }
  JsonObject& truth(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  JsonObject& raw(std::string_view name, std::string_view value);  // `value` is JSON already
  std::string take() const { return members_.empty() ? "{}" : members_ + "}"; }

 private:
  std::string members_;
};

// A JSON list with one object per line.
std::string json_list(const std::vector<std::string>& objects);

// Parses "64K", "16M", "2G" or a number of bytes.  Throws Failure, which names the option.
std::size_t parse_bytes(std::string_view option, std::string_view text);

// Parses "1gbit", "100mbit" or "none" (0) to bits per second.
double parse_rate(std::string_view option, std::string_view text);

// A size as text: "16 MiB", "1000 B".
std::string bytes_text(double bytes);

// A time as text with a suitable unit: "1.23 ms".
std::string seconds_text(double seconds);

}  // namespace laconic::cli
