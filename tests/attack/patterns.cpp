// SPDX-License-Identifier: BSD-3-Clause
#include "patterns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "ranks/support.hpp"

namespace attack {
namespace {

using ranks::Random;

double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum;
}

// The state of one pattern from number to number.
template <class T>
class Source {
  using Limits = std::numeric_limits<T>;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

 public:
  Source(Shape shape, Random& shared, Random& own) : shape_(shape), shared_(shared), own_(own) {
    begin(shape.pattern == Pattern::mixed ? Pattern::zeros : shape.pattern);
  }

  // Both generators advance equally on every rank, so that ranks stay in step.
  T next() {
    if (shape_.pattern == Pattern::mixed && left_-- == 0) {
      begin(static_cast<Pattern>(shared_.below(patterns - 1)));
      constexpr std::array<std::uint64_t, 6> runs{1, 7, 100, 512, 1024, 1500};
      left_ = runs[shared_.below(runs.size())];
    }
    const std::uint64_t common = shared_.bits();
    return draw(common);
  }

 private:
  void begin(Pattern pattern) {
    now_ = pattern;
    level_ = normal(pattern == Pattern::constant ? shared_ : own_);
    // Some walks are long compared with their steps, some are far from 0.
    if (own_.below(4) == 0) level_ *= 1000;
    pace_ = std::ldexp(1.0, -static_cast<int>(own_.below(12)));
  }

  T draw(std::uint64_t common) {
    switch (now_) {
      case Pattern::smooth: return static_cast<T>(level_ += normal(own_) * pace_);
      case Pattern::noise: return static_cast<T>(normal(own_));
      case Pattern::constant:
      case Pattern::own_constant: return static_cast<T>(level_);
      case Pattern::zeros: return own_.below(3) == 0 ? -T(0) : T(0);
      case Pattern::denormals: return signed_bits(own_.bits() & fraction_mask);
      case Pattern::nans: return own_.below(300) == 0 ? nan() : static_cast<T>(normal(own_));
      case Pattern::infinities:
        if (common % 300 == 0 && own_.below(2) == 0) return common & 512 ? Limits::infinity() : -Limits::infinity();
        return static_cast<T>(normal(own_));
      case Pattern::cancelling:
        if (common % 200 == 0) return own_.below(2) == 0 ? Limits::infinity() : -Limits::infinity();
        return static_cast<T>(normal(own_));
      case Pattern::huge_range: {
        const Bits exponent = static_cast<Bits>(own_.below(2 * Limits::max_exponent - 1)) << (Limits::digits - 1);
        return signed_bits(exponent | (own_.bits() & fraction_mask));
      }
      case Pattern::ties: return beside(static_cast<T>((static_cast<double>(own_.below(4001)) - 1999.5) * shape_.step));
      case Pattern::edges: return edge();
      case Pattern::extreme: return signed_bits(std::bit_cast<Bits>(Limits::max()) - own_.below(3));
      case Pattern::alternating: {
        turn_ = !turn_;
        return static_cast<T>((turn_ ? 1 : -1) * std::ldexp(1 + own_.uniform(), turn_ ? 0 : 20));
      }
      case Pattern::sparse: return own_.below(40) == 0 ? static_cast<T>(normal(own_) * 100) : T(0);
      case Pattern::bits: return std::bit_cast<T>(static_cast<Bits>(own_.bits()));
      case Pattern::whole: return static_cast<T>(static_cast<double>(own_.below(2001)) - 1000);
      case Pattern::addresses: return address();
      case Pattern::overflowing:
        return static_cast<T>(Limits::max() / static_cast<T>(shape_.ranks) * static_cast<T>(0.9 + own_.uniform() / 5));
      case Pattern::annihilating: return annihilate(common);
      case Pattern::near_bound: return static_cast<T>((own_.uniform() * 4 - 2) * shape_.bound);
      case Pattern::fills: return fill(common);
      case Pattern::mixed: break;
    }
    return T(0);
  }

  T signed_bits(std::uint64_t bits) {
    const T x = std::bit_cast<T>(static_cast<Bits>(bits));
    return own_.below(2) == 0 ? x : -x;
  }

  T nan() {
    const std::uint64_t quiet = std::uint64_t{1} << (Limits::digits - 2);
    return signed_bits(std::bit_cast<Bits>(Limits::infinity()) | quiet | (own_.bits() & fraction_mask));
  }

