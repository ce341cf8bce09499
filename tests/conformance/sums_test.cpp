// SPDX-License-Identifier: BSD-3-Clause
// Addition, folding, maxima and division of frames.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t counts[] = {0, 1, 17, 1023, 1024, 1025, 5000};

class Sums : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Subject& subject() const { return all_subjects()[GetParam()]; }
  const Codec& codec() const { return *subject().codec; }
};
class SumsOfSmallFloats : public Sums {};

INSTANTIATE_TEST_SUITE_P(Codecs, Sums, ::testing::Range(std::size_t{0}, all_subjects().size()),
                         [](const auto& i) { return all_subjects()[i.param].name; });
INSTANTIATE_TEST_SUITE_P(Codecs, SumsOfSmallFloats, ::testing::ValuesIn(subjects_with(Dtype::f16)),
                         [](const auto& i) { return all_subjects()[i.param].name; });

// Calls test(x, y, z, coding) over kinds, counts, allowances and operations, for one type.
template <class T, class F>
void for_all_inputs(const Subject& subject, F&& test) {
  std::uint64_t seed = base_seed();
  for (const NamedKind& k : all_kinds)
    for (const std::size_t count : counts)
      for (const double allowance : {0.0, 1e-6, 1e-2, 1e4})
        for (const Op op : {Op::sum, Op::max, Op::min}) {
          if (++seed % subject.stride != 0) continue;
          SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count) + ", allowance " +
                       std::to_string(allowance) + ", op " + std::to_string(static_cast<int>(op)));
          // The third array is of another kind, so that lattice and raw blocks meet.
          const auto x = make_field<T>(k.kind, count, seed, 0);
          const auto y = make_field<T>(k.kind, count, seed, 1);
          const auto z = make_field<T>(all_kinds[seed % all_kinds.size()].kind, count, seed, 2);
          test(x, y, z, coding_for<T>(allowance, op == Op::sum ? 3 : 1, op));
          if (::testing::Test::HasFailure()) return;
        }
}

template <class T>
void algebra(const Subject& subject) {
  const Codec& codec = *subject.codec;
  const bool lattice = codec.error_shape().lattice;
  for_all_inputs<T>(subject, [&](const auto& x, const auto& y, const auto& z, const Coding& coding) {
    const std::size_t n = x.size();
    const Bytes fx = encode(codec, x, coding);
    const Bytes fy = encode(codec, y, coding);
    const Bytes fz = encode(codec, z, coding);
    const Bytes xy = add(codec, fx, fy, n, coding);
    const Bytes yz = add(codec, fy, fz, n, coding);
    ASSERT_EQ(xy, add(codec, fy, fx, n, coding)) << "a + b and b + a differ";
    ASSERT_EQ(yz, add(codec, fz, fy, n, coding)) << "a + b and b + a differ";
    if (!lattice) {
      // Where fold() takes the rank's own numbers unrounded, but add() gets them rounded, the two results may differ.
      if (codec.exact_sums()) {
        ASSERT_EQ(fold(codec, fx, y, coding), xy);
      }
      return;
    }
    const Dtype dtype = coding.dtype;
    const bool xy_on_lattice = all_on_lattice(fx, n, dtype) && all_on_lattice(fy, n, dtype);
    // Where sums stay masked, the same numbers are added in both cases.
    if (xy_on_lattice || coding.terms > 1) {
      Bytes folded = fold(codec, fx, y, coding);
      if (!xy_on_lattice) wire::write_header(header_of(xy), folded);  // the error may differ
      ASSERT_EQ(folded, xy) << "fold and add differ";
    }
    if (xy_on_lattice) {
      ASSERT_TRUE(all_on_lattice(xy, n, dtype)) << "a sum of lattice frames left the lattice";
    }
    if (xy_on_lattice && all_on_lattice(fz, n, dtype)) {
      ASSERT_EQ(add(codec, xy, fz, n, coding), add(codec, fx, yz, n, coding)) << "(a+b)+c and a+(b+c) differ";
    }
  });
}
TEST_P(Sums, AlgebraFloat) { algebra<float>(subject()); }
TEST_P(Sums, AlgebraDouble) { algebra<double>(subject()); }
TEST_P(SumsOfSmallFloats, AlgebraFloat16) { algebra<Float16>(subject()); }
TEST_P(SumsOfSmallFloats, AlgebraBfloat16) { algebra<Bfloat16>(subject()); }

