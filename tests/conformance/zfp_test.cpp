// SPDX-License-Identifier: BSD-3-Clause
// Properties of zfp alone: a rate instead of a bound, measured errors, and an underlying library that trusts its
// input.
#ifdef LACONIC_HAVE_ZFP

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "codec/zfp/piece.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using zfp::piece_values;

const Codec& codec() { return *find_codec("zfp"); }

template <class T>
Coding with_rate(double rate, std::uint32_t terms = 1, Op op = Op::sum) {
  Coding coding = coding_for<T>(0, terms, op);
  coding.rate = rate;
  return coding;
}

std::size_t pieces_of(std::size_t count) { return (count + piece_values - 1) / piece_values; }
std::size_t overhead(std::size_t count) { return wire::header_bytes + 4 + 2 * pieces_of(count); }

template <class T>
void errors_are_those_announced(const std::vector<T>& x, const std::vector<T>& back, double error) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) {
      ASSERT_EQ(bits_of(x[i]), bits_of(back[i])) << "number " << i;
      continue;
    }
    ASSERT_LE(std::fabs(static_cast<long double>(x[i]) - back[i]), error) << "number " << i << " is " << x[i];
  }
}

template <class T>
void rates() {
  std::uint64_t seed = base_seed();
  for (const NamedKind& k : all_kinds)
    for (const std::size_t count : {0, 1, 2, 3, 4, 5, 17, 4095, 4096, 4097, 9001})
      for (const double rate : {0.1, 3.0, 4.0, 7.3, 8.0, 16.0, 31.9, 32.0, 63.9, 64.0, 1e300}) {
        SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count) + ", rate " + std::to_string(rate));
        const auto x = make_field<T>(k.kind, count, ++seed);
        const Coding coding = with_rate<T>(rate);
        const Bytes frame = encode(codec(), x, coding);
        const auto back = decode<T>(codec(), frame, count, coding);
        errors_are_those_announced(x, back, header_of(frame).error);
        if (rate >= 8 * sizeof(T)) {
          EXPECT_EQ(header_of(frame).error, 0);
          for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(bits_of(x[i]), bits_of(back[i]));
        }
        // Four numbers form a block; a piece is whole bytes, and no larger than its numbers.
        const double bits = std::max(std::floor(4 * rate + 0.5), sizeof(T) == 4 ? 9.0 : 12.0);
        if (k.kind == Kind::normal && count % piece_values > 64 && bits < 32 * sizeof(T)) {
          std::size_t expected = overhead(count);
          for (std::size_t i = 0; i < count; i += piece_values) {
            const std::size_t n = std::min(piece_values, count - i);
            expected += static_cast<std::size_t>((static_cast<double>((n + 3) / 4) * bits + 7) / 8);
          }
          EXPECT_EQ(frame.size(), expected);
        }
        if (::testing::Test::HasFailure()) return;
      }
}
TEST(Zfp, RatesFloat) { rates<float>(); }
TEST(Zfp, RatesDouble) { rates<double>(); }

// The header of a sum or maximum of frames of a fixed rate states its error.
TEST(Zfp, AccountsForSumsWithoutABound) {
  for (const NamedKind& k : all_kinds)
    for (const Op op : {Op::sum, Op::max, Op::min}) {
      SCOPED_TRACE(std::string(k.name) + ", op " + std::to_string(static_cast<int>(op)));
      const std::size_t n = 5000;
      const Coding coding = with_rate<float>(8, op == Op::sum ? 3 : 1, op);
      const auto x = make_field<float>(k.kind, n, base_seed(), 0);
      const auto y = make_field<float>(k.kind, n, base_seed(), 1);
      const auto z = make_field<float>(k.kind, n, base_seed(), 2);
      const Bytes xy = fold(codec(), encode(codec(), x, coding), y, coding);
      const Bytes fz = encode(codec(), z, coding);
      const Bytes sum = add(codec(), xy, fz, n, coding);
      EXPECT_EQ(sum, add(codec(), fz, xy, n, coding));
      const auto got = decode<float>(codec(), sum, n, coding);
      const double error = header_of(sum).error;
      for (std::size_t i = 0; i < n; ++i) {
        const Exact e = reduce_exactly(op, 3, [&](int r) { return (r == 0 ? x : r == 1 ? y : z)[i]; });
        if (e.nan) {
          ASSERT_TRUE(std::isnan(got[i]));
          continue;
        }
        if (e.infinite != 0 || e.magnitude > 0.5L * std::numeric_limits<float>::max()) continue;
        const long double rounding = 3 * static_cast<long double>(std::numeric_limits<float>::epsilon()) *
                                     (e.magnitude + static_cast<long double>(error));
        ASSERT_LE(std::fabs(got[i] - e.value), error + rounding) << "number " << i;
      }
    }
}

