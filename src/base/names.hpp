// SPDX-License-Identifier: BSD-3-Clause
// Codecs, efforts, algorithms and targets as the public API numbers and spells them.  comm checks that laconic.h has
// the same numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace laconic {

enum class CodecName : std::uint8_t { unset = 0, quant = 1, raw = 2, szx = 3, zfp = 4, lossless = 5, dense = 6 };

// The work for smaller frames on the lattice: light is the codec quant, dense the codec dense.  automatic: the ranks
// choose by the time of a call.
enum class Effort : std::uint8_t { unset = 0, automatic = 1, light = 2, dense = 3 };

enum class AlgorithmName : std::uint8_t {
  unset = 0,
  automatic = 1,
  plain = 2,
  ring = 3,
  recursive_doubling = 4,
  direct = 5,
  recursive_halving = 6,
  binomial = 7,
  chain = 8,
  bruck = 9,
  pairwise = 10,
  hierarchical = 11,
};

// The numbers that a bound applies to.  likely: most results, if the errors of single encodes are independent.
enum class BoundTarget : std::uint8_t { unset = 0, result = 1, input = 2, likely = 3 };

// The spelling of each number.
template <class Name>
inline constexpr std::array<std::string_view, 0> spellings{};
template <>
inline constexpr std::array<std::string_view, 7> spellings<CodecName>{"",    "quant",    "raw",  "szx",
                                                                      "zfp", "lossless", "dense"};
template <>
inline constexpr std::array<std::string_view, 4> spellings<Effort>{"", "auto", "light", "dense"};
template <>
inline constexpr std::array<std::string_view, 12> spellings<AlgorithmName>{
    "",         "auto",  "plain", "ring",     "recursive-doubling", "direct", "recursive-halving",
    "binomial", "chain", "bruck", "pairwise", "hierarchical"};

template <>
inline constexpr std::array<std::string_view, 4> spellings<BoundTarget>{"", "result", "input", "likely"};

template <class Name>
constexpr std::string_view text_of(Name name) {
  return spellings<Name>[static_cast<std::size_t>(name)];
}

}  // namespace laconic
