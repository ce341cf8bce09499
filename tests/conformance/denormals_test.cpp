// SPDX-License-Identifier: BSD-3-Clause
// Coding::exact_denormals: a block that holds a denormal number comes back to the bit with every implementation, like
// one that holds NaN or infinity; all other blocks are coded as without this option.  In frames of quant that are not
// scaled, infinities and NaN without a payload decide for themselves only.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "codec/denormals.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

// The size of the group of numbers that are all kept exact if one of them is denormal.
std::size_t block_of(const Codec& codec, const Coding& coding) {
  if (codec.name() == "szx") return 128;
  if (codec.name() == "zfp") return 4096;
  return coding.relative > 0 ? 512 : 1024;
}

template <class T>
bool decides_for_block(T x, const Codec& codec, const Coding& coding) {
  const bool masks = codec.error_shape().lattice && coding.relative == 0;
  return is_denormal(x) || (masks ? has_payload(x) : !std::isfinite(static_cast<double>(x)));
}

class Denormals : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Subject& subject() const { return all_subjects()[GetParam()]; }
  const Codec& codec() const { return *subject().codec; }

  // Calls f(T{}, coding) for all types and all ways to bound an error; without a bound, nothing can be lost.
  template <class F>
  void for_all_codings(F&& f) {
    for (const Dtype dtype : all_dtypes) {
      if (!codec().supports(dtype) || is_integer(dtype)) continue;
      dispatch(FloatingTypes{}, dtype, [&](auto zero) {
        using T = decltype(zero);
        std::vector<Coding> codings{coding_for<T>(1e-3), coding_for<T>(0.5)};
        if (codec().relative()) codings.emplace_back(coding_for<T>(0)).relative = 0.1;
        if (codec().name() == "zfp") codings.emplace_back(coding_for<T>(0)).rate = 8;
        for (Coding& coding : codings) {
          coding.exact_denormals = true;
          SCOPED_TRACE(std::string(name_of(dtype)) + ", allowance " + std::to_string(coding.allowance) + ", relative " +
                       std::to_string(coding.relative) + ", rate " + std::to_string(coding.rate) + ", " + seed_note());
          f(zero, coding);
          if (HasFailure()) return;
        }
      });
    }
  }

  // Encodes and decodes, and returns the count of numbers whose bits changed.
  template <class T>
  std::size_t check(const std::vector<T>& x, const Coding& coding) {
    const Bytes frame = encode(codec(), x, coding);
    const auto got = decode<T>(codec(), frame, x.size(), coding);
    // The frame does not record this option: every reader of the codec's frames reads this one.
    EXPECT_EQ(got.size(), x.size());
    const auto blind = decode<T>(codec(), frame, x.size(), coding_for<T>(0));
    const std::size_t block = block_of(codec(), coding);
    std::size_t changed = 0;
    for (std::size_t begin = 0; begin < x.size() && !HasFailure(); begin += block) {
      const std::size_t end = std::min(begin + block, x.size());
      bool exact = false;
      for (std::size_t i = begin; i < end; ++i) exact = exact || decides_for_block(x[i], codec(), coding);
      for (std::size_t i = begin; i < end && !HasFailure(); ++i) {
        const bool same = bits_of(got[i]) == bits_of(x[i]);
        changed += same ? 0 : 1;
        EXPECT_EQ(bits_of(got[i]), bits_of(blind[i])) << "number " << i << " depends on who decodes";
        const bool keeps = exact || !std::isfinite(static_cast<double>(x[i]));
        EXPECT_TRUE(same || !keeps) << "number " << i << " of a block to be kept: " << +bits_of(got[i]) << " for "
                                    << +bits_of(x[i]);
      }
    }
    return changed;
  }
};

INSTANTIATE_TEST_SUITE_P(Codecs, Denormals, ::testing::Range(std::size_t{0}, all_subjects().size()),
                         [](const auto& i) { return all_subjects()[i.param].name; });