// On the lattice a sum of frames is exactly step * (sum of points). Elsewhere it is combine() of the decoded numbers,
// within the allowance where these are encoded again.
template <class T>
void values(const Subject& subject) {
  const Codec& codec = *subject.codec;
  for_all_inputs<T>(subject, [&](const auto& x, const auto& y, const auto& z, const Coding& coding) {
    const std::size_t n = x.size();
    (void)y;
    const Bytes fx = encode(codec, x, coding);
    const Bytes fz = encode(codec, z, coding);
    const Bytes sum = add(codec, fx, fz, n, coding);
    const auto got = decode<T>(codec, sum, n, coding);
    const auto dx = decode<T>(codec, fx, n, coding);
    const auto dz = decode<T>(codec, fz, n, coding);
    std::vector<LatticeBlock> bx;
    std::vector<LatticeBlock> bz;
    if (codec.error_shape().lattice) {
      bx = lattice_blocks(fx, n, coding.dtype);
      bz = lattice_blocks(fz, n, coding.dtype);
    }
    const double step = header_of(fx).step;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t b = i / quant::block_values;
      T expected = combine(coding.op, dx[i], dz[i]);
      const std::size_t k = i % quant::block_values;
      if (!bx.empty() && bx[b].has_point(k) && bz[b].has_point(k)) {
        const std::int64_t p = bx[b].points[k];
        const std::int64_t q = bz[b].points[k];
        const std::int64_t r = coding.op == Op::sum ? p + q : coding.op == Op::max ? std::max(p, q) : std::min(p, q);
        // The product of a point and a step of 21 bits, rounded once to float64.
        const std::int64_t high = r >> 32;
        expected = static_cast<T>(std::fma(std::ldexp(static_cast<double>(high), 32), step,
                                           static_cast<double>(r - high * (std::int64_t{1} << 32)) * step));
      }
      if (!codec.exact_sums() && std::isfinite(exactly(expected))) {
        ASSERT_LE(std::fabs(exactly(got[i]) - exactly(expected)), coding.allowance) << "number " << i;
        continue;
      }
      ASSERT_EQ(bits_of(got[i]), bits_of(expected))
          << "number " << i << ": " << exactly(got[i]) << ", expected " << exactly(expected);
    }
  });
}
TEST_P(Sums, ValuesFloat) { values<float>(subject()); }
TEST_P(Sums, ValuesDouble) { values<double>(subject()); }
TEST_P(SumsOfSmallFloats, ValuesFloat16) { values<Float16>(subject()); }
TEST_P(SumsOfSmallFloats, ValuesBfloat16) { values<Bfloat16>(subject()); }

// fold() may keep on the lattice a block that encode() stored raw for its size; the numbers are within the allowances
// in both cases.
template <class T>
void folds(const Subject& subject) {
  const Codec& codec = *subject.codec;
  for_all_inputs<T>(subject, [&](const auto& x, const auto& y, const auto& z, const Coding& coding) {
    (void)y;
    const std::size_t n = x.size();
    const Bytes fx = encode(codec, x, coding);
    const Bytes folded = fold(codec, fx, z, coding);
    const auto got = decode<T>(codec, folded, n, coding);
    const double error = header_of(folded).error;
    const bool two_errors = coding.op == Op::sum || !codec.exact_sums();
    EXPECT_LE(error, two_errors ? 2 * coding.allowance : coding.allowance);
    for (std::size_t i = 0; i < n; ++i) {
      const Exact e = reduce_exactly(coding.op, 2, [&](int r) { return r == 0 ? x[i] : z[i]; });
      if (e.nan || e.infinite != 0) {
        ASSERT_EQ(std::isnan(exactly(got[i])), e.nan);
        if (!e.nan) {
          ASSERT_EQ(exactly(got[i]) > 0 ? 1 : -1, e.infinite);
        }
        continue;
      }
      if (e.magnitude > exactly(std::numeric_limits<T>::max())) continue;  // may overflow as plain sums do
      ASSERT_TRUE(std::isfinite(exactly(got[i]))) << exactly(x[i]) << " with " << exactly(z[i]);
      // Leaving the lattice rounds once; adding and decoding round once each.
      const long double rounding =
          std::ldexp(e.magnitude + coding.allowance, 2 - std::numeric_limits<T>::digits) + half_ulp(T(0.0));
      ASSERT_LE(std::fabs(exactly(got[i]) - e.value), error + rounding)
          << exactly(x[i]) << " with " << exactly(z[i]) << " gave " << exactly(got[i]);
    }
  });
}
TEST_P(Sums, FoldFloat) { folds<float>(subject()); }
TEST_P(Sums, FoldDouble) { folds<double>(subject()); }
TEST_P(SumsOfSmallFloats, FoldFloat16) { folds<Float16>(subject()); }
TEST_P(SumsOfSmallFloats, FoldBfloat16) { folds<Bfloat16>(subject()); }

