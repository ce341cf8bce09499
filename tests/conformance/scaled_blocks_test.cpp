// SPDX-License-Identifier: BSD-3-Clause
// The functions of Kernels::ScaledBlocks, Scales and Masks, compared with the reference.
#include "block_kernels.hpp"

namespace laconic::test {
namespace {

// Blocks of scaled frames, whose points may be shifted before they are added.

constexpr std::size_t scaled_values = quant::scaled::values;

PointList scaled_curve(Random& random) {
  PointList q = curve(random);
  q.resize(scaled_values);
  return q;
}

PointList times(PointList q, int up) {
  for (std::int32_t& v : q) v = wrapped(std::int64_t{v} << up);
  return q;
}

// Whether a sum may be formed of these points: the kernels may refuse more.
bool fit_addends(const PointList& q, int up) {
  return std::all_of(q.begin(), q.end(), [up](std::int32_t v) {
    return std::abs(std::int64_t{v}) << up <= quant::scaled::largest_addend + std::int64_t{v < 0};
  });
}

bool some_odd(const PointList& q) {
  return std::any_of(q.begin(), q.end(), [](std::int32_t v) { return v % 2 != 0; });
}

int draw_up(Random& random) { return random.below(3) == 0 ? static_cast<int>(random.below(20)) : 0; }

TEST_P(BlockKernels, ScaledAdd) {
  Random random(base_seed());
  Placed in[2];
  const bool there = table().scaled_blocks.add != nullptr;
  for (int round = 0; round < rounds && there; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const PointList q = scaled_curve(random);
    const Body a = random.below(4) == 0 ? hostile(random, scaled_values) : packed(q);
    const Body b = random.below(4) == 0 ? hostile(random, scaled_values) : packed(partner(random, q));
    if (a.entry == quant::zero_block || b.entry == quant::zero_block) continue;
    int up_a = draw_up(random);
    int up_b = 0;
    if (random.below(2) != 0) std::swap(up_a, up_b);
    Room room;
    const bool done = table().scaled_blocks.add(in[0].put(a, random.below(2) != 0), up_a,
                                                in[1].put(b, random.below(2) != 0), up_b, staged_);
    count(done, a.entry);
    if (!done) continue;
    const PointList points_a = unpacked(a, scaled_values);
    const PointList points_b = unpacked(b, scaled_values);
    ASSERT_TRUE(fit_addends(points_a, up_a) && fit_addends(points_b, up_b));
    const PointList expected = sum_of(times(points_a, up_a), times(points_b, up_b));
    ASSERT_EQ(table().scaled_blocks.is_odd(staged_), some_odd(expected));
    ASSERT_NO_FATAL_FAILURE(room.expect(table().scaled_blocks.put(staged_, room.out()), packed(expected)));
  }
  expect_some(there);
}

TEST_P(BlockKernels, ScaledFoldAndEncode) {
  Random random(base_seed());
  Placed in;
  const bool there = table().scaled_blocks.fold != nullptr;
  for (int round = 0; round < rounds && there; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    Lattice own;
    int exponent = 0;
    ASSERT_TRUE(quant::scaled::lattice_of<float>(std::ldexp(1.0, static_cast<int>(random.below(60)) - 30), 1e-3,
                                                 1 + static_cast<std::uint32_t>(random.below(8)), own, exponent));
    const PointList q = scaled_curve(random);
    const Body a = random.below(4) == 0 ? hostile(random, scaled_values) : packed(partner(random, q));
    if (a.entry == quant::zero_block) continue;
    std::vector<float> x;
    for (const std::int32_t v : q) x.push_back(static_cast<float>((v + (random.unit() - 0.5) * 0.99) * own.step));
    if (random.below(20) == 0) x[random.below(x.size())] = std::numeric_limits<float>::quiet_NaN();
    quant::Points rounded;
    const bool on_lattice = quant::reference_kernels().quantise_f32(x.data(), scaled_values, own, rounded);
    const PointList mine(rounded.q, rounded.q + scaled_values);
    Room room[2];
    if (table().scaled_blocks.encode(x.data(), own, staged_)) {
      ASSERT_TRUE(on_lattice);
      ASSERT_EQ(table().scaled_blocks.is_odd(staged_), some_odd(mine));
      ASSERT_NO_FATAL_FAILURE(room[0].expect(table().scaled_blocks.put(staged_, room[0].out()), packed(mine)));
    }
    int up = draw_up(random);
    int up_in = 0;
    if (random.below(2) != 0) std::swap(up, up_in);
    const bool done = table().scaled_blocks.fold(in.put(a, random.below(2) != 0), up_in, x.data(), own, up, staged_);
    count(done, a.entry);
    if (!done) continue;
    ASSERT_TRUE(on_lattice);
    const PointList theirs = unpacked(a, scaled_values);
    ASSERT_TRUE(fit_addends(theirs, up_in) && fit_addends(mine, up));
    const PointList expected = sum_of(times(theirs, up_in), times(mine, up));
    ASSERT_EQ(table().scaled_blocks.is_odd(staged_), some_odd(expected));
    ASSERT_NO_FATAL_FAILURE(room[1].expect(table().scaled_blocks.put(staged_, room[1].out()), packed(expected)));
  }
  expect_some(there);
}

// The kernels find the same scales as the reference, to the bit.
template <class T>
void scales_of_any_block(const Kernels& k, const Kernels& reference) {
  const auto range = [](const Kernels& table, const std::vector<T>& x) {
    if constexpr (sizeof(T) == 4)
      return table.scales.range_f32(x.data(), x.size());
    else
      return table.scales.range_f64(x.data(), x.size());
  };
  const auto squares = [](const Kernels& table, const std::vector<T>& x, double factor) {
    if constexpr (sizeof(T) == 4)
      return table.scales.squares_f32(x.data(), x.size(), factor);
    else
      return table.scales.squares_f64(x.data(), x.size(), factor);
  };
  Random random(base_seed());
  for (const NamedKind& kind : all_kinds)
    for (int round = 0; round < 60; ++round) {
      SCOPED_TRACE(std::string(kind.name) + ", round " + std::to_string(round) + ", " + seed_note());
      const std::size_t n = random.below(2) != 0 ? scaled_values : 1 + random.below(scaled_values);
      const auto x = make_field<T>(kind.kind, n, random.bits());
      const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
      ASSERT_PRED2(same, range(k, x), range(reference, x));
      ASSERT_PRED2(same, squares(k, x, 0x1p-3), squares(reference, x, 0x1p-3));
    }
}
TEST_P(BlockKernels, ScalesFloat) { scales_of_any_block<float>(table(), quant::reference_kernels()); }
TEST_P(BlockKernels, ScalesDouble) { scales_of_any_block<double>(table(), quant::reference_kernels()); }

template <class T>
void masked_items(const Kernels& k, Random& random) {
  const Kernels& reference = quant::reference_kernels();
  const std::size_t n = random.below(3) == 0 ? block_values : 1 + random.below(block_values);
  std::vector<T> in(block_values);
  for (T& v : in) v = static_cast<T>(random.bits());
  quant::Mask mask;
  mask.clear();
  const std::uint64_t pace = 1 + random.below(random.below(2) != 0 ? 60 : 2);
  bool set = random.below(2) != 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (random.below(pace) == 0) set = !set;
    if (set) mask.add(i);
  }
  std::size_t changes = 0;
  for (std::size_t i = 0; i < n; ++i) changes += mask.has(i) != (i > 0 && mask.has(i - 1));
  ASSERT_EQ(mask.changes(static_cast<unsigned>(n)), changes);
  ASSERT_EQ(mask.count() + mask.others(n).count(), n);
  std::vector<T> out[2]{std::vector<T>(block_values, 7), std::vector<T>(block_values, 7)};
  const auto same = [&](std::size_t items) {
    return std::equal(out[0].begin(), out[0].begin() + static_cast<std::ptrdiff_t>(items), out[1].begin());
  };
  k.masks.take(in.data(), sizeof(T), mask, n, out[0].data());
  reference.masks.take(in.data(), sizeof(T), mask, n, out[1].data());
  ASSERT_TRUE(same(mask.count()));
  k.masks.put(in.data(), sizeof(T), mask, n, out[0].data());
  reference.masks.put(in.data(), sizeof(T), mask, n, out[1].data());
  ASSERT_TRUE(same(n));
  k.masks.copy(in.data(), sizeof(T), mask, n, out[0].data());
  reference.masks.copy(in.data(), sizeof(T), mask, n, out[1].data());
  ASSERT_TRUE(same(n));
  // In place, as repeated exceptions are left out.
  k.masks.take(out[0].data(), sizeof(T), mask, n, out[0].data());
  reference.masks.take(out[1].data(), sizeof(T), mask, n, out[1].data());
  ASSERT_TRUE(same(mask.count()));
}

TEST_P(BlockKernels, MaskedItems) {
  Random random(base_seed());
  for (int round = 0; round < rounds / 10; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    ASSERT_NO_FATAL_FAILURE(masked_items<std::uint16_t>(table(), random));
    ASSERT_NO_FATAL_FAILURE(masked_items<std::uint32_t>(table(), random));
    ASSERT_NO_FATAL_FAILURE(masked_items<std::uint64_t>(table(), random));
  }
}

TEST_P(BlockKernels, NumbersBeyondALimit) {
  Random random(base_seed());
  for (const NamedKind& kind : all_kinds)
    for (const double limit : {0.5, 1.0, 1e6}) {
      SCOPED_TRACE(std::string(kind.name) + ", " + seed_note());
      const std::size_t n = 1 + random.below(block_values);
      const auto single = make_field<float>(kind.kind, n, random.bits());
      const auto twice = make_field<double>(kind.kind, n, random.bits());
      quant::Mask mask[2];
      table().masks.beyond_f32(single.data(), n, 3.0, limit, mask[0]);
      table().masks.beyond_f64(twice.data(), n, 3.0, limit, mask[1]);
      for (std::size_t i = 0; i < block_values; ++i) {
        ASSERT_EQ(mask[0].has(i), i < n && !(std::fabs(3.0 * static_cast<double>(single[i])) <= limit)) << i;
        ASSERT_EQ(mask[1].has(i), i < n && !(std::fabs(3.0 * twice[i]) <= limit)) << i;
      }
    }
}

TEST_P(BlockKernels, CommonPowersOfTwo) {
  Random random(base_seed());
  for (int round = 0; round < rounds / 10; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t n = random.below(2) != 0 ? scaled_values : 1 + random.below(scaled_values);
    PointList q = curve(random);
    q.resize(n);
    const int up = static_cast<int>(random.below(3));
    quant::Points points[2];
    for (quant::Points& p : points) std::copy(q.begin(), q.end(), p.q);
    table().scales.shift(points[0], n, up);
    ASSERT_TRUE(std::equal(points[0].q, points[0].q + n, times(q, up).begin()));
    const quant::PointBits found = table().scales.bits(points[0], n);
    const quant::PointBits expected = quant::reference_kernels().scales.bits(points[0], n);
    ASSERT_EQ(found.any, expected.any);
    ASSERT_EQ(found.magnitudes, expected.magnitudes);
    table().scales.shift(points[1], n, -up);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(points[1].q[i], q[i] >> up);
  }
}

}  // namespace
}  // namespace laconic::test
