#include "codec/range.hpp"

#include <algorithm>
#include <limits>

namespace laconic {
namespace {

// Independent minima and maxima, so that the compiler can keep them in vector registers.
constexpr std::size_t lanes = 32;

template <class T>
Range range_of(const T* x, std::size_t count) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr T largest = std::numeric_limits<T>::max();
  T least[lanes];
  T greatest[lanes];
  std::fill_n(least, lanes, infinity);
  std::fill_n(greatest, lanes, -infinity);
  const auto take = [&](std::size_t lane, T v) {
    const T low = v >= -largest ? v : infinity;  // NaN compares false
    const T high = v <= largest ? v : -infinity;
    least[lane] = low < least[lane] ? low : least[lane];
    greatest[lane] = high > greatest[lane] ? high : greatest[lane];
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, x[i + lane]);
  for (; i < count; ++i) take(0, x[i]);
  const T low = *std::min_element(least, least + lanes);
  const T high = *std::max_element(greatest, greatest + lanes);
  return {static_cast<double>(low), static_cast<double>(high)};
}

}  // namespace

Range finite_range(const void* numbers, std::size_t count, Dtype dtype) {
  return dispatch(dtype, [&](auto zero) { return range_of(static_cast<const decltype(zero)*>(numbers), count); });
}

}  // namespace laconic
