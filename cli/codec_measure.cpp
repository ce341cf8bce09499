// SPDX-License-Identifier: BSD-3-Clause
#include "codec_measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <vector>

#include "codec/quant/scaled.hpp"
#include "codec/resolve_bound.hpp"
#include "codec_speed.hpp"
#include "coded_field.hpp"

namespace laconic::cli {
namespace {

// The largest error from rounding a number to x in its type; for results in float64 it is taken to be 0.
double half_unit(float x) {
  const float size = std::min(std::fabs(x), std::nextafter(std::numeric_limits<float>::max(), 0.0F));
  return 0.5 * (static_cast<double>(std::nextafter(size, INFINITY)) - static_cast<double>(size));
}
long double half_unit(double) { return 0; }
template <class T>
double half_unit(T x) {
  if constexpr (std::is_integral_v<T>) {
    return 0.5;
  } else {
    const auto size = static_cast<std::uint16_t>(std::min<int>(x.bits() & ~T::sign_bit, T::infinity_bits - 2));
    const auto next = static_cast<std::uint16_t>(size + 1);
    return 0.5 * (static_cast<double>(T::of_bits(next)) - static_cast<double>(T::of_bits(size)));
  }
}

// The largest absolute error that the promise allows for number i.
template <class T, class Wide>
class Allowed {
 public:
  Allowed(const T* exact, std::size_t count, const Promise& promise)
      : exact_(exact), count_(count), promise_(promise) {}

  Wide at(std::size_t i) {
    if (promise_.relative == 0) return static_cast<Wide>(promise_.error);
    if (i == next_) begin_block();
    return error_;
  }

 private:
  void begin_block() {
    const std::size_t chunk = promise_.chunk == 0 ? count_ : promise_.chunk;
    const std::size_t end = std::min({next_ + quant::scaled::values, (next_ / chunk + 1) * chunk, count_});
    // Numbers that are not finite have no range.  With a bound by the root mean square, their block is not rounded.
    const long double scale = promise_.scale == BlockScale::range ? range_of(next_, end) : rms_of(next_, end);
    error_ = std::isfinite(scale) ? static_cast<Wide>(promise_.relative * scale) : 0;
    next_ = end;
  }

  long double rms_of(std::size_t begin, std::size_t end) const {
    long double squares = 0;
    for (std::size_t i = begin; i < end; ++i)
      squares += static_cast<long double>(exact_[i]) * static_cast<long double>(exact_[i]);
    return std::sqrt(squares / static_cast<long double>(end - begin));
  }

  // Without the number whose absence makes it smallest, and without fill values.
  long double range_of(std::size_t begin, std::size_t end) const {
    std::vector<T> finite;
    std::copy_if(exact_ + begin, exact_ + end, std::back_inserter(finite),
                 [](T v) { return std::isfinite(static_cast<long double>(v)); });
    const std::size_t n = finite.size();
    if (n < 2) return 0;
    std::vector<long double> sorted(n);
    std::transform(finite.begin(), finite.end(), sorted.begin(), [](T v) { return static_cast<long double>(v); });
    std::sort(sorted.begin(), sorted.end());
    const Range others = range_without_fills(finite.data(), n, dtype_of<T>);
    const long double width = static_cast<long double>(others.greatest) - static_cast<long double>(others.least);
    return std::max(0.0L, std::min({sorted[n - 1] - sorted[1], sorted[n - 2] - sorted[0], width}));
  }

