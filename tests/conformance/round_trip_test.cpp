// SPDX-License-Identifier: BSD-3-Clause
// Every codec, every kind of numbers, allowances from 0 to more than the range. Decoded numbers are within the
// allowance, numbers that are not finite come back unchanged, and nothing outside the given memory is touched.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr std::array<std::size_t, 20> counts{0,   1,   2,   3,    15,   16,   17,   31,   32,   33,
                                             127, 128, 129, 1023, 1024, 1025, 4095, 4096, 4097, 6000};
constexpr std::array<std::uint32_t, 4> some_terms{1, 2, 4, 65536};

// Allowances below one ulp of common numbers, common ones, some above the range, and some at the edges of the exponent
// range.
const std::vector<double>& allowances() {
  static const std::vector<double> a{0,
                                     std::numeric_limits<double>::denorm_min(),
                                     1e-310,
                                     1e-302,
                                     1e-42,
                                     1e-9,
                                     1e-5,
                                     1e-3,
                                     0.3,
                                     100,
                                     1e31,
                                     1e37,
                                     3e38,
                                     1e299,
                                     1e300,
                                     1e308,
                                     std::numeric_limits<double>::max()};
  return a;
}

// The promise for one number. The rounding of the type is added to the allowance where the type does not represent the
// lattice point exactly: where it is narrower than double, and in contributions to sums, whose points may have 52 bits.
template <class T>
::testing::AssertionResult holds(T x, T back, double allowance, std::uint32_t terms) {
  const auto failure = [&](const char* what) {
    return ::testing::AssertionFailure() << what << exactly(x) << " came back as " << exactly(back) << ", allowance "
                                         << allowance;
  };
  if (!std::isfinite(exactly(x))) {
    if (bits_of(x) == bits_of(back)) return ::testing::AssertionSuccess();
    return failure("not finite, and ");
  }
  if (!std::isfinite(exactly(back))) return failure("");
  const long double off = std::fabs(exactly(x) - exactly(back));
  const long double rounding = sizeof(T) < 8 || terms > 1 ? half_ulp(back) : 0;
  if (off <= static_cast<long double>(allowance) + rounding) return ::testing::AssertionSuccess();
  return failure("");
}

template <class T>
void round_trip(const Codec& codec, const std::vector<T>& x, double allowance, std::uint32_t terms,
                std::size_t offset = 0) {
  const Coding coding = coding_for<T>(allowance, terms);
  const Bytes frame = encode(codec, x, coding, offset);
  const std::vector<T> back = decode<T>(codec, frame, x.size(), coding);
  const wire::Header header = header_of(frame);
  EXPECT_LE(header.error, allowance);
  if (allowance == 0) {
    EXPECT_EQ(header.error, 0);
  }
  int shown = 0;
  for (std::size_t i = 0; i < x.size() && shown < 3; ++i) {
    const auto result = holds(x[i], back[i], header.error, terms);
    EXPECT_TRUE(result) << "number " << i << " of " << x.size() << ", terms " << terms;
    shown += !result;
    if (allowance == 0) {
      EXPECT_EQ(bits_of(x[i]), bits_of(back[i]));
    }
  }
}

class RoundTrip : public ::testing::TestWithParam<std::tuple<std::size_t, NamedKind>> {
 protected:
  const Subject& subject() const { return all_subjects()[std::get<0>(GetParam())]; }
  const Codec& codec() const { return *subject().codec; }
  Kind kind() const { return std::get<1>(GetParam()).kind; }

  template <class T>
  void all_counts_and_allowances() {
    auto turn = static_cast<std::size_t>(kind());  // so that other kinds leave out others
    for (const double allowance : allowances())
      for (const std::size_t count : counts) {
        if (++turn % subject().stride != 0) continue;
        SCOPED_TRACE("allowance " + std::to_string(allowance) + ", count " + std::to_string(count));
        const auto x = make_field<T>(kind(), count, base_seed() + turn);
        round_trip(codec(), x, allowance, some_terms[turn % some_terms.size()], turn % 3);
        if (HasFailure()) return;
      }
  }

