// SPDX-License-Identifier: BSD-3-Clause
// Every codec with every type that it supports, beyond float and double of the other tests; for other types the codec
// must return an error that says so.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t counts[] = {0, 1, 2, 3, 15, 16, 17, 33, 127, 1023, 1024, 1025, 2048, 4097, 6001};

class Types : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Subject& subject() const { return all_subjects()[GetParam()]; }
  const Codec& codec() const { return *subject().codec; }

  // Calls f(T{}) for every type that the codec supports.
  template <class F>
  void for_all_types(F&& f) {
    for (const Dtype dtype : all_dtypes) {
      if (!codec().supports(dtype)) continue;
      SCOPED_TRACE(std::string(name_of(dtype)) + ", " + seed_note());
      dispatch(AllTypes{}, dtype, f);
      if (HasFailure()) return;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Codecs, Types, ::testing::Range(std::size_t{0}, all_subjects().size()),
                         [](const auto& i) { return all_subjects()[i.param].name; });

template <class T>
::testing::AssertionResult same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (bits_of(a[i]) != bits_of(b[i]))
      return ::testing::AssertionFailure()
             << "number " << i << ": bits " << +bits_of(a[i]) << " and " << +bits_of(b[i]);
  return ::testing::AssertionSuccess();
}

TEST_P(Types, KeepEveryBitWithoutAnAllowance) {
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    std::uint64_t turn = base_seed();
    for (const NamedKind& k : all_kinds)
      for (const std::size_t count : counts) {
        if (++turn % one_in != 0) continue;
        SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count));
        const auto x = make_field<T>(k.kind, count, turn);
        const Coding coding = coding_for<T>(0);
        const Bytes frame = encode(codec(), x, coding, turn % 3);
        ASSERT_EQ(header_of(frame).error, 0);
        ASSERT_TRUE(same_bits(x, decode<T>(codec(), frame, count, coding)));
      }
  });
}

TEST_P(Types, AddAsTheNumbersDo) {
  if (!codec().exact_sums()) GTEST_SKIP() << "sums are encoded again";
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    std::uint64_t turn = base_seed();
    for (const NamedKind& k : all_kinds)
      for (const Op op : {Op::sum, Op::max, Op::min}) {
        if (++turn % one_in != 0) continue;
        SCOPED_TRACE(std::string(k.name) + ", op " + std::to_string(static_cast<int>(op)));
        const std::size_t count = counts[turn % std::size(counts)];
        const auto x = make_field<T>(k.kind, count, turn, 0);
        const auto y = make_field<T>(all_kinds[turn % all_kinds.size()].kind, count, turn, 1);
        const Coding coding = coding_for<T>(0, 2, op);
        const Bytes fx = encode(codec(), x, coding);
        const Bytes fy = encode(codec(), y, coding);
        const Bytes sum = add(codec(), fx, fy, count, coding);
        ASSERT_EQ(sum, add(codec(), fy, fx, count, coding)) << "a + b and b + a differ";
        ASSERT_EQ(sum, fold(codec(), fx, y, coding)) << "fold and add differ";
        std::vector<T> expected(count);
        for (std::size_t i = 0; i < count; ++i) expected[i] = combine(op, x[i], y[i]);
        ASSERT_TRUE(same_bits(expected, decode<T>(codec(), sum, count, coding)));
      }
  });
}

TEST_P(Types, DivideForAMean) {
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    const auto x = make_field<T>(Kind::walk, 1500, base_seed());
    const Bytes frame = encode(codec(), x, coding_for<T>(0));
    const auto got = decode<T>(codec(), frame, x.size(), coding_for<T>(0, 1, Op::sum, 3));
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(bits_of(got[i]), bits_of(static_cast<T>(static_cast<double>(x[i]) / 3))) << i;
  });
}

