// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary numbers with arbitrary allowances through every codec: the bound holds, numbers that are not finite come
// back unchanged, every implementation writes the same bytes, and sums are the expected ones.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "codec/quant/format.hpp"
#include "support.hpp"
#include "support/exact.hpp"

namespace laconic::fuzz {
namespace {

using test::bits_of;
using test::half_ulp;

constexpr std::size_t most_numbers = 5300;  // more than one chunk of every codec

template <class T>
struct Case {
  Coding coding;
  std::size_t count = 0;
  Bytes a;
  Bytes b;
};

template <class T>
std::vector<T> values(const Bytes& bytes) {
  std::vector<T> x(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(x.data(), bytes.data(), x.size() * sizeof(T));
  return x;
}

// The numbers repeat one of three patterns: bit patterns of the input, a few steps of about the allowance (near ties),
// or as many steps as `reach` bits hold (near the limits of lattices and fast paths). `turn` varies the repeats.
template <class T>
Bytes make_numbers(const Bytes& pool, std::size_t count, int style, double unit, int reach, unsigned turn) {
  Bytes bytes(count * sizeof(T));
  const std::size_t whole = std::max<std::size_t>(pool.size() / sizeof(T), 1);
  for (std::size_t i = 0; i < count; ++i) {
    T x{};
    const std::size_t at = (i * (turn + 1) + turn) % whole * sizeof(T);
    if (at < pool.size()) std::memcpy(&x, pool.data() + at, std::min(sizeof(T), pool.size() - at));
    if (style != 0) {
      const auto bits = bits_of(x);
      const double share = static_cast<double>(static_cast<std::int16_t>(bits)) * 0x1p-15;  // -1..1
      const double near = std::ldexp(share, 7) + static_cast<double>(i / whole) * 0.25;
      const double far = std::ldexp(share, reach - static_cast<int>(bits >> 16 & 3)) + static_cast<double>(i / whole);
      x = static_cast<T>((style == 1 ? near : far) * unit);
    }
    std::memcpy(bytes.data() + i * sizeof(T), &x, sizeof(T));
  }
  return bytes;
}

template <class T>
Case<T> read_case(Input& input, std::uint8_t how) {
  Case<T> c;
  c.coding.dtype = sizeof(T) == 4 ? Dtype::f32 : Dtype::f64;
  c.coding.op = static_cast<Op>(how >> 1 & 1 ? how >> 2 & 1 ? 1 : 2 : 0);
  c.coding.divisor = (how & 8) != 0 ? 3 : 1;
  const auto terms = input.take<std::uint16_t>();
  c.coding.terms = std::max<std::uint32_t>(2, terms & 0x100 ? terms : terms & 0xff);
  const auto exponent = input.take<std::int16_t>();
  const auto fraction = input.take<std::uint16_t>();
  c.coding.allowance = (how & 16) != 0 ? 0 : std::ldexp(1 + fraction * 0x1p-16, exponent % 1074);
  // Mostly few numbers: most faults show with few, and many more inputs are tried.
  c.count = input.take<std::uint16_t>() % ((terms & 0x200) != 0 ? most_numbers : 150);
  const Bytes pool = input.rest();
  const int style = how >> 5 & 3;
  c.a = make_numbers<T>(pool, c.count, style, c.coding.allowance, fraction & 31, 0);
  c.b = make_numbers<T>(pool, c.count, (how & 128) != 0 ? 0 : style, c.coding.allowance, fraction & 31, 1);
  return c;
}

// |x - back| <= error plus one rounding of the type, or the same bits where x is not finite.
template <class T>
void check_encoded(const Family& family, const Case<T>& c, const Bytes& numbers, const Outcome& frame) {
  require(frame.ok, family.name, "encode failed: " + frame.message);
  const double error = header_of(frame.bytes).error;
  require(error <= c.coding.allowance, family.name, "more error than was allowed");
  Coding plain = c.coding;
  plain.divisor = 1;
  const Outcome decoded =
      agreed(family, "decode", [&](const Codec& k) { return decode(k, frame.bytes, c.count, plain); });
  require(decoded.ok, family.name, "what was encoded cannot be decoded: " + decoded.message);
  const std::vector<T> x = values<T>(numbers);
  const std::vector<T> back = values<T>(decoded.bytes);
  for (std::size_t i = 0; i < c.count; ++i) {
    if (bits_of(x[i]) == bits_of(back[i])) continue;
    require(std::isfinite(x[i]), family.name, "NaN or infinity came back as something else");
    require(std::isfinite(back[i]), family.name, "a finite number came back as none");
    require(c.coding.allowance > 0, family.name, "numbers changed without an allowance");
    const long double rounding = sizeof(T) == 4 ? half_ulp(back[i]) : 0;
    const long double off = std::fabs(static_cast<long double>(x[i]) - static_cast<long double>(back[i]));
    require(off <= static_cast<long double>(error) + rounding, family.name, "the bound was broken");
  }
}

// Whether all blocks of a quant frame are on the lattice.
bool all_on_lattice(const Bytes& frame, std::size_t count) {
  quant::Reader reader(frame, count, true, sizeof(float));
  for (std::size_t i = 0; i < count; i += quant::block_values) {
    quant::Packed in;
    if (!reader.next(std::min(quant::block_values, count - i), in) || !quant::on_lattice(quant::kind_of(in.entry)))
      return false;
  }
  return true;
}

// Checks a result of a op b: within the error that its header states, plus the roundings of the type.
template <class T>
void check_sum(const Family& family, const Case<T>& c, const Outcome& sum) {
  require(sum.ok, family.name, "frames of one operation were not added: " + sum.message);
  const long double error = header_of(sum.bytes).error;
  const Outcome decoded =
      agreed(family, "decode of a sum", [&](const Codec& k) { return decode(k, sum.bytes, c.count, c.coding); });
  require(decoded.ok, family.name, "a sum cannot be decoded: " + decoded.message);
  const std::vector<T> a = values<T>(c.a);
  const std::vector<T> b = values<T>(c.b);
  const std::vector<T> back = values<T>(decoded.bytes);
  constexpr long double largest = std::numeric_limits<T>::max();
  const long double divisor = c.coding.divisor;
  for (std::size_t i = 0; i < c.count; ++i) {
    const auto exact = test::reduce_exactly(c.coding.op, 2, [&](int r) { return r == 0 ? a[i] : b[i]; });
    if (exact.nan) {
      require(back[i] != back[i], family.name, "a NaN was lost");
    } else if (exact.infinite != 0) {
      require(std::isinf(back[i]) && std::signbit(back[i]) == (exact.infinite < 0), family.name,
              "an infinity was lost");
    } else if (std::isfinite(a[i]) && std::isfinite(b[i]) && exact.magnitude + error < largest / 4) {
      // Four roundings, each at most half a unit of the largest magnitude: two numbers, their sum, and its quotient.
      const long double rounding = 4 * half_ulp(static_cast<T>(exact.magnitude + error));
      const long double off = std::fabs(static_cast<long double>(back[i]) - exact.value / divisor);
      require(off <= error / divisor + rounding, family.name, "the bound of a sum was broken");
    }
  }
}

template <class T>
void run(const Family& family, const Case<T>& c) {
  const auto each = [&](std::string_view what, auto&& f) { return agreed(family, what, f); };
  const Outcome fa = each("encode", [&](const Codec& k) { return encode(k, c.a, c.count, c.coding); });
  const Outcome fb = each("encode", [&](const Codec& k) { return encode(k, c.b, c.count, c.coding); });
  check_encoded(family, c, c.a, fa);
  check_encoded(family, c, c.b, fb);
  const Outcome sum = each("add", [&](const Codec& k) { return add(k, fa.bytes, fb.bytes, c.count, c.coding); });
  const Outcome folded = each("fold", [&](const Codec& k) { return fold(k, fa.bytes, c.b, c.count, c.coding); });
  check_sum(family, c, sum);
  check_sum(family, c, folded);
  const Outcome other = each("add", [&](const Codec& k) { return add(k, fb.bytes, fa.bytes, c.count, c.coding); });
  require(sum == other, family.name, "add does not commute");
  if (family.name != "quant") return;
  // Own numbers are rounded whatever they meet, so only the accounts of errors may differ.
  const auto payload = [](const Outcome& o) { return Bytes(o.bytes.begin() + wire::header_bytes, o.bytes.end()); };
  require(payload(sum) == payload(folded), family.name, "fold differs from encode and add");
  if (!all_on_lattice(fa.bytes, c.count) || !all_on_lattice(fb.bytes, c.count)) return;
  require(sum == folded, family.name, "fold accounts for other errors than encode and add");
  require(all_on_lattice(sum.bytes, c.count), family.name, "a sum left the lattice");
}

}  // namespace
}  // namespace laconic::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laconic::fuzz;
  Input input(data, size);
  const auto how = input.take<std::uint8_t>();
  const Family& family = families()[input.take<std::uint8_t>() % families().size()];
  if ((how & 1) == 0)
    run(family, read_case<float>(input, how));
  else
    run(family, read_case<double>(input, how));
  return 0;
}