  const T* exact_;
  std::size_t count_;
  const Promise& promise_;
  std::size_t next_ = 0;
  Wide error_ = 0;
};

template <class T>
Errors compare_as(const T* exact, const T* got, std::size_t count, const Range& range, const Promise& promise) {
  // Differences must be exact, since the promise is checked to the last bit.
  using Wide = std::conditional_t<sizeof(T) == 8, long double, double>;
  const Wide width = static_cast<Wide>(range.greatest) - static_cast<Wide>(range.least);
  Errors errors;
  Wide largest = 0;
  Wide squares = 0;
  std::size_t finite = 0;
  Allowed<T, Wide> allowed(exact, count, promise);
  for (std::size_t i = 0; i < count; ++i) {
    // The comparison is of bits: NaN has many bit patterns, and zero has two.
    const bool same_bits =
        std::memcmp(static_cast<const void*>(exact + i), static_cast<const void*>(got + i), sizeof(T)) == 0;
    bool kept = same_bits;
    bool excused = false;
    const Wide error = allowed.at(i);
    const auto x = static_cast<Wide>(exact[i]);
    const auto y = static_cast<Wide>(got[i]);
    if (std::isfinite(x)) {
      const Wide difference = std::isfinite(y) ? std::fabs(x - y) : INFINITY;
      largest = std::max(largest, difference);
      squares += difference * difference;
      ++finite;
      if (promise.kind == Promise::Kind::error) {
        kept = difference <= error;
        excused = error > 0 && difference <= error + half_unit(got[i]);
      }
    } else if (promise.kind == Promise::Kind::error) {
      kept = x == y || (std::isnan(x) && std::isnan(y));
    }
    if (kept || promise.kind == Promise::Kind::nothing) continue;
    ++errors.violations;
    if (!excused) ++errors.beyond_rounding;
  }
  errors.max_error = static_cast<double>(largest);
  if (squares > 0) {
    const Wide nrmse = std::sqrt(squares / static_cast<Wide>(finite)) / width;
    errors.nrmse = static_cast<double>(nrmse);
    errors.psnr = static_cast<double>(-20 * std::log10(nrmse));
  }
  return errors;
}

}  // namespace

double Measurement::ratio(Dtype dtype) const {
  return bytes == 0 ? unknown : static_cast<double>(count * size_of(dtype)) / static_cast<double>(bytes);
}

bool offers(const Codec& codec, const Bound& bound) { return codec.supports_bound(bound.mode); }

Status resolve(const Bound& bound, const Range& range, Dtype dtype, Coding& coding, Promise& promise) {
  const Coding asked = coding_for(bound, dtype);
  coding.dtype = dtype;
  coding.rate = asked.rate;
  coding.relative = asked.relative;
  coding.scale = asked.scale;
  coding.allowance = absolute_bound(bound, range);
  if (!std::isfinite(coding.allowance)) return {Code::argument, "the range is too large for " + to_string(bound)};
  // The command knows its numbers, so the bound covers their last rounding, too.
  coding.greatest = coding.allowance > 0 ? greatest_magnitude(range) : 0;
  promise = {};
  if (bound.mode == BoundMode::lossless) promise.kind = Promise::Kind::bits;
  if (bound.mode == BoundMode::rate) promise.kind = Promise::Kind::nothing;
  promise.relative = asked.relative;
  promise.scale = asked.scale;
  promise.error = coding.allowance;
  return {};
}

Errors compare(const void* exact, const void* got, std::size_t count, Dtype dtype, const Range& range,
               const Promise& promise) {
  return dispatch(AllTypes{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    return compare_as(static_cast<const T*>(exact), static_cast<const T*>(got), count, range, promise);
  });
}

Measurement measure(const Codec& codec, const AskedBound& asked, const Field& field, const Range& range,
                    const Setup& setup) {
  Measurement m;
  m.codec = codec.name();
  m.bound = asked.text;
  m.count = field.count;
  if (!offers(codec, asked.bound)) {
    m.status = {Code::argument, "the codec has no such mode"};
    return m;
  }
  if (!codec.supports(field.dtype)) {
    m.status = not_supported(codec, field.dtype);
    return m;
  }
  Coding coding;
  Promise promise;
  if (m.status = resolve(asked.bound, range, field.dtype, coding, promise); !m.status) return m;
  m.allowance = coding.allowance;
  promise.chunk = setup.chunk;

  const View all{field.numbers.data(), field.count, field.dtype, setup.chunk};
  Memory got(all.bytes());
  {
    CodedField coded;
    if (m.status = coded.encode(codec, coding, all); !m.status) return m;
    if (m.status = coded.decode(codec, coding, got); !m.status) return m;
    m.bytes = coded.bytes();
  }
  m.errors = compare(field.numbers.data(), got.data(), field.count, field.dtype, range, promise);
  if (setup.repeat > 0 && field.count > 0) m.status = measure_speed(codec, coding, field, setup, m);
  return m;
}

}  // namespace laconic::cli
