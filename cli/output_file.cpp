// SPDX-License-Identifier: BSD-3-Clause
#include "output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "failure.hpp"

namespace laconic::cli {

namespace fs = std::filesystem;

OutputFile::OutputFile(const std::string& name) : name_(name) {
  std::error_code error;
  const auto status = fs::status(name, error);
  if (fs::is_directory(status)) fail(EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    // A device or a pipe has no old contents to preserve, and a file cannot replace it.
    file_ = std::fopen(name.c_str(), "wb");
    if (file_ == nullptr) fail(errno);
    return;
  }
  // A link stays a link: its target is replaced.
  if (const auto target = fs::canonical(name, error); !error) name_ = target.string();
  part_ = fmt::format("{}.part{}", name_, ::getpid());
  file_ = std::fopen(part_.c_str(), "wbx");
  if (file_ == nullptr) fail(errno);
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  std::error_code ignored;
  if (!part_.empty()) fs::remove(part_, ignored);
}

void OutputFile::fail(int error) const {
  throw Failure(fmt::format("{}: {}", name_, std::generic_category().message(error)));
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(errno);
}

void OutputFile::commit() {
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0) fail(errno);
  if (part_.empty()) return;
  std::error_code error;
  fs::rename(part_, name_, error);
  if (error) fail(error.value());
  part_.clear();
}

void check_replaceable(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return;  // a new file, or an error that is reported when it is opened
  std::ifstream in(file, std::ios::binary);
  const int first = in.get();
  if (in && first != '[') throw usage(fmt::format("--json {}: the file exists and is not a JSON list", file));
}

}  // namespace laconic::cli
