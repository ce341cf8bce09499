// SPDX-License-Identifier: BSD-3-Clause
// The encoder of one block.  SZx (Yu et al., HPDC 2022) as C-Coll uses it.  A block whose numbers all lie within the
// bound of the middle of their range is stored as that middle.  Any other block stores each number minus the middle,
// without the bits that the bound does not need and without the leading bytes that a number shares with the one before.
// Loops run over whole blocks, lane by lane, so that compilers vectorise them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "codec/szx/block.hpp"
#include "codec/szx/layout.hpp"

namespace laconic::szx {
namespace {

constexpr std::size_t lanes = 16;

template <class T>
struct Extent {
  bool finite = false;
  T least = 0;
  T greatest = 0;
};

template <class T>
Extent<T> survey(const T* x) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  std::array<Bits, lanes> overflow{};
  std::array<T, lanes> least;
  std::array<T, lanes> greatest;
  std::copy_n(x, lanes, least.data());
  std::copy_n(x, lanes, greatest.data());
  for (std::size_t i = 0; i < block_values; i += lanes)
    for (std::size_t j = 0; j < lanes; ++j) {
      const T v = x[i + j];
      // The largest exponent, that of NaN and infinity, overflows into the sign when one is added.
      overflow[j] |= (std::bit_cast<Bits>(v) & ~F::sign) + F::exponent_step;
      least[j] = v < least[j] ? v : least[j];
      greatest[j] = v > greatest[j] ? v : greatest[j];
    }
  Extent<T> e{true, least[0], greatest[0]};
  for (std::size_t j = 0; j < lanes; ++j) {
    e.finite = e.finite && (overflow[j] & F::sign) == 0;
    e.least = std::min(e.least, least[j]);
    e.greatest = std::max(e.greatest, greatest[j]);
  }
  return e;
}

template <class T>
T middle_of(const Extent<T>& e) {
  if (e.least == e.greatest) return e.least;
  const T sum = e.least + e.greatest;
  return std::isfinite(sum) ? sum / 2 : e.least / 2 + e.greatest / 2;
}

// The distance of two numbers of T, rounded to double.  Rounding is monotonic: if the rounded distance is below a
// double, so is the exact one.  If it is equal, the exact one may be above; so the bound is tested with "less", never
// with "not greater".
template <class T>
double distance(T a, T b) {
  return std::fabs(static_cast<double>(a) - static_cast<double>(b));
}

// The exponent e with 2^e <= |x| < 2^(e+1); numbers below the smallest normal one share its exponent.
template <class T>
int exponent_of(T x) {
  using F = Format<T>;
  const auto biased = static_cast<int>((std::bit_cast<typename F::Bits>(x) & ~F::sign) >> F::fraction);
  return std::max(biased, 1) - F::bias;
}

// The largest distance of x from its decoded value when `length` bits of v = x - middle are kept.
template <class T>
double worst_of(const T* x, const T* v, T middle, int length) {
  using Bits = typename Format<T>::Bits;
  const Bits kept = ~Bits{0} << (Format<T>::bits - length);
  std::array<double, lanes> worst{};
  for (std::size_t i = 0; i < block_values; i += lanes)
    for (std::size_t j = 0; j < lanes; ++j) {
      const T back = std::bit_cast<T>(std::bit_cast<Bits>(v[i + j]) & kept) + middle;
      const double d = distance(x[i + j], back);
      worst[j] = d > worst[j] ? d : worst[j];
    }
  return *std::max_element(worst.begin(), worst.end());
}

// The numbers minus the middle, and the number of their bits that keeps the error within the allowance.
template <class T>
struct Truncation {
  T middle;
  T v[block_values];
  int length = 0;  // 0: no truncation keeps the allowance
  bool rounded = false;

  void find(const T* x, const Extent<T>& e, T around, double allowance) {
    using F = Format<T>;
    middle = around;
    const T radius = std::max(e.greatest - middle, middle - e.least);
    if (!std::isfinite(radius)) return;
    for (std::size_t i = 0; i < block_values; ++i) v[i] = x[i] - middle;
    // Cutting v after m bits of fraction removes less than 2^(exponent of radius - m).
    const int needed = F::head + std::max(exponent_of(radius) - exponent_of(allowance), 0);
    // The subtraction here and the addition in the decoder also round, by little.  When that error was too large,
    // keeping one more bit makes up for it.
    for (int more = 0; more < 2 && needed + more < F::bits; ++more) {
      const double worst = worst_of(x, v, middle, needed + more);
      if (!(worst < allowance)) continue;
      length = needed + more;
      rounded = worst > 0;
      return;
    }
  }
};

// The size of a block by its leading counts, and the words of the block.
template <class T>
struct Body {
  using Bits = typename Format<T>::Bits;
  Bits word[block_values];
  Bits leading[block_values];
  std::size_t middle_bytes = 0;

