// SPDX-License-Identifier: BSD-3-Clause
// Blocks of sums whose points need more than 32 bits: rounding, adding and decoding are exact, in any order, on every
// instruction set, and sums keep their bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "codec/quant/numbers.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using quant::AnyPoints;
using quant::Kernels;

class Far : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Kernels& table() const { return *quant::available_kernels()[GetParam()]; }
  const Kernels& reference() const { return quant::reference_kernels(); }
  const Codec& codec() const { return *quant_variants()[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(Kernels, Far, ::testing::Range(std::size_t{0}, quant::available_kernels().size()),
                         [](const auto& i) { return std::string(quant::available_kernels()[i.param]->name); });

// Points up to some width, near each other or not.
std::vector<std::int64_t> some_points(Random& random, std::size_t n) {
  std::vector<std::int64_t> q(n);
  const std::uint64_t level = random.bits() >> random.below(64);
  const std::uint64_t width = 1 + random.below(64);
  for (std::int64_t& v : q) {
    const std::uint64_t more = random.bits() >> (64 - width);
    v = static_cast<std::int64_t>(random.below(2) ? level + more : level - more);
  }
  return q;
}

void set(AnyPoints& points, const std::vector<std::int64_t>& q) {
  points.far = true;
  for (std::size_t i = 0; i < q.size(); ++i) {
    points.points.q[i] = quant::low_of(static_cast<std::uint64_t>(q[i]));
    points.high.q[i] = quant::high_of(static_cast<std::uint64_t>(q[i]));
  }
}

std::vector<std::int64_t> get(const AnyPoints& points, std::size_t n) {
  std::vector<std::int64_t> q;
  for (std::size_t i = 0; i < n; ++i)
    q.push_back(static_cast<std::int64_t>(quant::far_point(points.points.q[i], points.far ? points.high.q[i] : 0)));
  return q;
}

TEST_P(Far, PacksUnpacksAndCombines) {
  Random random(base_seed());
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t n = round % 3 == 0 ? quant::block_values : 1 + random.below(quant::block_values);
    const auto q = some_points(random, n);
    const auto p = some_points(random, n);
    AnyPoints a;
    AnyPoints b;
    set(a, q);
    set(b, p);
    ASSERT_EQ(get(a, n), q);
    const Op op = round % 2 == 0 ? Op::sum : round % 4 == 1 ? Op::max : Op::min;
    a.combine_with(table(), op, b, n);
    const auto combined = get(a, n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(q[i]) + static_cast<std::uint64_t>(p[i]));
      ASSERT_EQ(combined[i], op == Op::sum ? sum : op == Op::max ? std::max(q[i], p[i]) : std::min(q[i], p[i]));
    }
    Guarded out(quant::largest_far_block + quant::store_slack);
    Guarded expected(quant::largest_far_block + quant::store_slack);
    const quant::Entry entry = a.pack(table(), n, out.bytes().data());
    const std::size_t size = quant::bytes_of(entry);
    ASSERT_TRUE(quant::is_far({entry, out.bytes().data(), out.bytes().data() + size}));
    ASSERT_TRUE(size <= quant::largest_far_block && out.intact());
    set(b, combined);
    ASSERT_EQ(b.pack(reference(), n, expected.bytes().data()), entry);
    ASSERT_EQ(std::memcmp(out.bytes().data(), expected.bytes().data(), size), 0);
    AnyPoints back;
    ASSERT_TRUE(back.read(table(), {entry, out.bytes().data(), out.bytes().data() + size}, n));
    ASSERT_EQ(get(back, n), combined);
    ASSERT_TRUE(quant::is_valid({entry, out.bytes().data(), out.bytes().data() + size}, n));
    for (std::size_t cut = 10; cut < size; cut += 2 * (1 + size / 40)) {
      const Bytes part(out.bytes().begin(), out.bytes().begin() + static_cast<std::ptrdiff_t>(cut));
      const quant::Packed in{quant::make_entry(quant::Kind::fill, cut), part.data(), part.data() + cut};
      ASSERT_FALSE(back.read(table(), in, n)) << "a block cut to " << cut << " bytes";
      ASSERT_FALSE(quant::is_valid(in, n));
    }
  }
}

