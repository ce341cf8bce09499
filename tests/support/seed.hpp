// SPDX-License-Identifier: BSD-3-Clause
// How much, and from which seed, random tests try.
//
// The seed of random tests: LACONIC_TEST_SEED, or a fixed one, so that a failure seen once is seen again.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace laconic::test {

inline std::uint64_t base_seed() {
  if (const char* text = std::getenv("LACONIC_TEST_SEED")) return std::strtoull(text, nullptr, 0);
  return 20240607;
}

// ThreadSanitizer makes everything ten times slower, and what it looks for does not depend on the numbers.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool slow_build = true;
#else
inline constexpr bool slow_build = false;
#endif

// Any sanitizer makes everything several times slower.  Tests that do the same again and again, for the sake of the
// numbers, do it less often then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// What holds for every number of ranks is tried with 1 to so many of them.
inline constexpr int most_ranks = sanitized ? 33 : 65;

inline std::string seed_note() { return "LACONIC_TEST_SEED=" + std::to_string(base_seed()); }

}  // namespace laconic::test
