// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary numbers of every type through every codec that supports it, with allowance 0: every bit comes back, and
// sums are those of the numbers, in either order, folded or added.
#include <algorithm>

#include "base/op.hpp"
#include "support.hpp"

namespace laconic::fuzz {
namespace {

constexpr std::size_t most_numbers = 2500;  // more than two blocks

// The bytes of the pool, repeated; with few bytes, the numbers differ in few bits.
Bytes make_numbers(const Bytes& pool, std::size_t bytes, unsigned period, unsigned turn) {
  Bytes numbers(bytes);
  const std::size_t whole = std::min<std::size_t>(pool.size(), period == 0 ? pool.size() : period);
  for (std::size_t i = 0; i < bytes && whole > 0; ++i) numbers[i] = pool[(i + turn) % whole];
  return numbers;
}

template <class T>
void check_sum(const Family& family, const Coding& coding, const Bytes& a, const Bytes& b, const Bytes& sum) {
  for (std::size_t at = 0; at < a.size(); at += sizeof(T)) {
    T x;
    T y;
    std::memcpy(&x, a.data() + at, sizeof(T));
    std::memcpy(&y, b.data() + at, sizeof(T));
    const T z = combine(coding.op, x, y);
    require(std::memcmp(&z, sum.data() + at, sizeof(T)) == 0, family.name, "a sum is not that of the numbers");
  }
}

void run(const Family& family, const Coding& coding, std::size_t count, const Bytes& a, const Bytes& b) {
  const auto each = [&](std::string_view what, auto&& f) { return agreed(family, what, f); };
  const Outcome fa = each("encode", [&](const Codec& k) { return encode(k, a, count, coding); });
  const Outcome fb = each("encode", [&](const Codec& k) { return encode(k, b, count, coding); });
  require(fa.ok && fb.ok, family.name, "encode failed: " + fa.message + fb.message);
  const Outcome back = each("decode", [&](const Codec& k) { return decode(k, fa.bytes, count, coding); });
  require(back.ok, family.name, "what was encoded cannot be decoded: " + back.message);
  require(back.bytes == a, family.name, "bits were lost");
  const Outcome ab = each("add", [&](const Codec& k) { return add(k, fa.bytes, fb.bytes, count, coding); });
  const Outcome ba = each("add", [&](const Codec& k) { return add(k, fb.bytes, fa.bytes, count, coding); });
  require(ab.ok && ab == ba, family.name, "add fails or does not commute: " + ab.message);
  if (!family.members.front()->exact_sums()) return;
  const Outcome folded = each("fold", [&](const Codec& k) { return fold(k, fa.bytes, b, count, coding); });
  require(folded == ab, family.name, "fold differs from encode and add");
  const Outcome sum = each("decode", [&](const Codec& k) { return decode(k, ab.bytes, count, coding); });
  require(sum.ok, family.name, "a sum cannot be decoded: " + sum.message);
  dispatch(AllTypes{}, coding.dtype, [&](auto zero) { check_sum<decltype(zero)>(family, coding, a, b, sum.bytes); });
}

}  // namespace
}  // namespace laconic::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laconic;
  using namespace laconic::fuzz;
  Input input(data, size);
  Coding coding;
  coding.dtype = all_dtypes[input.take<std::uint8_t>() % std::size(all_dtypes)];
  coding.op = static_cast<Op>(input.take<std::uint8_t>() % 3);
  coding.terms = 2;
  const auto how = input.take<std::uint8_t>();
  const std::size_t count = input.take<std::uint16_t>() % ((how & 1) != 0 ? most_numbers : 150);
  const Bytes pool = input.rest();
  const std::size_t bytes = count * size_of(coding.dtype);
  const Bytes a = make_numbers(pool, bytes, how >> 1, 0);
  const Bytes b = make_numbers(pool, bytes, 0, how);
  for (const Family& family : families())
    if (family.members.front()->supports(coding.dtype)) run(family, coding, count, a, b);
  return 0;
}
