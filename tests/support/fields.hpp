// SPDX-License-Identifier: BSD-3-Clause
// Arrays of numbers to test with: well-behaved, awkward and hostile.  The same arguments give the same bits
// on every machine (integer arithmetic only, no libm), so frames made from them can be pinned.  Needs no test
// framework.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/seed.hpp"

namespace laconic::test {

enum class Kind {
  normal,         // mean 0, variance 1
  sparse,         // nine of ten are 0
  constant,       // one number everywhere, another on every rank
  zero,           // +0 everywhere
  ramp,           // straight lines
  walk,           // a random walk: neighbours are close
  real,           // one of the fields of data/ (a wave when the field is not to be had)
  denormal,       // smaller than the smallest normal number of the type
  huge_range,     // 1e-30 .. 1e30 (float), 1e-300 .. 1e300 (double), both signs
  special,        // normal, with NaN and infinities here and there
  ties,           // half-way between multiples of 2^-9
  random_bits,    // any bit pattern: NaN with payloads, denormals, everything
  extreme,        // plus and minus the largest finite number, and their neighbours
  negative_zero,  // -0 and a few others
  outliers,       // normal, with one large number in some thousand
  integers,       // normal, with whole numbers and addresses in the bits of some: denormal, or NaN with a payload
  land,           // a walk, with runs of a fill value, or of NaN, on two ranks of three
};

struct NamedKind {
  Kind kind;
  std::string_view name;
  friend std::ostream& operator<<(std::ostream& out, const NamedKind& k) { return out << k.name; }
};

inline constexpr std::array<NamedKind, 17> all_kinds{{
    {Kind::normal, "normal"},
    {Kind::sparse, "sparse"},
    {Kind::constant, "constant"},
    {Kind::zero, "zero"},
    {Kind::ramp, "ramp"},
    {Kind::walk, "walk"},
    {Kind::real, "real"},
    {Kind::denormal, "denormal"},
    {Kind::huge_range, "huge_range"},
    {Kind::special, "special"},
    {Kind::ties, "ties"},
    {Kind::random_bits, "random_bits"},
    {Kind::extreme, "extreme"},
    {Kind::negative_zero, "negative_zero"},
    {Kind::outliers, "outliers"},
    {Kind::integers, "integers"},
    {Kind::land, "land"},
}};

inline std::string name_of(Kind kind) {
  for (const NamedKind& k : all_kinds)
    if (k.kind == kind) return std::string(k.name);
  return "?";
}

// splitmix64 (Steele, Lea and Flood, 2014): any seed will do.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // 0 .. n-1
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : bits() % n; }
  // 0 <= x < 1, a multiple of 2^-24: exact in float.
  double unit() { return static_cast<double>(bits() >> 40) * 0x1p-24; }
  // Sum of twelve uniform numbers minus its mean: near enough to the normal distribution, and exact.
  double normal() {
    std::int64_t sum = 0;
    for (int i = 0; i < 3; ++i)
      for (std::uint64_t b = bits(), k = 0; k < 4; ++k, b >>= 16) sum += static_cast<std::int64_t>(b & 0xffff);
    // The extra 24 low bits make sums of such numbers round.
    return static_cast<double>(sum - 6 * 0xffff) * 0x1p-16 + unit() * 0x1p-16;
  }

 private:
  std::uint64_t state_;
};

// Whether a test that takes one in `of` of many similar cases skips one; with sanitizers it takes fewer (one_in).
inline bool left_out(Random& random, std::uint64_t of = 1) { return random.below(of * one_in) != 0; }