// Many contributions of the largest magnitude that still fits: nothing wraps, and the header states the possible
// error.
TEST_P(Sums, ManyTermsDoNotOverflow) {
  for (const std::uint32_t terms : {2u, 3u, 4u, 127u, 1000u, 65536u}) {
    const double allowance = 0.5;
    const Coding coding = coding_for<double>(allowance, terms);
    const double step = header_of(encode(codec(), std::vector<double>{1}, coding)).step;
    // The largest number that is coded on the lattice, with its neighbours beyond.
    const double largest = std::floor(2147483647.0 / terms) * (step == 0 ? 1 : step);
    const std::vector<double> x{
        largest, -largest, largest * 0.999, std::nextafter(largest, 0.0), largest * 0.5, -largest * 0.25, 1.0, 0.0};
    std::vector<double> sum_of(x.size());
    Bytes frame = encode(codec(), x, coding);
    for (std::uint32_t t = 1; t < std::min(terms, 1000u); ++t) frame = fold(codec(), frame, x, coding);
    if (terms > 1000) {  // doubling is faster
      frame = encode(codec(), x, coding);
      for (std::uint32_t t = 1; t < terms; t *= 2) frame = add(codec(), frame, frame, x.size(), coding);
    }
    const double error = header_of(frame).error;
    EXPECT_LE(error, allowance * terms);
    const auto got = decode<double>(codec(), frame, x.size(), coding);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(got[i], x[i] * terms, allowance * terms + std::fabs(x[i]) * terms * terms * 0x1p-52)
          << "terms " << terms;
  }
}

TEST_P(Sums, DecodeDivides) {
  for (const double divisor : {1.0, 2.0, 3.0, 7.0, 16.0, 65536.0})
    for (const Kind kind : {Kind::normal, Kind::special, Kind::constant, Kind::extreme}) {
      const auto x = make_field<float>(kind, 3000, base_seed());
      const Coding whole = coding_for<float>(1e-3, 4);
      Coding mean = whole;
      mean.divisor = divisor;
      const Bytes frame = encode(codec(), x, whole);
      const auto undivided = decode<float>(codec(), frame, x.size(), whole);
      const auto divided = decode<float>(codec(), frame, x.size(), mean);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(undivided[i])) {
          ASSERT_TRUE(std::isnan(divided[i]));
        } else if (std::isinf(undivided[i])) {
          ASSERT_EQ(divided[i], undivided[i]);
        } else {
          const long double expected = static_cast<long double>(undivided[i]) / divisor;
          // The undivided number was rounded to float, the lattice point it stands for was not.
          ASSERT_LE(std::fabs(divided[i] - expected), half_ulp(undivided[i]) / divisor + half_ulp(divided[i]));
        }
      }
    }
}

