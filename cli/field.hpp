// SPDX-License-Identifier: BSD-3-Clause
// Fields: files of numbers without a header, in the machine's byte order.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.hpp"

namespace laconic::cli {

// A block of memory that begins on a cache line, as in numeric libraries.
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t bytes);
  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  std::span<std::byte> span() { return {data(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_ = 0;
};

struct Field {
  std::string file;
  Dtype dtype = Dtype::f32;
  std::size_t count = 0;
  Memory numbers;
};

// The name of a dtype: "f32", "bf16", ...
Dtype parse_dtype(const std::string& text);

// The files and the kinds of made numbers (made_field.hpp) that the arguments name. A folder stands for its *.f32,
// *.f64, *.bf16, ..., or for those of one dtype.
std::vector<std::string> find_fields(const std::vector<std::string>& arguments, std::optional<Dtype> dtype);

// Reads the first `most` numbers of a file, all if 0, or makes as many. Without a dtype, the file's name decides:
// *.f64, *.i32, ..., else float32.
Field read_field(const std::string& file, std::optional<Dtype> dtype, std::size_t most);

}  // namespace laconic::cli
