// Arrays in raw little-endian files.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace stacking {

static_assert(std::endian::native == std::endian::little);

template <class T>
std::vector<T> read_array(const std::string& path, std::size_t count) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    throw std::runtime_error("cannot open " + path + ": " + std::strerror(errno));
  }
  const auto bytes = static_cast<std::size_t>(file.tellg());
  if (bytes != count * sizeof(T)) {
    throw std::runtime_error(path + " has " + std::to_string(bytes) + " bytes, expected " +
                             std::to_string(count * sizeof(T)) + ": is it of another grid?");
  }
  std::vector<T> values(count);
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(bytes))) {
    throw std::runtime_error("cannot read " + path);
  }
  return values;
}

template <class T>
void write_array(const std::string& path, const T* values, std::size_t count) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
  file.close();
  if (!file) {
    throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
  }
}

}  // namespace stacking