  // Land is in the same places of most ranks; some ranks have none, or another value for it.
  T fill(std::uint64_t common) {
    if (run_-- == 0) {
      land_ = common % 3 == 0 && own_.below(4) != 0;
      run_ = common >> 8 & (common & 4 ? 7 : 255);
    }
    level_ += normal(own_) * pace_;
    if (!land_) return static_cast<T>(level_);
    return shape_.rank % 4 == 1 ? Limits::quiet_NaN() : static_cast<T>(shape_.rank % 4 == 2 ? -1e20 : 9.96921e36);
  }

  T beside(T x) {
    const auto which = own_.below(3);
    if (which == 0) return x;
    return std::nextafter(x, which == 1 ? Limits::infinity() : -Limits::infinity());
  }

  T edge() {
    constexpr std::array<int, 8> edges{14, 15, 16, 23, 24, 30, 31, 32};
    double steps = std::ldexp(1.0, edges[own_.below(edges.size())]);
    if (own_.below(2) == 0) steps /= shape_.ranks;
    if (own_.below(2) == 0) steps *= 0.99 + own_.uniform() / 50;
    const double x = (steps + static_cast<double>(own_.below(5)) - 2) * shape_.step;
    return beside(static_cast<T>(own_.below(2) == 0 ? x : -x));
  }

  T address() {
    const auto which = own_.below(4);
    if (which == 0) return static_cast<T>(normal(own_));
    if (which == 1) return std::bit_cast<T>(static_cast<Bits>(own_.below(100000)));
    if (which == 2) return std::bit_cast<T>(static_cast<Bits>(0x00007f0000000000ULL + own_.below(1ULL << 36) * 8));
    return std::bit_cast<T>(static_cast<Bits>(0 - own_.below(1000)));
  }

  T annihilate(std::uint64_t common) {
    const double large = std::ldexp(1.0 + static_cast<double>(common >> 40) * 0x1p-24, static_cast<int>(common % 60));
    const bool odd_one = shape_.ranks % 2 == 1 && shape_.rank + 1 == shape_.ranks;
    const double sign = shape_.rank % 2 == 0 ? 1 : -1;
    return static_cast<T>((odd_one ? 0 : sign * large) + (own_.below(2) == 0 ? normal(own_) : 0));
  }

  static constexpr std::uint64_t fraction_mask = (std::uint64_t{1} << (Limits::digits - 1)) - 1;

  Shape shape_;
  Random& shared_;
  Random& own_;
  Pattern now_ = Pattern::zeros;
  double level_ = 0;
  double pace_ = 1;
  bool turn_ = false;
  bool land_ = false;
  std::uint64_t run_ = 0;  // numbers left of a run of land or sea
  std::uint64_t left_ = 0;
};

// Integers travel without loss, so what matters is how they compress, and that sums wrap around.
template <class T>
T draw_integer(Pattern pattern, std::size_t i, Random& own, T level) {
  switch (pattern) {
    case Pattern::constant:
    case Pattern::own_constant: return level;
    case Pattern::zeros: return T(0);
    case Pattern::sparse: return own.below(40) == 0 ? static_cast<T>(own.bits()) : T(0);
    case Pattern::smooth: return static_cast<T>(static_cast<std::uint64_t>(level) + i + own.below(3));
    case Pattern::noise:
    case Pattern::whole: return static_cast<T>(own.below(100));
    case Pattern::extreme:
    case Pattern::overflowing: return own.below(2) == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    case Pattern::mixed: return (i / 700) % 2 == 0 ? level : static_cast<T>(own.bits());
    default: return static_cast<T>(own.bits() >> own.below(64));
  }
}

}  // namespace

const char* name_of(Pattern pattern) {
  constexpr std::array<const char*, patterns> names{
      "smooth",     "noise",      "constant",    "own constant", "zeros",      "denormals",   "nans",   "infinities",
      "cancelling", "huge range", "ties",        "edges",        "extreme",    "alternating", "sparse", "bits",
      "whole",      "addresses",  "overflowing", "annihilating", "near bound", "fills",       "mixed"};
  return names[static_cast<std::size_t>(pattern)];
}

Bytes make_numbers(const Shape& shape, Number number, std::size_t count) {
  Bytes out(count * width_of(number));
  Random shared(shape.shared);
  Random own(shape.own + 0x9e3779b9ULL * static_cast<std::uint64_t>(shape.rank + 1));
  with_number(number, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      Source<T> source(shape, shared, own);
      for (std::size_t i = 0; i < count; ++i) store<T>(out.data(), i, source.next());
    } else {
      const auto level = static_cast<T>((shape.pattern == Pattern::constant ? shared : own).bits());
      for (std::size_t i = 0; i < count; ++i) store<T>(out.data(), i, draw_integer<T>(shape.pattern, i, own, level));
    }
  });
  return out;
}

}  // namespace attack