// The points nearest to numbers at every distance from 0, at ties and just beside them: within half a step, and the
// same as those of 32 bits where there are such.
template <class T>
void rounds_to_nearest(const Kernels& table) {
  Random random(base_seed());
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const double allowance = std::ldexp(1 + random.unit(), -static_cast<int>(random.below(40)));
    const std::uint32_t terms = 2u << random.below(15);
    const quant::Lattice lattice = quant::Lattice::make(allowance, terms, dtype_of<T>);
    ASSERT_GT(lattice.largest_far, lattice.largest);
    std::vector<T> x(quant::block_values);
    for (T& v : x) {
      const auto width = static_cast<int>(random.below(52));
      double steps = std::ldexp(1 + random.unit() + random.unit() * 0x1p-24, width) * (random.below(2) ? 1 : -1);
      if (random.below(2)) steps = std::floor(steps) + 0.5;
      steps = std::clamp(steps, -lattice.largest_far, lattice.largest_far);
      v = static_cast<T>(steps * lattice.step);
      if (random.below(2)) v = std::nextafter(v, T(0));
    }
    quant::Points low;
    quant::Points high;
    quant::Points expected[2];
    const bool good = quant::quantise_far_block(table, x.data(), x.size(), lattice, low, high);
    ASSERT_EQ(good, quant::quantise_far_block(quant::reference_kernels(), x.data(), x.size(), lattice, expected[0],
                                              expected[1]));
    ASSERT_EQ(std::memcmp(low.q, expected[0].q, sizeof low.q), 0);
    ASSERT_EQ(std::memcmp(high.q, expected[1].q, sizeof high.q), 0);
    int with_point = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::uint64_t q;
      if (!quant::quantise_far(x[i], lattice, q)) {
        // Only those that rounding put beyond the limit have none.
        ASSERT_GE(std::fabs(exactly(x[i])), lattice.largest_far * lattice.step * (1 - 0x1p-20)) << exactly(x[i]);
        continue;
      }
      ++with_point;
      ASSERT_EQ(quant::far_point(low.q[i], high.q[i]), q);
      // 64 bits of long double hold the difference, since the product with the high half is subtracted first.
      const auto point = static_cast<std::int64_t>(q);
      const std::int64_t top = point / (std::int64_t{1} << 26) * (std::int64_t{1} << 26);
      const long double off = exactly(x[i]) - static_cast<long double>(top) * lattice.step -
                              static_cast<long double>(point - top) * lattice.step;
      ASSERT_LE(std::fabs(off), allowance) << exactly(x[i]) << " of " << lattice.step;
      std::int32_t near;
      if (quant::quantise(x[i], lattice, near)) {
        ASSERT_EQ(point, near);
      }
    }
    ASSERT_GT(with_point, 500);
  }
}
TEST_P(Far, RoundsToNearestFloat) { rounds_to_nearest<float>(table()); }
TEST_P(Far, RoundsToNearestDouble) { rounds_to_nearest<double>(table()); }

// A point is decoded with one rounding to float64, up to the largest number of the type.
TEST_P(Far, DecodesLikeTheReference) {
  Random random(base_seed());
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random.below(quant::block_values);
    AnyPoints points;
    const auto q = some_points(random, n);
    set(points, q);
    const double digits = std::floor(std::ldexp(1 + random.unit(), 20));
    const double step = std::ldexp(digits, static_cast<int>(random.below(1900)) - 1000);
    const double divisor = random.below(2) ? 1 : 3;
    std::vector<double> a(n), b(n);
    std::vector<float> fa(n), fb(n);
    points.decode(table(), n, step, divisor, a.data());
    points.decode(reference(), n, step, divisor, b.data());
    points.decode(table(), n, step, divisor, fa.data());
    points.decode(reference(), n, step, divisor, fb.data());
    ASSERT_EQ(std::memcmp(a.data(), b.data(), n * sizeof(double)), 0);
    ASSERT_EQ(std::memcmp(fa.data(), fb.data(), n * sizeof(float)), 0);
    for (std::size_t i = 0; i < n; ++i) {
      // The halves of the product, each exact, added with one rounding by a fused operation.
      const std::int64_t high = q[i] / (std::int64_t{1} << 32);
      const double half = std::fma(static_cast<double>(high) * 0x1p31, step,
                                   static_cast<double>(q[i] - high * (std::int64_t{1} << 32)) * (step / 2));
      const double expected = 2 * half;
      ASSERT_EQ(bits_of(a[i]), bits_of(divisor == 1 ? expected : expected / divisor));
      ASSERT_EQ(bits_of(fa[i]), bits_of(static_cast<float>(a[i])));
    }
  }
}

