// SPDX-License-Identifier: BSD-3-Clause
#include "data.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "trial.hpp"

namespace laconic::sweep {
namespace {

using test::Random;
using test::detail::power_of_two;

constexpr std::size_t part_values = 100003;  // of a field: not a multiple of blocks or words

// Mostly sums, as the library uses codecs; what is coded for MAX and MIN holds one contribution.
Coding coding_of(std::uint64_t turn, double allowance) {
  constexpr std::array<std::uint32_t, 4> some_terms{2, 3, 64, 65536};
  Coding coding;
  coding.allowance = allowance;
  coding.op = turn % 8 == 3 ? Op::max : turn % 8 == 6 ? Op::min : Op::sum;
  coding.terms = coding.op == Op::sum ? some_terms[turn / 2 % some_terms.size()] : 1;
  return coding;
}

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  template <class T>
  void take(std::span<const T> x) {
    for (const T v : x)
      if (std::isfinite(static_cast<double>(v))) {
        least = std::min(least, static_cast<double>(v));
        greatest = std::max(greatest, static_cast<double>(v));
      }
  }
  double width() const { return greatest > least ? greatest - least : 0; }
  double magnitude() const { return greatest >= least ? std::max(std::fabs(least), std::fabs(greatest)) : 0; }
};

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Calls use(part) for each part of the file in turn.
template <class F>
bool read_parts(const std::string& path, F&& use) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) return false;
  std::vector<float> part(part_values);
  while (const std::size_t n = std::fread(part.data(), sizeof(float), part.size(), file.get()))
    if (!use(std::span<const float>(part).first(n))) break;
  return std::ferror(file.get()) == 0;
}

// Bounds from below the resolution of the numbers to above their range; then the ends of the exponent range.
template <class T>
std::vector<double> bounds_for(std::span<const T> x, bool quick) {
  if constexpr (!is_rounded<T>) return {0};
  Range range;
  range.take(x);
  const double width = range.width() > 0 ? range.width() : 1;
  const double ulp = std::max(range.magnitude(), 0x1p-1000) * power_of_two(1 - std::numeric_limits<T>::digits);
  std::vector<double> bounds{0, ulp / 3, width * 1e-6, width * 1e-4, width * 1e-2, 2 * width};
  if (!quick)
    for (const double more :
         {std::numeric_limits<double>::denorm_min(), 1e-310, 1e-42, 0x1p-126, ulp / 2, ulp, 3 * ulp, width * 1e-5,
          width * 1e-3, width * 1e-1, width / 2, width, 0x1p126, 3e38, 1e300, std::numeric_limits<double>::max()})
      bounds.push_back(more);
  for (double& bound : bounds) bound = std::min(bound, std::numeric_limits<double>::max());
  return bounds;
}

template <class T>
void try_rounded_patterns(const Extent& extent, const Try<T>& attempt) {
  using Bits = test::BitsOf<T>;
  constexpr int fraction = std::numeric_limits<T>::digits - 1;
  constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
  constexpr int lowest = sizeof(T) == 4 ? -160 : -1040;
  constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
  Random random(extent.seed);
  std::vector<T> numbers[2];
  for (std::uint64_t tried = 0; tried < extent.patterns;) {
    const std::size_t count = 1 + static_cast<std::size_t>(random.below(1 << 17));
    const int exponent = lowest + static_cast<int>(random.below(static_cast<std::uint64_t>(bias - lowest)));
    const double allowance = std::ldexp(1 + random.unit(), exponent);
    Coding coding = coding_of(random.bits() >> 8, allowance);
    // From this exponent down to 0, bits represent numbers that the lattice can hold.
    const int top = exponent + static_cast<int>(random.below(32)) - std::bit_width(coding.terms);
    const bool anything = random.below(4) == 0;
    const auto most = static_cast<Bits>(std::clamp(top + bias, 1, 2 * bias));
    for (std::vector<T>& x : numbers) {
      x.resize(count);
      for (T& v : x) {
        auto bits = static_cast<Bits>(random.bits());
        if (!anything) {
          // Exponents that differ little, so that large lattice points are as frequent as small ones.
          const Bits down = std::min<Bits>(most, (bits >> fraction) & 15);
          bits = (bits & sign) | (bits & ((Bits{1} << fraction) - 1)) | (most - down) << fraction;
        }
        v = std::bit_cast<T>(bits);
      }
    }
    attempt(numbers[0], numbers[1], coding, random.below(2) == 0);
    tried += count;
  }
}

template <class T>
void try_exact_patterns(const Extent& extent, const Try<T>& attempt) {
  using Bits = test::BitsOf<T>;
  Random random(extent.seed);
  std::vector<T> numbers[2];
  for (std::uint64_t tried = 0; tried < extent.patterns / 10;) {
    const std::size_t count = 1 + static_cast<std::size_t>(random.below(1 << 15));
    std::uint64_t length = 64;
    for (std::vector<T>& x : numbers) {
      x.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        if (i % 64 == 0) length = random.below(3) == 0 ? 64 : random.below(65);
        const std::uint64_t bits = length == 0 ? 0 : random.bits() >> (64 - length);
        x[i] = std::bit_cast<T>(static_cast<Bits>(random.below(8) == 0 ? ~bits : bits));
      }
    }
    attempt(numbers[0], numbers[1], coding_of(random.bits() >> 8, 0), false);
    tried += count;
  }
}

}  // namespace