// Truncated frames, damaged frames and noise give an error or numbers, and nothing is written outside of the output.
TEST_P(Types, SurviveAnyBytes) {
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    Random random(base_seed());
    for (int round = 0; round < 800; round += static_cast<int>(subject().stride)) {
      SCOPED_TRACE("round " + std::to_string(round));
      const Kind kind = all_kinds[random.below(all_kinds.size())].kind;
      const std::size_t count = 1 + random.below(2100);
      const auto x = make_field<T>(kind, count, random.bits());
      const Coding coding = coding_for<T>(0, 2, static_cast<Op>(random.below(3)));
      const Bytes good = encode(codec(), x, coding);
      Bytes bad = good;
      const bool cut = random.below(3) == 0;
      if (cut) {
        bad.resize(random.below(bad.size()));
      } else {
        for (std::uint64_t edits = 1 + random.below(3); edits > 0; --edits)
          bad[random.below(random.below(2) != 0 ? std::min<std::size_t>(bad.size(), 60) : bad.size())] ^=
              static_cast<std::byte>(random.bits());
        if (random.below(4) == 0) bad.insert(bad.end(), 1 + random.below(40), static_cast<std::byte>(random.bits()));
      }
      if (bad.size() >= wire::header_bytes) {
        const auto payload = static_cast<std::uint32_t>(bad.size() - wire::header_bytes);
        std::memcpy(bad.data() + 12, &payload, sizeof payload);
      }
      Guarded numbers(count * sizeof(T));
      const Status s = codec().decode(bad, numbers.as<T>(), count, coding);
      EXPECT_TRUE(numbers.intact());
      EXPECT_FALSE(cut && s.ok()) << "a frame that was cut is read";
      EXPECT_TRUE(s.ok() || (s.code() == Code::frame && !s.message().empty()));
      Guarded out(codec().capacity(count, coding.dtype));
      for (const Coded& coded :
           {codec().fold(bad, x.data(), count, coding, out.bytes()), codec().add(bad, good, count, coding, out.bytes()),
            codec().add(good, bad, count, coding, out.bytes())}) {
        EXPECT_TRUE(s.ok() || !coded.status.ok()) << "what cannot be decoded was added up";
        EXPECT_LE(coded.bytes, out.bytes().size());
        EXPECT_TRUE(out.intact());
      }
      if (HasFailure()) return;
    }
  });
}

TEST_P(Types, AreRefusedByNameWhereTheyAreNotSupported) {
  for (const Dtype dtype : all_dtypes) {
    if (codec().supports(dtype)) continue;
    Coding coding;
    coding.dtype = dtype;
    const std::vector<std::byte> numbers(8 * 100);
    Bytes frame(wire::header_bytes);
    wire::Header header;
    header.codec = codec().id();
    header.dtype = dtype;
    wire::write_header(header, frame);
    Bytes out(codec().capacity(100, Dtype::f64));
    for (const Status& s :
         {codec().encode(numbers.data(), 100, coding, out).status, codec().decode(frame, out.data(), 0, coding),
          codec().fold(frame, numbers.data(), 0, coding, out).status,
          codec().add(frame, frame, 0, coding, out).status}) {
      EXPECT_EQ(s.code(), Code::type);
      for (const std::string_view word : {codec().name(), name_of(dtype), std::string_view("f32, f64")})
        EXPECT_NE(s.message().find(word), std::string::npos) << s.message();
    }
  }
}

// Types of the same size are distinguished.
TEST_P(Types, AreNotTakenForEachOther) {
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    const Coding coding = coding_for<T>(0);
    const std::vector<T> x(100);
    const Bytes frame = encode(codec(), x, coding);
    for (const Dtype other : all_dtypes) {
      if (other == coding.dtype || !codec().supports(other)) continue;
      Coding wrong = coding;
      wrong.dtype = other;
      Guarded out(100 * size_of(other));
      const Status s = codec().decode(frame, out.bytes().data(), 100, wrong);
      ASSERT_EQ(s.code(), Code::frame);
      ASSERT_NE(s.message().find(std::string(name_of(coding.dtype)) + " where " + std::string(name_of(other))),
                std::string::npos)
          << s.message();
    }
  });
}

}  // namespace
}  // namespace laconic::test
