// SPDX-License-Identifier: BSD-3-Clause
// Numbers without lattice points at random places of a field.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "codec/quant/mask.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::test {

// A mask of n bits in one of the shapes that matter: long runs, single bits, every second bit, random ones.
inline quant::Mask some_mask(Random& random, std::size_t n) {
  quant::Mask mask;
  mask.clear();
  const std::uint64_t shape = random.below(5);
  const std::uint64_t rarity = 1 + random.below(shape < 2 ? 700 : 20);
  bool set = random.below(2) != 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (shape < 2 ? random.below(rarity) == 0 : true) set = !set;
    if (shape == 0 || shape == 1 || shape == 2 ? set : random.below(rarity) == 0) mask.add(i);
  }
  if (shape == 4 && n > 0) mask.add(random.below(n));
  return mask;
}

// Numbers that have no point whatever the lattice: NaN and infinities, or fill values.
enum class Exceptions { one_nan, nans, infinities, payloads, fill, fills, wild };
inline constexpr Exceptions all_exceptions[] = {Exceptions::one_nan,  Exceptions::nans, Exceptions::infinities,
                                                Exceptions::payloads, Exceptions::fill, Exceptions::fills,
                                                Exceptions::wild};

constexpr bool finite(Exceptions e) { return e >= Exceptions::fill; }

template <class T>
T exception(Exceptions which, Random& random) {
  const T infinity = std::numeric_limits<T>::infinity();
  const T largest = std::numeric_limits<T>::max();
  switch (which) {
    case Exceptions::one_nan: return std::numeric_limits<T>::quiet_NaN();
    case Exceptions::nans:
      return random.below(2) ? -std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::quiet_NaN();
    case Exceptions::infinities: return random.below(5) == 0 ? -infinity : infinity;
    case Exceptions::payloads:
      return std::bit_cast<T>(static_cast<BitsOf<T>>(bits_of(infinity) | (1 + random.below(100))));
    case Exceptions::fill: return largest;
    case Exceptions::fills: return random.below(20) == 0 ? -largest : largest;
    case Exceptions::wild: return std::bit_cast<T>(static_cast<BitsOf<T>>(bits_of(largest) - random.below(50)));
  }
  return infinity;
}

template <class T>
struct Holed {
  std::vector<T> whole;
  std::vector<T> x;
  std::vector<bool> exceptions;
};

template <class T>
Holed<T> holed_field(Random& random, Kind kind, std::size_t count, Exceptions which, std::uint64_t seed, int rank = 0) {
  Holed<T> f{make_field<T>(kind, count, seed, rank), {}, std::vector<bool>(count)};
  for (T& v : f.whole)
    if (!std::isfinite(exactly(v)) || std::fabs(exactly(v)) > 1e4) v = T(1.0f);
  f.x = f.whole;
  for (std::size_t i = 0; i < count; i += quant::block_values) {
    const std::size_t n = std::min(quant::block_values, count - i);
    const quant::Mask mask = some_mask(random, n);
    for (std::size_t k = 0; k < n; ++k)
      if (mask.has(k)) {
        f.x[i + k] = exception<T>(which, random);
        f.exceptions[i + k] = true;
      }
  }
  return f;
}

}  // namespace laconic::test