// The error stated in the header: 0 for exact frames, the sum of both for sums, the larger for maxima; one more where
// the result is encoded again. zfp measures its error, and may state less.
TEST_P(Sums, AccountsForErrors) {
  const double allowance = 1e-3;
  const auto x = make_field<float>(Kind::normal, 2048, base_seed());
  const auto wild = make_field<float>(Kind::random_bits, 2048, base_seed());
  const std::vector<float> nan(2048, std::numeric_limits<float>::quiet_NaN());
  const bool exact = codec().name() == "raw" || codec().name() == "lossless";  // for every allowance
  const double one = exact ? 0 : allowance;
  const double again = codec().exact_sums() ? 0 : allowance;
  const auto error_of = [](const Bytes& frame) { return header_of(frame).error; };
  const auto accounts_for = [&](const Bytes& frame, double allowed) {
    if (codec().name() == "zfp") {
      EXPECT_LE(error_of(frame), allowed);
      EXPECT_GT(error_of(frame), 0);
    } else {
      EXPECT_DOUBLE_EQ(error_of(frame), allowed);
    }
  };
  const Coding sum = coding_for<float>(allowance, 8);
  const Bytes fx = encode(codec(), x, sum);
  accounts_for(fx, one);
  // Some of these have points.
  EXPECT_EQ(error_of(encode(codec(), wild, sum)), codec().error_shape().lattice ? one : 0);
  EXPECT_EQ(error_of(encode(codec(), nan, sum)), 0);
  accounts_for(add(codec(), fx, fx, x.size(), sum), 2 * one + again);
  const Bytes folded = fold(codec(), fx, x, sum);
  accounts_for(folded, 2 * one);  // either the rank's own numbers are rounded, or the sum is
  accounts_for(add(codec(), folded, fx, x.size(), sum), 3 * one + again);
  const bool folds_points = codec().error_shape().lattice;  // it rounds own numbers whatever they meet
  EXPECT_EQ(error_of(fold(codec(), encode(codec(), nan, sum), x, sum)), folds_points ? one : 0);
  accounts_for(fold(codec(), fx, nan, sum), one);
  const Coding most = coding_for<float>(allowance, 1, Op::max);
  const Bytes mx = encode(codec(), x, most);
  const Bytes twice = add(codec(), mx, mx, x.size(), most);
  EXPECT_LE(error_of(twice), one + again);
  EXPECT_GE(error_of(twice), error_of(mx));  // numbers already truncated may be encoded again without loss
  accounts_for(fold(codec(), mx, x, most), one + again);
  const Coding lossless = coding_for<float>(0, 8);
  EXPECT_EQ(error_of(encode(codec(), x, lossless)), 0);
}

// NaN wins every operation, and infinities win those in which they are extreme; signs of zero do not depend on the
// order.
TEST_P(Sums, HostileValuesMeanWhatTheOperationSays) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a{nan, inf, -inf, inf, -inf, 0.f, -0.f, 1.f, nan, inf, 3e38f};
  const std::vector<float> b{1.f, 1.f, 1.f, -inf, -inf, -0.f, 0.f, nan, inf, inf, 3e38f};
  for (const Op op : {Op::sum, Op::max, Op::min}) {
    const Coding coding = coding_for<float>(1e-3, 2, op);
    const Bytes fa = encode(codec(), a, coding);
    const Bytes fb = encode(codec(), b, coding);
    const Bytes frame = add(codec(), fa, fb, a.size(), coding);
    EXPECT_EQ(fold(codec(), fa, b, coding), frame);
    EXPECT_EQ(fold(codec(), fb, a, coding), frame);
    const auto got = decode<float>(codec(), frame, a.size(), coding);
    // Numbers beside exceptions are rounded.
    const auto da = decode<float>(codec(), fa, a.size(), coding);
    const auto db = decode<float>(codec(), fb, a.size(), coding);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(bits_of(got[i]), bits_of(combine(op, da[i], db[i]))) << "number " << i;
      const float exact = combine(op, a[i], b[i]);
      if (!std::isfinite(exact)) {
        EXPECT_EQ(bits_of(got[i]), bits_of(exact)) << "number " << i;
      } else {
        EXPECT_NEAR(got[i], exact, 2e-3) << "number " << i;
      }
    }
  }
}

}  // namespace
}  // namespace laconic::test
