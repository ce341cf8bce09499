// SPDX-License-Identifier: BSD-3-Clause
// What programs of ranks need that may not know of Laconic: texts, checks and random numbers.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace ranks {

__attribute__((format(printf, 1, 2))) inline std::string text(const char* format, ...) {
  char buffer[2048];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

// CHECK(test, condition) and CHECK(test, condition, format, ...); the value is that of the condition.
#define CHECK(test, condition, ...)                                                                                 \
  ((condition)                                                                                                      \
       ? true                                                                                                       \
       : ((test).fail(__FILE__, __LINE__, std::string(#condition) __VA_OPT__(+" | " + ::ranks::text(__VA_ARGS__))), \
          false))

// For one round of many cases; the same numbers on every machine, unlike the standard's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 0x2545f4914f6cdd1dULL) {}
  std::uint64_t bits() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return bits() % n; }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::uint64_t state_;
};

inline std::uint64_t hash_of(const void* data, std::size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i < bytes; ++i) h = (h ^ p[i]) * 0x100000001b3ULL;
  return h ^ (h >> 29);
}

}  // namespace ranks
