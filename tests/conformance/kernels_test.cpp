// SPDX-License-Identifier: BSD-3-Clause
// Every instruction set gives the results of the reference kernels, byte for byte and bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/same_frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using quant::Kernels;
using quant::Points;

class KernelTable : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Kernels& table() const { return *quant::available_kernels()[GetParam()]; }
  const Kernels& reference() const { return quant::reference_kernels(); }
  const Codec& codec() const { return *quant_variants()[GetParam()]; }
  const Codec& reference_codec() const { return *quant_variants()[0]; }
};

INSTANTIATE_TEST_SUITE_P(Kernels, KernelTable, ::testing::Range(std::size_t{0}, quant::available_kernels().size()),
                         [](const auto& i) { return std::string(quant::available_kernels()[i.param]->name); });

TEST_P(KernelTable, FramesFloat) { expect_same_frames<float>(codec(), reference_codec()); }
TEST_P(KernelTable, FramesDouble) { expect_same_frames<double>(codec(), reference_codec()); }
TEST_P(KernelTable, FramesFloat16) { expect_same_frames<Float16>(codec(), reference_codec()); }
TEST_P(KernelTable, FramesBfloat16) { expect_same_frames<Bfloat16>(codec(), reference_codec()); }

// Points of every width and shape, over the whole range of 32 bits: hostile frames can produce them.
std::vector<std::int32_t> some_points(Random& random, std::size_t n) {
  std::vector<std::int32_t> q(n);
  const std::uint64_t shape = random.below(6);
  std::uint64_t width = random.below(33);
  auto level = static_cast<std::int32_t>(random.bits());
  for (std::size_t i = 0; i < n; ++i) {
    if (shape == 1 && i % 16 == 0) width = random.below(33);
    if (shape == 2 && i % 64 == 0) width = random.below(4) == 0 ? random.below(33) : 0;
    const auto bits = width == 0 ? 0u : static_cast<std::uint32_t>(random.bits() >> 32) >> (32 - width);
    switch (shape) {
      case 3: q[i] = level = static_cast<std::int32_t>(static_cast<std::uint32_t>(level) + (bits & 7) - 3); break;
      case 4:
        q[i] = random.below(2) ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int32_t>::max();
        break;
      case 5: q[i] = i == 0 ? level : q[i - 1]; break;
      default: q[i] = static_cast<std::int32_t>(random.below(2) ? bits : 0u - bits);
    }
  }
  return q;
}

TEST_P(KernelTable, PacksAndUnpacksLikeTheReference) {
  Random random(base_seed());
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t n = round % 3 == 0 ? quant::block_values : 1 + random.below(quant::block_values);
    const auto q = some_points(random, n);
    Points a;
    Points b;
    std::memset(&a, 0x5a, sizeof a);
    std::memset(&b, 0xc3, sizeof b);
    std::copy(q.begin(), q.end(), a.q);
    std::copy(q.begin(), q.end(), b.q);
    Guarded out_a(quant::largest_packed_block + quant::store_slack);
    Guarded out_b(quant::largest_packed_block + quant::store_slack);
    const quant::Entry entry = reference().pack(a, n, out_a.bytes().data());
    const std::size_t size = quant::bytes_of(entry);
    ASSERT_EQ(table().pack(b, n, out_b.bytes().data()), entry);
    ASSERT_TRUE(out_a.intact() && out_b.intact());
    ASSERT_TRUE(std::equal(q.begin(), q.end(), b.q)) << "pack changed the points";
    ASSERT_EQ(std::memcmp(out_a.bytes().data(), out_b.bytes().data(), size), 0);
    if (entry == quant::zero_block) continue;

    const Bytes packed(out_a.bytes().begin(), out_a.bytes().begin() + static_cast<std::ptrdiff_t>(size));
    Points back;
    ASSERT_TRUE(table().unpack({entry, packed.data(), packed.data() + size}, n, back));
    ASSERT_TRUE(std::equal(q.begin(), q.end(), back.q)) << "unpack";
    for (std::size_t cut = 2; cut < size; cut += 2 * (1 + size / 40)) {
      const Bytes part(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(cut));
      const quant::Entry shorter = quant::make_entry(quant::kind_of(entry), cut);
      ASSERT_FALSE(table().unpack({shorter, part.data(), part.data() + cut}, n, back))
          << "a block cut to " << cut << " bytes";
    }
  }
}