std::vector<std::string> fields_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == ".f32") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

bool try_field(const std::string& path, const Extent& extent, const Try<float>& attempt) {
  Range range;
  const auto look = [&](std::span<const float> part) {
    range.take(part);
    return true;
  };
  if (!read_parts(path, look)) return false;
  std::uint64_t turn = extent.seed;
  std::vector<float> other;
  std::size_t parts = 0;
  return read_parts(path, [&](std::span<const float> part) {
    // The other contribution has the same values at other places.
    other.assign(part.rbegin(), part.rend());
    for (const double share : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
      const Coding coding = coding_of(turn++, share * range.width());
      attempt(part, other, coding, turn % 2 == 0);
    }
    return !(extent.quick && ++parts == 2);
  });
}

std::size_t kinds() { return test::all_kinds.size(); }
std::string name_of_kind(std::size_t which) { return std::string(test::all_kinds[which].name); }

template <class T>
void try_kind(std::size_t which, const Extent& extent, const Try<T>& attempt) {
  const test::Kind kind = test::all_kinds[which].kind;
  std::vector<std::size_t> counts{0, 1, 2, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097};
  if (extent.quick) counts = {0, 1, 2, 33, 129, 4097};
  std::uint64_t turn = extent.seed;
  for (const std::size_t count : counts) {
    const auto x = test::make_field<T>(kind, count, extent.seed + count, 0);
    const auto y = test::make_field<T>(kind, count, extent.seed + count, 1);
    const auto bounds = bounds_for<T>(x, extent.quick);
    for (const double bound : bounds) {
      const Coding coding = coding_of(turn++, bound);
      attempt(x, y, coding, turn % 2 == 0);
    }
  }
  if (extent.quick || !is_rounded<T>) return;
  const auto x = test::make_field<T>(kind, 1000007, extent.seed, 0);
  const auto y = test::make_field<T>(kind, 1000007, extent.seed, 1);
  Range range;
  range.take<T>(x);
  for (const double share : {1e-2, 1e-4, 1e-6})
    attempt(x, y, coding_of(turn++, share * (range.width() > 0 ? std::min(range.width(), 1e300) : 1)), share < 1e-3);
}

template <class T>
void try_patterns(const Extent& extent, const Try<T>& attempt) {
  if constexpr (is_rounded<T>)
    try_rounded_patterns(extent, attempt);
  else
    try_exact_patterns(extent, attempt);
}

template <class T>
void try_edges(const Extent& extent, const Try<T>& attempt) {
  Random random(extent.seed + 1);
  const int rounds = extent.quick ? 100 : 3000;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  for (int round = 0; round < rounds; ++round) {
    // Steps near the smallest and the largest normal float32 number, and others.
    constexpr std::array<int, 5> near{-126, 126, -149, -30, 0};
    const int exponent = random.below(2) == 0 ? near[random.below(near.size())] + static_cast<int>(random.below(5)) - 3
                                              : static_cast<int>(random.below(300)) - 150;
    Coding coding = coding_of(random.bits() >> 8, std::ldexp(1 + random.unit(), exponent));
    const double step = 2 * coding.allowance;  // approximately
    std::array<std::vector<T>, 2> numbers;
    for (std::vector<T>& x : numbers) {
      for (int i = 0; i < 700; ++i) {
        constexpr std::array<int, 9> edges{0, 14, 15, 16, 22, 23, 24, 25, 31};
        const double edge = power_of_two(edges[random.below(edges.size())]) / (i % 3 == 0 ? coding.terms : 1);
        const double steps = edge * (random.below(2) == 0 ? 1 : 0.99 + 0.02 * random.unit()) +
                             (static_cast<double>(random.below(9)) - 4) / 2;
        const auto v = static_cast<T>((random.below(2) == 0 ? -steps : steps) * step);
        for (const T w : {v, std::nextafter(v, T(0)), std::nextafter(v, infinity)}) x.push_back(w);
      }
      // Numbers out of range are exceptions, so most numbers must fit.
      const double reach = 2147483000.0 / coding.terms * step;
      if (round % 4 != 0)
        for (T& v : x)
          if (!(std::fabs(static_cast<double>(v)) < reach)) v = static_cast<T>(reach * random.unit());
    }
    attempt(numbers[0], numbers[1], coding, round % 2 == 0);
  }
}

#define LACONIC_INSTANTIATE(T)                                       \
  template void try_kind(std::size_t, const Extent&, const Try<T>&); \
  template void try_patterns(const Extent&, const Try<T>&)
LACONIC_SWEEP_ALL_TYPES(LACONIC_INSTANTIATE);
template void try_edges(const Extent&, const Try<float>&);
template void try_edges(const Extent&, const Try<double>&);

}  // namespace laconic::sweep