  void cut(const Truncation<T>& t, std::size_t n) {
    const int drop = Format<T>::bits - t.length;
    for (std::size_t i = 0; i < block_values; ++i) word[i] = std::bit_cast<Bits>(t.v[i]) >> drop;
    const int bytes = bytes_for(t.length);
    // A difference below limit k has k + 1 leading bytes of zeros.
    const Bits limit0 = Bits{1} << (8 * (bytes - 1));
    const Bits limit1 = Bits{1} << (8 * (bytes - 2));
    const Bits limit2 = bytes > 2 ? Bits{1} << (8 * (bytes - 3)) : 0;
    const auto count = [&](Bits difference) {
      return static_cast<Bits>(Bits{difference < limit0} + Bits{difference < limit1} + Bits{difference < limit2});
    };
    leading[0] = count(word[0]);
    for (std::size_t i = 1; i < block_values; ++i) leading[i] = count(word[i] ^ word[i - 1]);
    Bits shared = 0;
    for (std::size_t i = 0; i < n; ++i) shared += leading[i];
    middle_bytes = n * static_cast<std::size_t>(bytes) - static_cast<std::size_t>(shared);
  }
};

template <class T>
std::size_t put(T value, std::byte* out) {
  std::memcpy(out, &value, sizeof value);
  return sizeof value;
}

template <class T>
std::size_t write_truncated(const Truncation<T>& t, const Body<T>& body, std::size_t n, std::byte* out) {
  std::byte* at = out;
  *at++ = static_cast<std::byte>(t.length);
  at += put(t.middle, at);
  const auto* l = body.leading;
  for (std::size_t i = 0; i < n; i += 4) {
    unsigned codes = 0;
    for (std::size_t j = 0; j < std::min<std::size_t>(4, n - i); ++j)
      codes |= static_cast<unsigned>(l[i + j]) << (2 * j);
    *at++ = static_cast<std::byte>(codes);
  }
  const auto bytes = static_cast<std::size_t>(bytes_for(t.length));
  for (std::size_t i = 0; i < n; ++i) {
    put(body.word[i], at);  // little-endian: the bytes that count come first, the next word overwrites the rest
    at += bytes - static_cast<std::size_t>(l[i]);
  }
  return static_cast<std::size_t>(at - out);
}

// Writes numbers uncompressed, where no other form keeps the allowance or takes fewer bytes.
template <class T>
Written write_raw(const T* x, std::size_t n, std::byte* out) {
  *out = static_cast<std::byte>(Format<T>::bits);
  std::memcpy(out + 1, x, n * sizeof(T));
  return {1 + n * sizeof(T), false, false};
}

}  // namespace

template <class T>
Written write_block(const T* numbers, std::size_t n, double allowance, std::byte* out) {
  T padded[block_values];
  const T* x = numbers;
  if (n < block_values) {
    std::copy_n(numbers, n, padded);
    std::fill(padded + n, padded + block_values, numbers[n - 1]);
    x = padded;
  }
  const std::size_t raw_bytes = 1 + n * sizeof(T);
  const Extent<T> extent = allowance > 0 ? survey(x) : Extent<T>{};
  if (extent.finite) {
    const T middle = middle_of(extent);
    if (distance(extent.least, middle) < allowance && distance(extent.greatest, middle) < allowance)
      return {put(middle, out), true, extent.least != extent.greatest};
    Truncation<T> truncation;
    truncation.find(x, extent, middle, allowance);
    if (truncation.length != 0) {
      Body<T> body;
      body.cut(truncation, n);
      const std::size_t bytes = 1 + sizeof(T) + leading_bytes(n) + body.middle_bytes;
      if (bytes < raw_bytes) return {write_truncated(truncation, body, n, out), false, truncation.rounded};
    }
  }
  // If the bytes equal themselves shifted by one number, all numbers equal the first one, also NaN and infinity.
  const auto* as_bytes = reinterpret_cast<const std::byte*>(x);
  if (std::memcmp(as_bytes, as_bytes + sizeof(T), (block_values - 1) * sizeof(T)) == 0)
    return {put(x[0], out), true, false};
  return write_raw(numbers, n, out);
}

template Written write_block(const float*, std::size_t, double, std::byte*);
template Written write_block(const double*, std::size_t, double, std::byte*);

}  // namespace laconic::szx
