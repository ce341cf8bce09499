// SPDX-License-Identifier: BSD-3-Clause
// Runs one pair of arrays through every implementation of a codec, and checks all promises of the codec.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "codec/codec.hpp"

namespace laconic::sweep {

// A codec in all its implementations, the one that specifies the bytes first.
struct Family {
  struct Member {
    std::string isa;
    const Codec* codec;
  };
  std::string name;
  std::vector<Member> members;
};

const std::vector<Family>& families();

// The findings for one implementation on one set of data. All counters but the first three and the last three must
// stay 0.
struct Tally {
  std::uint64_t numbers = 0;       // decoded and compared
  std::uint64_t exact_sums = 0;    // numbers of sums that were compared with sums of integers
  std::uint64_t strict = 0;        // |x - x'| > bound; a fault only where `faults` counts it
  std::uint64_t beyond = 0;        // |x - x'| > bound + half a unit in the last place of x'
  std::uint64_t lost = 0;          // NaN or infinity not kept, or made of a finite number
  std::uint64_t sums = 0;          // sums, maxima and minima that are not what they should be
  std::uint64_t differing = 0;     // frames or numbers that differ from the first member's
  std::uint64_t outside = 0;       // calls that wrote outside of their output, or more than capacity()
  std::uint64_t allocating = 0;    // calls that allocated
  std::uint64_t failed = 0;        // calls that failed, or wrote an account of errors that is wrong
  std::uint64_t strict_fault = 0;  // the part of `strict` where the bound had to hold to the bit
  double worst = 0;                // largest error as a share of the bound
  std::uint64_t bytes = 0;         // bytes of the numbers, and of their frames
  std::uint64_t frame_bytes = 0;
  std::string first;  // the first fault in words

  std::uint64_t faults() const {
    return beyond + lost + sums + differing + outside + allocating + failed + strict_fault;
  }
  Tally& operator+=(const Tally& other);
};

// Whether the library accepts the greatest magnitude of the data, and then keeps bounds to the bit.
bool greatest_can_be_told();

// Types whose numbers codecs may change by up to a bound; all other types must come back to the bit.
template <class T>
inline constexpr bool is_rounded = std::is_floating_point_v<T>;

// X(T); for every type.
#define LACONIC_SWEEP_ALL_TYPES(X) \
  X(float);                        \
  X(double);                       \
  X(Float16);                      \
  X(Bfloat16);                     \
  X(std::int8_t);                  \
  X(std::uint8_t);                 \
  X(std::int16_t);                 \
  X(std::uint16_t);                \
  X(std::int32_t);                 \
  X(std::uint32_t);                \
  X(std::int64_t);                 \
  X(std::uint64_t)

// Encodes x and y, folds, adds and decodes; tallies[m] belongs to member m. `terms` and so on are those of coding;
// told: pass the greatest magnitude to the codec, where it accepts one.
template <class T>
void try_numbers(const Family& family, std::span<const T> x, std::span<const T> y, const Coding& coding, bool told,
                 std::vector<Tally>& tallies);

}  // namespace laconic::sweep
