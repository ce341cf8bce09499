// SPDX-License-Identifier: BSD-3-Clause
// Results as a JSON list of objects, each written at once, so that an interrupted benchmark leaves a complete list.
#pragma once

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

namespace laconic::bench {

class Row {
 public:
  explicit Row(std::string_view what) { text("what", what); }

  Row& text(std::string_view name, std::string_view value) {
    std::string quoted = "\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return raw(name, quoted + "\"");
  }
  Row& number(std::string_view name, double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.12g", value);
    return raw(name, std::isfinite(value) ? digits : "null");
  }
  Row& truth(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }

  std::string take() const { return "{" + members_ + "}"; }

 private:
  Row& raw(std::string_view name, const std::string& value) {
    members_ += (members_.empty() ? "\"" : ", \"") + std::string(name) + "\": " + value;
    return *this;
  }
  std::string members_;
};

class Rows {
 public:
  explicit Rows(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {
    if (file_ == nullptr) throw std::runtime_error("cannot write " + path);
    std::fputs("[", file_);
  }
  ~Rows() {
    std::fputs("\n]\n", file_);
    std::fclose(file_);
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  void add(const Row& row) {
    std::fprintf(file_, "%s\n%s", count_++ == 0 ? "" : ",", row.take().c_str());
    std::fflush(file_);
  }
  // Adds the row of a result that differs from the host's.
  void add_wrong(const Row& row) {
    add(row);
    if (++wrong_ <= most_wrong) std::fprintf(stderr, "WRONG: %s\n", row.take().c_str());
  }
  int count() const { return count_; }
  int wrong() const { return wrong_; }

 private:
  static constexpr int most_wrong = 5;  // wrong rows printed immediately; the others are only in the file

  std::FILE* file_;
  int count_ = 0;
  int wrong_ = 0;
};

}  // namespace laconic::bench
