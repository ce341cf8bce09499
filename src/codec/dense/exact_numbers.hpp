// SPDX-License-Identifier: BSD-3-Clause
// Numbers as points and bytes, without loss.  docs/wire-format.md specifies both ways of cutting a number.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/small_float.hpp"
#include "codec/dense/format.hpp"
#include "codec/lossless/block.hpp"
#include "codec/lossless/format.hpp"

namespace laconic::dense::exact {

// How the numbers of a segment become points.
struct Cut {
  unsigned shift = 0;      // low bits that are 0 in all numbers
  unsigned rest = 0;       // low bytes of an integer that are not part of its point
  std::uint64_t base = 0;  // subtracted from integers
};

// A segment of float64 numbers with few decimals is one of integers k, for k / 10^digits.  The first byte of its cut is
// this value and the digits.
inline constexpr unsigned decimal_cut = 128;
inline constexpr unsigned most_digits = 15;
inline constexpr std::size_t cut_bytes = 1 + 1 + 8;

template <class T>
struct Words {
  using Word = lossless::WordOf<T>;
  using Signed = std::make_signed_t<Word>;
  static constexpr bool floating = !std::is_integral_v<T>;
  static constexpr unsigned bits = 8 * sizeof(Word);
  // Only integers of 64 bits may need more than a point.
  static constexpr bool wide = sizeof(Word) > sizeof(std::int32_t);
  static constexpr unsigned exponent_bits = sizeof(T) == 8 ? 11 : std::is_same_v<T, Float16> ? 5 : 8;

  static Word magnitude(Word x) {
    return static_cast<Word>(x & static_cast<Word>(std::numeric_limits<Word>::max() >> 1));
  }
  static Word integer(Word x, const Cut& cut) { return lossless::to_ordered<floating>(x, static_cast<int>(cut.shift)); }

  static std::int32_t point(Word x, const Cut& cut) {
    const auto v = static_cast<Word>(integer(x, cut) - static_cast<Word>(cut.base));
    return static_cast<std::int32_t>(static_cast<Signed>(v) >> (8 * cut.rest));
  }
  static Word word(std::int32_t point, Word rest, const Cut& cut) {
    const auto high = static_cast<Word>(static_cast<Word>(static_cast<Signed>(point)) << (8 * cut.rest));
    const auto v = static_cast<Word>(static_cast<Word>(high | rest) + static_cast<Word>(cut.base));
    return lossless::from_ordered<floating>(v, static_cast<int>(cut.shift));
  }

  // The other way of cutting, for floating-point numbers: with the sign as the lowest bit, the high bits are the
  // exponent and a few more, and the low bytes are noise.
  static unsigned noise(const Cut& cut) {
    const unsigned used = bits - cut.shift;
    return floating && used > exponent_bits ? (used - exponent_bits) / 8 : 0;
  }
  static Word rotated(Word x, const Cut& cut) {
    return static_cast<Word>(static_cast<Word>(magnitude(x) >> cut.shift) << 1 | static_cast<Word>(x >> (bits - 1)));
  }
  static Word unrotated(Word u, const Cut& cut) {
    const auto m = magnitude(static_cast<Word>(static_cast<Word>(u >> 1) << cut.shift));
    return static_cast<Word>(m | static_cast<Word>(static_cast<Word>(u & 1) << (bits - 1)));
  }
};

template <class Word>
constexpr Word low_bytes(unsigned bytes) {  // a mask; less than all of a word
  return static_cast<Word>(static_cast<Word>(Word{1} << (8 * bytes)) - 1);
}

// The low bytes of words, one number after the other.  Up to sizeof(Word) bytes behind them are overwritten or read.
template <class Word>
std::byte* put_rests(const Word* words, std::size_t n, unsigned bytes, std::byte* at) {
  for (std::size_t i = 0; i < n; ++i, at += bytes) std::memcpy(at, words + i, sizeof(Word));
  return at;
}
template <class Word>
const std::byte* get_rests(const std::byte* at, std::size_t n, unsigned bytes, Word* words) {
  const Word mask = low_bytes<Word>(bytes);
  for (std::size_t i = 0; i < n; ++i, at += bytes) {
    std::memcpy(words + i, at, sizeof(Word));
    words[i] = static_cast<Word>(words[i] & mask);
  }
  return at;
}

// The integer of a decimal, and its inverse.  The quotient is rounded once, so k / 100 is what a program gets that
// reads or rounds to two decimals; k * 0.01 often is not.
inline constexpr double powers_of_ten[most_digits + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                          1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
inline double decimal(std::int64_t k, unsigned digits) { return static_cast<double>(k) / powers_of_ten[digits]; }
// Any k where x is none.
inline bool integer_of_decimal(double x, unsigned digits, std::int64_t& k) {
  constexpr double round = 0x1.8p52;  // rounds numbers up to 2^51 to integers when it is added
  const double y = x * powers_of_ten[digits] + round;
  k = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(y) - std::bit_cast<std::uint64_t>(round));
  return std::bit_cast<std::uint64_t>(decimal(k, digits)) == std::bit_cast<std::uint64_t>(x);
}

// The words of up to block_values numbers, which may lie at any address.
template <class T>
struct alignas(64) Block {
  typename Words<T>::Word words[block_values];
  std::size_t n;

