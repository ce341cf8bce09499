// SPDX-License-Identifier: BSD-3-Clause
// The amount of work in random tests, and their seed.
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

// ThreadSanitizer makes everything ten times slower, and the races that it finds do not depend on the numbers.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool slow_build = true;
#else
inline constexpr bool slow_build = false;
#endif

// Any sanitizer makes everything several times slower. Tests that only repeat with other numbers then repeat less
// often.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// Tests with many similar cases run one in so many of them: a prime, so that all combinations of short lists appear.
inline constexpr std::uint64_t one_in = sanitized ? 7 : 1;

// Properties that hold for every number of ranks are tested with 1 to this many ranks.
inline constexpr int most_ranks = sanitized ? 17 : 65;

inline std::string seed_note() { return "LACONIC_TEST_SEED=" + std::to_string(base_seed()); }

}  // namespace laconic::test