TEST_P(Denormals, KeepTheirBlocks) {
  for_all_codings([&](auto zero, const Coding& coding) {
    using T = decltype(zero);
    std::uint64_t turn = base_seed();
    std::size_t changed = 0;
    for (const Kind kind : {Kind::integers, Kind::special, Kind::denormal, Kind::random_bits})
      for (const std::size_t count : {std::size_t{1}, std::size_t{127}, std::size_t{1023}, std::size_t{1025},
                                      std::size_t{4097}, std::size_t{15001}}) {
        SCOPED_TRACE(name_of(kind) + ", count " + std::to_string(count));
        if (subject().stride > 1 && count > 5000 && kind != Kind::integers) continue;
        changed += check(make_field<T>(kind, count, ++turn), coding);
      }
    const bool loses = codec().name() != "raw" && codec().name() != "lossless";
    EXPECT_EQ(changed > 0, loses) << "other blocks are rounded as ever";
  });
}

// A denormal decides for its own block only, wherever it lies; -0 and other numbers that would change are kept with
// it.
TEST_P(Denormals, DecideAlone) {
  for_all_codings([&](auto zero, const Coding& coding) {
    using T = decltype(zero);
    Random random(base_seed());
    const std::size_t block = block_of(codec(), coding);
    const std::size_t count = 3 * block + 17;
    for (int round = 0; round < (subject().stride > 1 ? 3 : 12); ++round) {
      auto x = make_field<T>(round % 2 == 0 ? Kind::normal : Kind::negative_zero, count, random.bits());
      const auto kept = [&] {
        const auto got = decode<T>(codec(), encode(codec(), x, coding), count, coding);
        std::vector<bool> same((count + block - 1) / block, true);
        for (std::size_t i = 0; i < count; ++i)
          if (bits_of(got[i]) != bits_of(x[i])) same[i / block] = false;
        return same;
      };
      auto expected = kept();
      const std::size_t at = round < 4 ? std::size_t{3} * block + (round < 2 ? 0 : 16) : random.below(count);
      SCOPED_TRACE("round " + std::to_string(round) + ", number " + std::to_string(at));
      x[at] = round % 3 == 0 ? std::numeric_limits<T>::denorm_min() : detail::integer_in_bits<T>(random);
      expected[at / block] = true;
      ASSERT_EQ(kept(), expected);
    }
  });
}

// Where no block holds a denormal, the frame is the same as without the option.
TEST_P(Denormals, ChangeNothingElse) {
  for_all_codings([&](auto zero, const Coding& coding) {
    using T = decltype(zero);
    Coding usual = coding;
    usual.exact_denormals = false;
    std::uint64_t turn = base_seed();
    for (const Kind kind : {Kind::normal, Kind::sparse, Kind::zero, Kind::negative_zero, Kind::walk, Kind::extreme}) {
      SCOPED_TRACE(name_of(kind));
      auto x = make_field<T>(kind, 5001, ++turn);
      for (T& v : x)
        if (is_denormal(v)) v = T(0.0f);
      x[17] = std::numeric_limits<T>::min();
      x[4999] = -std::numeric_limits<T>::min();
      ASSERT_EQ(encode(codec(), x, coding), encode(codec(), x, usual));
    }
  });
}

// All implementations write the same bytes.
TEST(DenormalsOnLattices, AreFoundByEveryImplementation) {
  SCOPED_TRACE(seed_note());
  const auto check = [](auto zero, double relative) {
    using T = decltype(zero);
    Coding coding = coding_for<T>(relative > 0 ? 0 : 1e-3);
    coding.relative = relative;
    coding.exact_denormals = true;
    const auto x = make_field<T>(Kind::integers, 20001, base_seed());
    for (const Subject& s : all_subjects())
      if (s.codec->error_shape().lattice) {
        EXPECT_EQ(encode(*s.codec, x, coding), encode(reference_of(*s.codec), x, coding)) << s.name;
      }
  };
  for (const double relative : {0.0, 0.05}) check(0.0f, relative), check(0.0, relative);
}

TEST(DenormalBit, IsThatOfDenormalNumbers) {
  const auto check = [](auto zero) {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    for (const T x : {Limits::denorm_min(), -Limits::denorm_min(),
                      std::bit_cast<T>(static_cast<decltype(bits_of(T{}))>(bits_of(Limits::min()) - 1))})
      EXPECT_TRUE(is_denormal(x)) << +bits_of(x);
    for (const T x : {T(0.0f), -T(0.0f), Limits::min(), -Limits::min(), T(1.0f), Limits::max(), Limits::lowest(),
                      Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN()})
      EXPECT_FALSE(is_denormal(x)) << +bits_of(x);
  };
  check(0.0f), check(0.0), check(Float16(0.0f)), check(Bfloat16(0.0f));
}

}  // namespace
}  // namespace laconic::test
