// SPDX-License-Identifier: BSD-3-Clause
#include "field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>

#include "failure.hpp"
#include "made_field.hpp"

namespace laconic::cli {

namespace fs = std::filesystem;

Memory::Memory(std::size_t bytes) : size_(bytes) {
  constexpr std::size_t line = 64;
  if (bytes > SIZE_MAX - line) throw std::bad_alloc();
  bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(line, std::max(line, (bytes + line - 1) / line * line))));
  if (!bytes_) throw std::bad_alloc();
}

namespace {

std::optional<Dtype> dtype_named(std::string_view text) {
  for (const Dtype dtype : all_dtypes)
    if (text == name_of(dtype)) return dtype;
  return std::nullopt;
}

// The part of the name after the dot: "f64" for "field.f64".
std::optional<Dtype> dtype_of_file(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending.empty() ? std::nullopt : dtype_named(std::string_view(ending).substr(1));
}

std::string dtype_names(std::string_view before) {
  std::string names;
  for (const Dtype dtype : all_dtypes)
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", before, name_of(dtype));
  return names;
}

}  // namespace

Dtype parse_dtype(const std::string& text) {
  if (const auto dtype = dtype_named(text)) return *dtype;
  throw usage(fmt::format("dtype '{}' is not valid; valid are {}", text, dtype_names("")));
}

std::vector<std::string> find_fields(const std::vector<std::string>& arguments, std::optional<Dtype> dtype) {
  std::vector<std::string> files;
  for (const auto& argument : arguments) {
    std::error_code error;
    if (is_kind(argument) || !fs::is_directory(argument, error)) {
      files.push_back(argument);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(argument, error)) {
      const auto named = dtype_of_file(entry.path());
      if (named && dtype.value_or(*named) == *named) found.push_back(entry.path().string());
    }
    if (error) throw Failure(fmt::format("{}: {}", argument, error.message()));
    if (found.empty())
      throw Failure(fmt::format("{}: the folder has no file {}", argument,
                                dtype ? fmt::format("*.{}", name_of(*dtype)) : dtype_names("*.")));
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

Field read_field(const std::string& file, std::optional<Dtype> dtype, std::size_t most) {
  if (is_kind(file)) return make_field(file, dtype, most);
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  if (error) throw Failure(fmt::format("{}: {}", file, error.message()));
  Field field{file, dtype.value_or(dtype_of_file(file).value_or(Dtype::f32)), 0, {}};
  const std::size_t size = size_of(field.dtype);
  if (bytes % size != 0)
    throw Failure(fmt::format("{}: {} bytes are not a whole number of {}", file, bytes, name_of(field.dtype)));
  field.count = bytes / size;
  if (most > 0) field.count = std::min(field.count, most);
  field.numbers = Memory(field.count * size);
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(field.numbers.data()), static_cast<std::streamsize>(field.numbers.size()));
  if (!in) throw Failure(fmt::format("{}: cannot be read", file));
  return field;
}

}  // namespace laconic::cli
