// SPDX-License-Identifier: BSD-3-Clause
#include "codec/range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace laconic {
namespace {

// Independent minima and maxima, so that the compiler can keep them in vector registers.
constexpr std::size_t lanes = 32;

// The type in which numbers are compared.
template <class T>
using Compared = std::conditional_t<is_small_float<T>, float, T>;

// Finds the range of the numbers whose magnitude is at most `largest`.
template <class T>
requires(std::is_floating_point_v<T>) Range
    range_of(const T* x, std::size_t count, T largest = std::numeric_limits<T>::max()) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  T least[lanes];
  T greatest[lanes];
  std::fill_n(least, lanes, infinity);
  std::fill_n(greatest, lanes, -infinity);
  const auto take = [&](std::size_t lane, T v) {
    const bool counts = std::fabs(v) <= largest;  // NaN compares false
    const T low = counts ? v : infinity;
    const T high = counts ? v : -infinity;
    least[lane] = low < least[lane] ? low : least[lane];
    greatest[lane] = high > greatest[lane] ? high : greatest[lane];
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, x[i + lane]);
  for (; i < count; ++i) take(0, x[i]);
  const T low = *std::min_element(least, least + lanes);
  const T high = *std::max_element(greatest, greatest + lanes);
  // Adding 0 turns -0 into +0, so the result does not depend on which of the two came first.
  return {static_cast<double>(low) + 0.0, static_cast<double>(high) + 0.0};
}

// Integers are always finite; float16 and bfloat16 are compared after conversion to float.
template <class T>
requires(std::is_integral_v<T> || is_small_float<T>) Range
    range_of(const T* x, std::size_t count, Compared<T> largest = std::numeric_limits<Compared<T>>::max()) {
  if (count == 0) return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  if constexpr (std::is_integral_v<T>) {
    const auto [least, greatest] = std::minmax_element(x, x + count);
    return {static_cast<double>(*least), static_cast<double>(*greatest)};
  } else {
    Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    constexpr std::size_t piece = 1024;
    float wide[piece];
    for (std::size_t i = 0; i < count; i += piece) {
      const std::size_t n = std::min(piece, count - i);
      for (std::size_t j = 0; j < n; ++j) wide[j] = static_cast<float>(x[i + j]);
      const Range part = range_of(wide, n, largest);
      range = {std::min(range.least, part.least), std::max(range.greatest, part.greatest)};
    }
    return range;
  }
}

bool reaches(const Range& r, double magnitude) { return r.least <= -magnitude || r.greatest >= magnitude; }
bool beyond(const Range& r, double magnitude) { return r.least < -magnitude || r.greatest > magnitude; }

}  // namespace

void RangeWithoutFills::add(const void* numbers, std::size_t count, Dtype dtype) {
  const Range range = finite_range(numbers, count, dtype);
  all_ = united(all_, range);
  if (!reaches(range, least_fill) || is_integer(dtype)) {
    others_ = united(others_, range);
  } else if (fills_) {
    dispatch(FloatingTypes{}, dtype,
             [&](auto zero) { look_for_fills(static_cast<const decltype(zero)*>(numbers), count); });
  }
}

template <class T>
void RangeWithoutFills::look_for_fills(const T* x, std::size_t count) {
  // The largest number below least_fill.
  const auto fill = static_cast<Compared<T>>(least_fill);
  const auto below = static_cast<double>(fill) < least_fill ? fill : std::nextafter(fill, Compared<T>{0});
  const Range others = range_of(x, count, below);
  double last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto v = static_cast<double>(x[i]);
    if (!(std::fabs(v) >= least_fill) || !std::isfinite(v)) continue;
    ++large_;
    if (v == last) continue;
    last = v;
    if (std::find(values_, values_ + different_, v) != values_ + different_) continue;
    fills_ = fills_ && different_ < most_fills;
    if (fills_) values_[different_++] = v;
  }
  fills_ = fills_ && !beyond(others, most_beside_fills);
  others_ = united(others_, others);
}

Range RangeWithoutFills::range() const {
  const bool repeat = large_ == 1 || large_ >= 2 * different_;
  const bool others_are_small = others_.least >= -most_beside_fills && others_.greatest <= most_beside_fills;
  return fills_ && repeat && others_are_small ? others_ : all_;
}

Range finite_range(const void* numbers, std::size_t count, Dtype dtype) {
  return dispatch(AllTypes{}, dtype,
                  [&](auto zero) { return range_of(static_cast<const decltype(zero)*>(numbers), count); });
}

}  // namespace laconic