// Numbers for which libzfp alone exceeds its tolerance, or has undefined behaviour.
template <class T>
void bound_holds() {
  Random random(base_seed());
  const int digits = std::numeric_limits<T>::digits;
  const int lowest = std::numeric_limits<T>::min_exponent - digits;
  const int span = std::numeric_limits<T>::max_exponent - lowest;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t count = 1 + random.below(40);
    const int level = lowest + static_cast<int>(random.below(static_cast<std::uint64_t>(span)));
    const int spread = 1 + static_cast<int>(random.below(80));
    std::vector<T> x(count);
    for (T& v : x) {
      const int e = level - static_cast<int>(random.below(static_cast<std::uint64_t>(spread)));
      v = static_cast<T>(std::ldexp(random.below(2) ? 1 + random.unit() : -1 - random.unit(), e));
    }
    const double allowance = std::ldexp(1 + random.unit(), level - static_cast<int>(random.below(70)));
    if (!(allowance > 0) || !std::isfinite(allowance)) continue;
    SCOPED_TRACE("round " + std::to_string(round) + ", level " + std::to_string(level) + ", allowance " +
                 std::to_string(std::log2(allowance)));
    const Coding coding = coding_for<T>(allowance, 1 + static_cast<std::uint32_t>(random.below(4)));
    const Bytes frame = encode(codec(), x, coding);
    const double error = header_of(frame).error;
    ASSERT_LE(error, allowance);
    errors_are_those_announced(x, decode<T>(codec(), frame, count, coding), error);
    if (::testing::Test::HasFailure()) return;
  }
}
TEST(Zfp, BoundHoldsWhereTheLibrarysDoesNotFloat) { bound_holds<float>(); }
TEST(Zfp, BoundHoldsWhereTheLibrarysDoesNotDouble) { bound_holds<double>(); }

// Neighbours of a number that is not finite are kept raw, and other pieces are still coded.
TEST(Zfp, KeepsOnlyThePieceRaw) {
  auto x = make_field<float>(Kind::walk, 3 * piece_values, base_seed());
  const Coding coding = coding_for<float>(1e-2);
  const Bytes before = encode(codec(), x, coding);
  x[piece_values + 17] = std::numeric_limits<float>::quiet_NaN();
  const Bytes after = encode(codec(), x, coding);
  std::uint16_t sizes[3];
  std::memcpy(sizes, after.data() + wire::header_bytes + 4, sizeof sizes);
  EXPECT_LT(sizes[0], piece_values * 2);
  EXPECT_EQ(sizes[1], piece_values * 4);
  EXPECT_LT(sizes[2], piece_values * 2);
  EXPECT_LT(after.size(), before.size() + piece_values * 4);
}

// Payloads that no encoder wrote, in frames with valid headers: numbers or an error, and nothing outside is touched.
template <class T>
void hostile_bits() {
  Random random(base_seed());
  for (int round = 0; round < 2000; ++round) {
    const std::size_t count = 1 + random.below(5000);
    const auto x = make_field<T>(random.below(2) ? Kind::walk : Kind::real, count, random.bits());
    const Coding coding = random.below(2) ? with_rate<T>(3 + static_cast<double>(random.below(20)), 2)
                                          : coding_for<T>(std::ldexp(1.0, -static_cast<int>(random.below(40))), 2);
    Bytes frame = encode(codec(), x, coding);
    const std::size_t begin = overhead(count);
    const std::uint64_t fill = random.below(4);
    for (std::size_t i = begin; i < frame.size(); ++i)
      if (fill != 0 || random.below(100) == 0)
        frame[i] = fill == 3 ? std::byte{0xff} : static_cast<std::byte>(random.bits() & (fill == 2 ? 0x11 : 0xff));
    // A copy in memory of its exact size.
    const Bytes exact(frame);
    Guarded out(count * sizeof(T));
    const bool ok = codec().decode(exact, out.template as<T>(), count, coding).ok();
    ASSERT_TRUE(out.intact());
    Guarded sum(codec().capacity(count, coding.dtype));
    const Coded folded = codec().fold(exact, x.data(), count, coding, sum.bytes());
    ASSERT_TRUE(sum.intact());
    ASSERT_EQ(folded.status.ok(), ok);
  }
}
TEST(Zfp, SurvivesHostileBitsFloat) { hostile_bits<float>(); }
TEST(Zfp, SurvivesHostileBitsDouble) { hostile_bits<double>(); }

TEST(Zfp, RejectsParametersOfAnotherOperation) {
  const auto x = make_field<float>(Kind::walk, 1000, base_seed());
  const Coding coding = coding_for<float>(1e-2);
  const std::vector<Coding> others{coding_for<float>(1e-3), with_rate<float>(8), coding_for<float>(0)};
  const Bytes frame = encode(codec(), x, coding);
  std::vector<float> back(x.size());
  for (const Coding& other : others) {
    Guarded out(codec().capacity(x.size(), Dtype::f32));
    EXPECT_FALSE(codec().fold(frame, x.data(), x.size(), other, out.bytes()).status.ok());
    EXPECT_FALSE(codec().add(encode(codec(), x, other), frame, x.size(), coding, out.bytes()).status.ok());
  }
  EXPECT_FALSE(codec().decode(frame, back.data(), x.size(), others[0]).ok());
  EXPECT_FALSE(codec().decode(frame, back.data(), x.size(), others[1]).ok());
  EXPECT_TRUE(codec().decode(frame, back.data(), x.size(), others[2]).ok()) << "with no allowance any frame is read";
}

// Each thread has its own scratch memory.
TEST(Zfp, CodesInManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      const auto x = make_field<float>(Kind::walk, 9000, t);
      const Coding coding = coding_for<float>(1e-4);
      const Bytes first = encode(codec(), x, coding);
      for (int k = 0; k < 5; ++k) {
        EXPECT_EQ(encode(codec(), x, coding), first);
        errors_are_those_announced(x, decode<float>(codec(), first, x.size(), coding), header_of(first).error);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace laconic::test

#endif