  template <class T>
  void large_count() {
    const auto x = make_field<T>(kind(), sanitized ? 20003 : 100003, base_seed());
    round_trip(codec(), x, 1e-3, 4);
  }
};

class RoundTripOfSmallFloats : public RoundTrip {};

TEST_P(RoundTripOfSmallFloats, Float16) { all_counts_and_allowances<Float16>(); }
TEST_P(RoundTripOfSmallFloats, Bfloat16) { all_counts_and_allowances<Bfloat16>(); }
TEST_P(RoundTripOfSmallFloats, LargeFloat16) { large_count<Float16>(); }
TEST_P(RoundTripOfSmallFloats, LargeBfloat16) { large_count<Bfloat16>(); }
TEST_P(RoundTrip, Float) { all_counts_and_allowances<float>(); }
TEST_P(RoundTrip, Double) { all_counts_and_allowances<double>(); }
TEST_P(RoundTrip, LargeFloat) { large_count<float>(); }
TEST_P(RoundTrip, LargeDouble) { large_count<double>(); }

std::string codec_and_kind(const ::testing::TestParamInfo<RoundTrip::ParamType>& info) {
  return all_subjects()[std::get<0>(info.param)].name + "_" + std::string(std::get<1>(info.param).name);
}

std::vector<std::size_t> subject_indices() {
  std::vector<std::size_t> indices(all_subjects().size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

INSTANTIATE_TEST_SUITE_P(Codecs, RoundTrip,
                         ::testing::Combine(::testing::ValuesIn(subject_indices()), ::testing::ValuesIn(all_kinds)),
                         codec_and_kind);
INSTANTIATE_TEST_SUITE_P(Codecs, RoundTripOfSmallFloats,
                         ::testing::Combine(::testing::ValuesIn(subjects_with(Dtype::f16)),
                                            ::testing::ValuesIn(all_kinds)),
                         codec_and_kind);

class EveryCodec : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Codec& codec() const { return *all_subjects()[GetParam()].codec; }
};

class EveryCodecOfSmallFloats : public EveryCodec {};

INSTANTIATE_TEST_SUITE_P(Codecs, EveryCodec, ::testing::ValuesIn(subject_indices()),
                         [](const auto& i) { return all_subjects()[i.param].name; });
INSTANTIATE_TEST_SUITE_P(Codecs, EveryCodecOfSmallFloats, ::testing::ValuesIn(subjects_with(Dtype::f16)),
                         [](const auto& i) { return all_subjects()[i.param].name; });

// Numbers need no more alignment than their type has.
TEST_P(EveryCodec, TakesUnalignedNumbers) {
  const auto x = make_field<float>(Kind::walk, 3001, base_seed());
  const Coding coding = coding_for<float>(1e-4);
  const Bytes aligned = encode(codec(), x, coding);
  for (std::size_t shift = 1; shift < 4; ++shift) {
    std::vector<float> moved(shift);
    moved.insert(moved.end(), x.begin(), x.end());
    Guarded out(codec().capacity(x.size(), coding.dtype), 1);
    const Coded coded = codec().encode(moved.data() + shift, x.size(), coding, out.bytes());
    EXPECT_EQ(checked(codec(), x.size(), coding, coded, out), aligned);
    Guarded back(x.size() * sizeof(float), shift * sizeof(float));
    ASSERT_TRUE(codec().decode(aligned, back.as<float>(), x.size(), coding).ok());
    EXPECT_TRUE(back.intact());
    EXPECT_EQ(back.copy<float>(), decode<float>(codec(), aligned, x.size(), coding));
  }
}

// Numbers exactly half-way between lattice points are moved furthest by rounding.
template <class T>
void ties_hold(const Codec& codec) {
  for (const double allowance : {1e-3, 7e-20, 3.0, 1e10}) {
    const Coding coding = coding_for<T>(allowance);
    const double step = header_of(encode(codec, std::vector<T>{T(1.0)}, coding)).step;
    if (step == 0) continue;  // the codec has no lattice
    std::vector<T> x;
    for (int k = -3000; k < 3000; ++k) {
      const auto tie = static_cast<T>((k + 0.5) * step);
      for (const T v : {tie, next_toward(tie, T(0.0)), next_toward(tie, std::numeric_limits<T>::infinity())})
        x.push_back(v);
    }
    round_trip(codec, x, allowance, 1);
  }
}
TEST_P(EveryCodec, TiesFloat) { ties_hold<float>(codec()); }
TEST_P(EveryCodec, TiesDouble) { ties_hold<double>(codec()); }
TEST_P(EveryCodecOfSmallFloats, TiesFloat16) { ties_hold<Float16>(codec()); }
TEST_P(EveryCodecOfSmallFloats, TiesBfloat16) { ties_hold<Bfloat16>(codec()); }

// Finite numbers stay finite although the nearest lattice point may lie beyond the largest number of the type. Sums
// that are finite stay finite too.
template <class T>
void largest_numbers_stay_finite(const Codec& codec) {
  const T largest = std::numeric_limits<T>::max();
  for (double share : {1e-9, 1e-6, 1e-3, 0.07, 0.1, 0.23, 0.3, 0.49, 0.7, 0.99})
    for (const std::uint32_t terms : some_terms) {
      const double allowance = share * static_cast<double>(largest);
      round_trip(codec, std::vector<T>(100, largest), allowance, terms);
      round_trip(codec, std::vector<T>(100, -largest), allowance, terms);

      const Coding coding = coding_for<T>(allowance, terms);
      const auto part =
          static_cast<T>(static_cast<double>(largest) / 2);  // two halves of the largest number: their sum is finite
      if (terms < 2) continue;
      const std::vector<T> x(100, part);
      const Bytes sum = fold(codec, encode(codec, x, coding), x, coding);
      for (const T v : decode<T>(codec, sum, x.size(), coding)) {
        ASSERT_TRUE(std::isfinite(exactly(v))) << "allowance " << share << " of the largest number, terms " << terms;
        ASSERT_LE(std::fabs(exactly(v) - 2 * exactly(part)), 2.0L * allowance + half_ulp(v));
      }
    }
}
TEST_P(EveryCodec, LargestFloatStaysFinite) { largest_numbers_stay_finite<float>(codec()); }
TEST_P(EveryCodec, LargestDoubleStaysFinite) { largest_numbers_stay_finite<double>(codec()); }
TEST_P(EveryCodecOfSmallFloats, LargestFloat16StaysFinite) { largest_numbers_stay_finite<Float16>(codec()); }
TEST_P(EveryCodecOfSmallFloats, LargestBfloat16StaysFinite) { largest_numbers_stay_finite<Bfloat16>(codec()); }

// The same numbers give the same bytes, whatever the output memory held before.
TEST_P(EveryCodec, IsAFunctionOfItsInput) {
  for (const NamedKind& k : all_kinds) {
    const auto x = make_field<double>(k.kind, 2500, base_seed());
    const Coding coding = coding_for<double>(1e-3, 3);
    EXPECT_EQ(encode(codec(), x, coding), encode(codec(), x, coding, 7)) << k.name;
  }
}

TEST_P(EveryCodec, IsFoundByItsName) {
  EXPECT_EQ(find_codec(codec().name())->id(), codec().id());
  EXPECT_EQ(find_codec("no such codec"), nullptr);
}

TEST(Codecs, HaveDifferentNamesAndIds) {
  for (const Codec* a : all_codecs())
    for (const Codec* b : all_codecs())
      if (a != b) {
        EXPECT_NE(a->name(), b->name());
        EXPECT_NE(a->id(), b->id());
      }
}

TEST(Codecs, AreTestedOnRealFields) {
  EXPECT_TRUE(have_real_fields()) << "no fields in " << detail::data_folder() << "; LACONIC_TEST_DATA names the folder";
}

}  // namespace
}  // namespace laconic::test