// The sum of many contributions with a share of the bound each, in different orders: the same bytes, none of them raw,
// and the bound holds.
template <class T>
void sums_of_fields(const Codec& codec) {
  std::uint64_t seed = base_seed();
  for (const Kind kind : {Kind::real, Kind::walk, Kind::ramp, Kind::outliers, Kind::sparse, Kind::huge_range})
    for (const double relative : {1e-2, 1e-4, 1e-6}) {
      SCOPED_TRACE(name_of(kind) + ", " + std::to_string(relative) + ", " + seed_note());
      constexpr int ranks = 64;
      constexpr std::size_t count = 2500;
      std::vector<std::vector<T>> x;
      long double least = 0;
      long double most = 0;
      for (int r = 0; r < ranks; ++r) {
        x.push_back(make_field<T>(kind, count, seed, r));
        // Some are coded near 0, and some cancel the others.
        if (r % 7 == 3)
          for (T& v : x.back()) v = static_cast<T>(exactly(v) / 1000);
        if (r % 7 == 5)
          for (std::size_t i = 0; i < count; ++i)
            x[static_cast<std::size_t>(r)][i] = -x[static_cast<std::size_t>(r - 2)][i];
        for (const T v : x.back()) {
          least = std::min(least, exactly(v));
          most = std::max(most, exactly(v));
        }
      }
      ++seed;
      const auto bound = static_cast<double>((most - least) * relative);
      const Coding coding = coding_for<T>(bound / ranks, ranks);
      std::vector<Bytes> frames;
      for (const auto& own : x) {
        frames.push_back(encode(codec, own, coding));
        ASSERT_TRUE(all_on_lattice(frames.back(), count, dtype_of<T>));
      }
      Bytes folded = frames[0];
      Bytes backwards = frames[ranks - 1];
      for (std::size_t r = 1; r < ranks; ++r) {
        folded = fold(codec, folded, x[r], coding);
        backwards = add(codec, frames[ranks - 1 - r], backwards, count, coding);
      }
      for (std::size_t width = ranks; width > 1; width /= 2)
        for (std::size_t r = 0; r < width / 2; ++r)
          frames[r] = add(codec, frames[r], frames[r + width / 2], count, coding);
      // The errors in the headers are sums of floating-point numbers.
      const auto payload = [](const Bytes& frame) { return Bytes(frame.begin() + wire::header_bytes, frame.end()); };
      ASSERT_EQ(payload(folded), payload(backwards));
      ASSERT_EQ(payload(folded), payload(frames[0]));
      const auto sum = decode<T>(codec, folded, count, coding);
      for (std::size_t i = 0; i < count; ++i) {
        const Exact e = reduce_exactly(Op::sum, ranks, [&](int r) { return x[static_cast<std::size_t>(r)][i]; });
        ASSERT_LE(std::fabs(exactly(sum[i]) - e.value),
                  static_cast<long double>(bound) + half_ulp(sum[i]) + std::ldexp(e.magnitude, -62))
            << "number " << i;
      }
    }
}
TEST_P(Far, SumsKeepTheirBytesAndTheirBoundFloat) { sums_of_fields<float>(codec()); }
TEST_P(Far, SumsKeepTheirBytesAndTheirBoundDouble) { sums_of_fields<double>(codec()); }

// Every block that holds no sum is raw where it cannot have points of 32 bits: far blocks would be larger.
TEST_P(Far, OnlySumsHaveFarBlocks) {
  const auto x = make_field<float>(Kind::walk, 5000, base_seed());
  for (const auto& block : quant_blocks(encode(codec(), x, coding_for<float>(1e-10, 1)), x.size(), Dtype::f32))
    EXPECT_FALSE(block.on_lattice);
  for (const auto& block : quant_blocks(encode(codec(), x, coding_for<float>(1e-10, 2)), x.size(), Dtype::f32))
    EXPECT_TRUE(block.far);
}

}  // namespace
}  // namespace laconic::test