TEST_P(KernelTable, UnpacksNoiseLikeTheReference) {
  Random random(base_seed());
  int valid = 0;
  for (int round = 0; round < 60000; ++round) {
    const std::size_t n = 1 + random.below(quant::block_values);
    Bytes noise(2 * (1 + random.below(random.below(2) ? 100 : 8)));
    for (std::byte& b : noise) b = static_cast<std::byte>(random.below(4) ? random.bits() : 0);
    const quant::Kind kind = quant::kind_of(static_cast<int>(random.below(3)), random.below(2) != 0);
    const quant::Packed in{quant::make_entry(kind, noise.size()), noise.data(), noise.data() + noise.size()};
    Points a;
    Points b;
    const bool good = reference().unpack(in, n, a);
    valid += good;
    ASSERT_EQ(table().unpack(in, n, b), good);
    if (good) {
      ASSERT_TRUE(std::equal(a.q, a.q + n, b.q));
    }
  }
  EXPECT_GT(valid, 10);
}

TEST_P(KernelTable, DequantisesLikeTheReference) {
  Random random(base_seed());
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + random.below(quant::block_values);
    const auto q = some_points(random, n);
    Points points;
    std::copy(q.begin(), q.end(), points.q);
    // The step of a hostile frame can be any finite number.
    double step = std::bit_cast<double>(random.bits() & 0x7fffffffffffffffULL);
    if (!std::isfinite(step)) step = 1;
    const double divisor = random.below(2) ? 1 : 3;
    std::vector<float> fa(n), fb(n);
    reference().dequantise_f32(points, n, step, divisor, fa.data());
    table().dequantise_f32(points, n, step, divisor, fb.data());
    ASSERT_EQ(std::memcmp(fa.data(), fb.data(), n * sizeof(float)), 0);
    std::vector<double> da(n), db(n);
    reference().dequantise_f64(points, n, step, divisor, da.data());
    table().dequantise_f64(points, n, step, divisor, db.data());
    ASSERT_EQ(std::memcmp(da.data(), db.data(), n * sizeof(double)), 0);
  }
}

// Float numbers are rounded in float up to some number of steps, and in double beyond. The test covers both sides of
// every limit, and ties with their neighbours, for many steps, alone and among other numbers.
TEST_P(KernelTable, RoundsLikeTheReferenceAtTheLimits) {
  Random random(base_seed());
  for (int round = 0; round < (sanitized ? 60 : 300); ++round) {
    const double allowance = (1 + random.unit()) * detail::power_of_two(static_cast<int>(random.below(320)) - 160);
    const std::uint32_t terms = std::array<std::uint32_t, 4>{1, 3, 65536, 1u << 30}[random.below(4)];
    const Coding coding = coding_for<float>(allowance, terms);
    const auto lattice = quant::Lattice::make(allowance, terms, Dtype::f32);
    if (lattice.step == 0) continue;
    std::vector<float> x;
    for (const double limit : {0.0, 1.0, 32000.0, 32767.0, 65536.0, 8388608.0, 16777216.0, lattice.largest})
      for (const double off : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5})
        for (const double sign : {-1.0, 1.0}) {
          const auto v = static_cast<float>(sign * (limit + off) * lattice.step);
          for (const float w : {v, std::nextafter(v, 0.0f), std::nextafter(v, std::numeric_limits<float>::infinity())})
            x.push_back(w);
        }
    for (std::size_t i = x.size(); i > 1; --i) std::swap(x[i - 1], x[random.below(i)]);
    // In a part with no number beyond the largest point, all are rounded, in float and in double side by side.
    for (std::size_t k = 0; k < quant::block_values; ++k) {
      const float v = x[random.below(x.size())];
      x.push_back(std::fabs(static_cast<double>(v)) < 0.999 * lattice.largest * lattice.step ? v : 0);
    }
    for (const std::size_t cut : {std::size_t{1}, std::size_t{5}, std::size_t{16}, std::size_t{40}, x.size()})
      for (std::size_t from = 0; from < x.size(); from += cut) {
        const std::size_t n = std::min(cut, x.size() - from);
        const std::vector<float> part(x.begin() + static_cast<std::ptrdiff_t>(from),
                                      x.begin() + static_cast<std::ptrdiff_t>(from + n));
        const Bytes frame = encode(codec(), part, coding);
        ASSERT_EQ(frame, encode(reference_codec(), part, coding)) << "allowance " << allowance << ", terms " << terms;
        const auto a = decode<float>(codec(), frame, n, coding);
        const auto b = decode<float>(reference_codec(), frame, n, coding);
        ASSERT_EQ(std::memcmp(a.data(), b.data(), n * sizeof(float)), 0);
        for (std::size_t i = 0; i < n; ++i) {
          if (!std::isfinite(part[i])) continue;
          ASSERT_LE(std::fabs(static_cast<long double>(a[i]) - part[i]), allowance + half_ulp(a[i]))
              << part[i] / lattice.step << " steps of " << lattice.step;
        }
      }
  }
}

TEST(Zigzag, IsInverted) {
  for (const std::uint32_t r : {0u, 1u, 2u, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu, 0xfffffffeu}) {
    EXPECT_EQ(quant::unzigzag(quant::zigzag(r)), r);
  }
  EXPECT_EQ(quant::zigzag(0), 0u);
  EXPECT_EQ(quant::zigzag(0xffffffffu), 1u);
  EXPECT_EQ(quant::zigzag(1), 2u);
}