namespace detail {

inline std::string data_folder() {
  if (const char* folder = std::getenv("LACONIC_TEST_DATA")) return folder;
#ifdef LACONIC_TEST_DATA_DIR
  return LACONIC_TEST_DATA_DIR;
#else
  return "data";
#endif
}

// All numbers of a field of data/, read once; empty when the field is not available.
inline const std::vector<float>& real_field(std::size_t which) {
  static const std::array<std::vector<float>, 5> fields = [] {
    constexpr std::array<std::string_view, 5> names{"les_wmag_91x91x91", "pcm_TREFHT_110x64x128",
                                                    "fwi_shots_10x1000x40", "cesm_fv_PRECT_10x192x288",
                                                    "gradients_resnet_524288"};
    std::array<std::vector<float>, 5> read;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string path = data_folder() + "/" + std::string(names[i]) + ".f32";
      std::FILE* file = std::fopen(path.c_str(), "rb");
      if (file == nullptr) continue;
      std::fseek(file, 0, SEEK_END);
      read[i].resize(static_cast<std::size_t>(std::ftell(file)) / sizeof(float));
      std::rewind(file);
      if (std::fread(read[i].data(), sizeof(float), read[i].size(), file) != read[i].size()) read[i].clear();
      std::fclose(file);
    }
    return read;
  }();
  return fields[which % fields.size()];
}

// 2^e without libm, in the normal range of double.
inline double power_of_two(int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); }

}  // namespace detail

inline bool have_real_fields() { return !detail::real_field(0).empty(); }

namespace detail {

// Whether number i of a field is an integer by its bits: some blocks of 1024 hold no integers.
inline bool holds_integer(std::size_t i, Random& random) { return (i / 1500) % 3 != 2 && random.below(8) == 0; }

// The bit pattern of a number that in fact stores a counter, an address, or a small negative integer.
template <class T>
T integer_in_bits(Random& random) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  constexpr int fraction = std::numeric_limits<T>::digits - 1;
  const std::uint64_t counter = 1 + random.below(std::uint64_t{1} << (fraction < 20 ? fraction - 1 : 20));
  const std::uint64_t address = random.bits() >> (64 - fraction);
  const std::uint64_t which = random.below(3);
  return std::bit_cast<T>(static_cast<Bits>(which == 0 ? counter : which == 1 ? address : 0 - (counter >> 2) - 1));
}

template <class T>
std::vector<T> make_wide_field(Kind kind, std::size_t count, std::uint64_t seed, int rank) {
  using Limits = std::numeric_limits<T>;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Random random(seed * 0x100000001b3ULL + static_cast<std::uint64_t>(rank) * 0x9e3779b9ULL +
                static_cast<std::uint64_t>(kind));
  std::vector<T> x(count);
  double level = random.normal();
  const std::size_t start = static_cast<std::size_t>(random.below(100000));
  for (std::size_t i = 0; i < count; ++i) {
    T& v = x[i];
    switch (kind) {
      case Kind::normal: v = static_cast<T>(random.normal()); break;
      case Kind::sparse: v = random.below(10) == 0 ? static_cast<T>(random.normal()) : T(0); break;
      case Kind::constant: v = static_cast<T>(level); break;
      case Kind::zero: v = T(0); break;
      case Kind::ramp: v = static_cast<T>(level + static_cast<double>(i % 3000) * 0x1p-8); break;
      case Kind::walk: v = static_cast<T>(level += random.normal() * 0x1p-6); break;
      case Kind::real: {
        const std::vector<float>& field = real_field(static_cast<std::size_t>(seed));
        const double phase = static_cast<double>((start + i) % 1000) * 0x1p-9 - 1;
        v = field.empty() ? static_cast<T>(phase * (1 - phase * phase))
                          : static_cast<T>(field[(start + i) % field.size()]);
        break;
      }
      case Kind::denormal: {
        const Bits fraction = static_cast<Bits>(random.bits()) & ((Bits(1) << (Limits::digits - 1)) - 1);
        v = std::bit_cast<T>(fraction);
        if (random.below(2) != 0) v = -v;
        break;
      }
      case Kind::huge_range: {
        const int reach = sizeof(T) == 4 ? 99 : 996;  // 2^99 = 6e29, 2^996 = 7e299
        const int exponent = static_cast<int>(random.below(2 * static_cast<std::uint64_t>(reach) + 1)) - reach;
        const double magnitude = (1 + random.unit()) * power_of_two(exponent);
        v = static_cast<T>(random.below(2) != 0 ? -magnitude : magnitude);
        break;
      }
      case Kind::special: {
        v = static_cast<T>(random.normal());
        // Some blocks of 1024 hold no such numbers, others hold a few.
        if ((i / 1500) % 3 != 2 && random.below(200) == 0) {
          constexpr std::array<T, 4> specials{Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
                                              Limits::denorm_min()};
          v = specials[static_cast<std::size_t>(random.below(4))];
        }
        break;
      }
      case Kind::ties: v = static_cast<T>((static_cast<double>(random.below(2001)) - 1000 + 0.5) * 0x1p-9); break;
      case Kind::random_bits: v = std::bit_cast<T>(static_cast<Bits>(random.bits())); break;
      case Kind::extreme: {
        const T largest = std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(Limits::max()) - random.below(3)));
        v = random.below(2) != 0 ? -largest : largest;
        break;
      }
      case Kind::negative_zero: v = random.below(50) == 0 ? static_cast<T>(random.normal()) : -T(0); break;
      case Kind::outliers: v = static_cast<T>(random.normal() * (random.below(3000) == 0 ? 1e6 : 1.0)); break;
      case Kind::land: {
        v = static_cast<T>(level += random.normal() * 0x1p-6);
        const bool is_land = i % 1000 < 300 || i % 4000 > 2500 || i % 97 == 0;
        if (is_land && rank % 3 != 2) v = rank % 3 == 0 ? static_cast<T>(9.96921e36) : Limits::quiet_NaN();
        break;
      }
      case Kind::integers:
        v = holds_integer(i, random) ? integer_in_bits<T>(random) : static_cast<T>(random.normal());
        break;
    }
  }
  return x;
}

