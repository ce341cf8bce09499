// SPDX-License-Identifier: BSD-3-Clause
// A file that appears under its name only when it is complete; devices and pipes are written to directly.
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

  // Called after the last write: replaces the previous file of this name.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  std::string name_;
  std::string part_;  // temporary name beside the final one, renamed by commit()
  std::FILE* file_ = nullptr;
};

// Throws Failure if --json would replace a file that is not a JSON list, for example a field.
void check_replaceable(const std::string& file);

}  // namespace laconic::cli
