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

inline std::string seed_note() { return "LACONIC_TEST_SEED=" + std::to_string(base_seed()); }

}  // namespace laconic::test
