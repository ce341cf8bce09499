// SPDX-License-Identifier: BSD-3-Clause
// combine() of many pairs gives the same bits as combine() of each pair.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "base/combine.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr std::array<Op, 3> all_ops{Op::sum, Op::max, Op::min};

template <class T>
class CombineMany : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CombineMany, Types);

template <class T>
void expect_equals_one_by_one(const std::vector<T>& a, const std::vector<T>& b) {
  const std::size_t n = a.size();
  // Payloads of frames are not aligned.
  std::vector<std::byte> bytes_a(n * sizeof(T) + 1);
  std::vector<std::byte> bytes_b(n * sizeof(T) + 3);
  std::vector<std::byte> bytes_out(n * sizeof(T) + 2);
  if (n > 0) {
    std::memcpy(bytes_a.data() + 1, a.data(), n * sizeof(T));
    std::memcpy(bytes_b.data() + 3, b.data(), n * sizeof(T));
  }
  for (const Op op : all_ops) {
    std::vector<T> into = a;
    combine(op, into.data(), b.data(), n);
    combine<T>(op, bytes_a.data() + 1, bytes_b.data() + 3, n, bytes_out.data() + 2);
    for (std::size_t i = 0; i < n; ++i) {
      const T expected = combine(op, a[i], b[i]);
      ASSERT_EQ(bits_of(into[i]), bits_of(expected)) << a[i] << " and " << b[i] << ", op " << static_cast<int>(op);
      T out;
      std::memcpy(&out, bytes_out.data() + 2 + i * sizeof(T), sizeof(T));
      ASSERT_EQ(bits_of(out), bits_of(expected)) << a[i] << " and " << b[i] << ", op " << static_cast<int>(op);
    }
  }
}

TYPED_TEST(CombineMany, AllPairsOfSpecialNumbers) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  std::vector<T> special{T(0),
                         T(1),
                         L::max(),
                         L::infinity(),
                         L::quiet_NaN(),
                         L::signaling_NaN(),
                         L::min(),
                         L::denorm_min(),
                         L::min() - L::denorm_min(),
                         L::epsilon(),
                         L::max() / 2,
                         T(3)};
  for (std::size_t i = 0, half = special.size(); i < half; ++i) special.push_back(-special[i]);
  // NaN with payloads, both quiet and signalling.
  for (const T base : {L::infinity(), -L::infinity(), L::quiet_NaN()}) {
    const auto bits = static_cast<decltype(bits_of(base))>(bits_of(base) + 0x12345);
    T x;
    std::memcpy(&x, &bits, sizeof x);
    special.push_back(x);
  }
  // Every pair at every place of a vector.
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<T> a(shift, T(1));
    std::vector<T> b(shift, T(2));
    for (const T x : special)
      for (const T y : special) {
        a.push_back(x);
        b.push_back(y);
      }
    expect_equals_one_by_one(a, b);
  }
}

TYPED_TEST(CombineMany, AllKindsOfFields) {
  using T = TypeParam;
  for (const NamedKind& kind : all_kinds) {
    SCOPED_TRACE(kind.name);
    expect_equals_one_by_one(make_field<T>(kind.kind, 5003, base_seed(), 0),
                             make_field<T>(kind.kind, 5003, base_seed(), 1));
  }
  expect_equals_one_by_one(make_field<T>(Kind::random_bits, 300000, base_seed(), 2),
                           make_field<T>(Kind::random_bits, 300000, base_seed(), 3));
}

TYPED_TEST(CombineMany, AllShortLengths) {
  using T = TypeParam;
  for (std::size_t n = 0; n < 40; ++n)
    expect_equals_one_by_one(make_field<T>(Kind::special, n, base_seed(), 0),
                             make_field<T>(Kind::special, n, base_seed(), 1));
}

}  // namespace
}  // namespace laconic::test
