// SPDX-License-Identifier: BSD-3-Clause
// A file that appears under its name when it is complete, or not at all; devices and pipes are written to directly.
#pragma once

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

namespace laconic::cli {

class OutputFile {
 public:
  explicit OutputFile(const std::string& name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(const std::string& text) { write(std::as_bytes(std::span(text))); }

  // Everything is written: replaces what bore the name before.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  std::string name_;
  std::string part_;  // written here, beside its final place, then renamed
  std::FILE* file_ = nullptr;
};

// Throws Failure where --json would replace something else than a list in JSON: a field, say.
void check_replaceable(const std::string& file);

}  // namespace laconic::cli
