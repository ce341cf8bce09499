// SPDX-License-Identifier: BSD-3-Clause
// Source locations for messages, the visibility of functions that programs linked with the shared library call, and
// random numbers.
#pragma once

#include <cstring>
#include <source_location>
#include <string>

#define LACONIC_EMULATOR_API __attribute__((visibility("default")))

namespace laconic::emulator {

using Where = std::source_location;

inline bool same(const Where& a, const Where& b) {
  return a.line() == b.line() && (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

inline std::string text(const Where& where) {
  const char* name = std::strrchr(where.file_name(), '/');
  return std::string(name != nullptr ? name + 1 : where.file_name()) + ":" + std::to_string(where.line());
}

// Pseudorandom numbers: the same sequence for the same seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) { next(), next(); }
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  std::uint32_t below(std::size_t end) { return static_cast<std::uint32_t>(std::uint64_t{next()} * end >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace laconic::emulator