TEST(Widths, AreTheSmallestThatHold) {
  using quant::GroupKind;
  for (unsigned width = 0; width <= 32; ++width) {
    const auto bits = width == 0 ? 0u : 1u << (width - 1);
    for (const GroupKind kind : {GroupKind::wide_group, GroupKind::long_group}) {
      if (width > 16 && kind == GroupKind::wide_group) continue;
      const auto code = quant::code_of(bits, kind);
      EXPECT_GE(quant::width_of_code(code, kind), width);
      if (code > 0) {
        EXPECT_LT(quant::width_of_code(code - 1u, kind), width);
      }
      EXPECT_EQ(quant::planes_of_code(code, kind).first, 0);
      EXPECT_EQ(quant::planes_of_code(code, kind).count, quant::width_of_code(code, kind));
    }
    if (width > 8) continue;
    // Residuals with and without negative values.
    const auto narrow = GroupKind::narrow_group;
    const auto some = quant::planes_of_code(quant::code_of(bits | 1, narrow), narrow);
    EXPECT_EQ(some.first, 0);
    EXPECT_EQ(some.count, std::max(width, 1u));
    const auto none = quant::planes_of_code(quant::code_of(bits, narrow), narrow);
    EXPECT_EQ(none.first + none.count, width);
    EXPECT_EQ(none.first, width >= 2 ? 1 : 0);
  }
}

TEST(Widths, AreThoseOfTheFormat) {
  const unsigned of_wide[16] = {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const unsigned of_long[16] = {0, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 28, 32};
  for (unsigned code = 0; code < 16; ++code) {
    EXPECT_EQ(quant::width_of_code(code, quant::GroupKind::wide_group), of_wide[code]);
    EXPECT_EQ(quant::width_of_code(code, quant::GroupKind::long_group), of_long[code]);
  }
}

TEST(Groups, HaveTheKindOfTheirLongestResidual) {
  using quant::GroupKind;
  EXPECT_EQ(quant::group_kind_of(0xffu), GroupKind::narrow_group);
  EXPECT_EQ(quant::group_kind_of(0x100u), GroupKind::wide_group);
  EXPECT_EQ(quant::group_kind_of(0xffffu), GroupKind::wide_group);
  EXPECT_EQ(quant::group_kind_of(0x10000u), GroupKind::long_group);
  for (const GroupKind kind : {GroupKind::narrow_group, GroupKind::wide_group, GroupKind::long_group})
    EXPECT_EQ(quant::group_kind_of(quant::in_first_bitmap(kind), quant::in_second_bitmap(kind)), kind);
}

// The step rule of docs/wire-format.md: 21 significant bits, just below twice the allowance.
TEST(Lattice, StepsAreShortAndJustBelowTwiceTheAllowance) {
  Random random(base_seed());
  for (int round = 0; round < 20000; ++round) {
    const double allowance = (1 + random.unit()) * detail::power_of_two(static_cast<int>(random.below(1900)) - 950);
    for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
      const quant::Lattice lattice = quant::Lattice::make(allowance, 4, dtype);
      if (lattice.step == 0) continue;
      const double room = dtype == Dtype::f32 ? 0x3p-8 : 0x1p-18;
      ASSERT_LE(lattice.step, 2 * allowance * (1 - room));
      ASSERT_GE(lattice.step, 2 * allowance * (1 - room - (dtype == Dtype::f32 ? 0x1p-9 : 0x1p-19)));
      int exponent = 0;
      const double mantissa = std::ldexp(std::frexp(lattice.step, &exponent), 21);
      ASSERT_EQ(mantissa, std::floor(mantissa));
    }
  }
}

TEST(Lattice, IsThereForEveryOrdinaryAllowance) {
  for (const double allowance : {1e-290, 1e-100, 1e-9, 1.0, 1e20, 1e300})
    EXPECT_GT(quant::Lattice::make(allowance, 1, Dtype::f64).step, 0) << allowance;
  for (const double allowance : {0.0, -1.0, 1e-305, std::numeric_limits<double>::denorm_min(), 1e305,
                                 std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(quant::Lattice::make(allowance, 1, Dtype::f64).step, 0) << allowance;
}

TEST(Isa, NamesOfUsableTablesAreAccepted) {
  for (const Kernels* table : quant::available_kernels()) EXPECT_TRUE(quant::check_isa(table->name).ok());
  const Status s = quant::check_isa("sse17");
  EXPECT_EQ(s.code(), Code::argument);
  EXPECT_NE(s.message().find("baseline"), std::string::npos) << s.message();
}

}  // namespace
}  // namespace laconic::test