  Block(const T* x, std::size_t count) : n(count) {
    std::memcpy(words, x, n * sizeof(T));
    std::fill(words + n, words + block_values, words[0]);
  }
};

// The cut of a segment of n numbers.  shifts: it may have a shift.
template <class T>
Cut cut_of(const T* x, std::size_t n, bool shifts = true) {
  using W = Words<T>;
  using Word = typename W::Word;
  Cut cut;
  Word any = 0;
  for (std::size_t i = 0; i < n; i += block_values) {
    const Block<T> block(x + i, std::min(block_values, n - i));
    for (const Word w : block.words) any = static_cast<Word>(any | w);
  }
  if (W::floating) any = W::magnitude(any);
  cut.shift = any == 0 || !shifts ? 0 : static_cast<unsigned>(std::countr_zero(any));
  if constexpr (W::wide) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < n; i += block_values) {
      const Block<T> block(x + i, std::min(block_values, n - i));
      for (const Word w : block.words) {
        const auto v = static_cast<std::int64_t>(W::integer(w, cut));
        least = std::min(least, v);
        greatest = std::max(greatest, v);
      }
    }
    constexpr std::int64_t of_point = std::numeric_limits<std::int32_t>::max();
    if (least >= -of_point - 1 && greatest <= of_point) return cut;
    const std::uint64_t range = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
    cut.rest = (std::max(32u, static_cast<unsigned>(std::bit_width(range))) - 32 + 7) / 8;
    cut.base = static_cast<std::uint64_t>(least) + (range >> 1) + (range & 1);
  }
  return cut;
}

// The fewest decimals that all numbers of a sample have, or none.  Where numbers have few bits, decimals are no
// shorter.
inline bool find_digits(const double* x, std::size_t n, unsigned& digits) {
  constexpr std::size_t sampled = 64;
  constexpr unsigned few_bits = 40;
  double sample[sampled];
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < sampled; ++i) {
    sample[i] = x[(n - 1) * i / (sampled - 1)];
    any |= std::bit_cast<std::uint64_t>(sample[i]) << 12;
  }
  const auto has = [&](unsigned d) {
    std::int64_t k;
    return std::all_of(sample, sample + sampled, [&](double v) { return integer_of_decimal(v, d, k); });
  };
  const unsigned first = any << few_bits == 0 ? most_digits + 1 : 1;
  for (unsigned d = has(0) ? 0 : first; d <= most_digits; ++d)
    if (has(d)) {
      digits = d;
      return true;
    }
  return false;
}

// The points of n <= block_values numbers.
template <class T>
void points_of(const T* x, std::size_t n, const Cut& cut, std::int32_t* q) {
  const Block<T> block(x, n);
  alignas(64) std::int32_t points[block_values];
  for (std::size_t i = 0; i < block_values; ++i) points[i] = Words<T>::point(block.words[i], cut);
  std::memcpy(q, points, n * sizeof *q);
}

}  // namespace laconic::dense::exact