// For types other than float and double (integers, and Float16 and Bfloat16 of src/base): the same shapes, scaled to
// the range of the type, and its own bit patterns.
template <class T>
std::vector<T> make_other_field(Kind kind, std::size_t count, std::uint64_t seed, int rank) {
  using Limits = std::numeric_limits<T>;
  Random random(seed * 0x100000001b3ULL + static_cast<std::uint64_t>(rank) * 0x9e3779b9ULL +
                static_cast<std::uint64_t>(kind));
  const std::vector<double> shape = make_wide_field<double>(kind, count, seed, rank);
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (kind == Kind::random_bits) {
      const std::uint64_t bits = random.bits();
      std::memcpy(static_cast<void*>(&x[i]), &bits, sizeof(T));
    } else if (kind == Kind::extreme) {
      x[i] = random.below(2) != 0 ? Limits::max() : Limits::lowest();
    } else if (kind == Kind::integers && !std::is_integral_v<T>) {
      if constexpr (!std::is_integral_v<T>)
        x[i] = holds_integer(i, random) ? integer_in_bits<T>(random) : T(random.normal());
    } else if constexpr (std::is_integral_v<T>) {
      constexpr double most = static_cast<double>(Limits::max() / 2);
      const double scale = power_of_two(sizeof(T) == 1 ? 3 : 4 * static_cast<int>(sizeof(T)));
      const double v = (shape[i] + (std::is_signed_v<T> ? 0 : 4)) * scale;  // NaN becomes the least number
      x[i] = v > most ? Limits::max() : v > static_cast<double>(Limits::min()) ? static_cast<T>(v) : Limits::min();
    } else {
      x[i] = T(kind == Kind::denormal ? shape[i] * power_of_two(1000) * power_of_two(1022 - 1000 - (T::bias - 1))
                                      : shape[i]);
    }
  }
  return x;
}

}  // namespace detail

template <class T>
std::vector<T> make_field(Kind kind, std::size_t count, std::uint64_t seed, int rank = 0) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return detail::make_wide_field<T>(kind, count, seed, rank);
  else
    return detail::make_other_field<T>(kind, count, seed, rank);
}

}  // namespace laconic::test
