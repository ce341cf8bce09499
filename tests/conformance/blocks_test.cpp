// SPDX-License-Identifier: BSD-3-Clause
// The functions of Kernels::Blocks, which use other code than those for points, and bodies that no encoder writes,
// compared with the reference byte for byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "codec/quant/scaled_rules.hpp"
#include "support/blocks.hpp"
#include "support/guarded.hpp"
#include "support/page_end.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using quant::block_values;
using quant::Entry;
using quant::Kernels;
using quant::Lattice;
using quant::Packed;

constexpr int rounds = slow_build ? 300 : 3000;
constexpr double allowance = 0x1p-7;

const Lattice& lattice() {
  static const Lattice made = Lattice::make(allowance, 4, Dtype::f32);
  return made;
}

std::vector<float> numbers_of(const PointList& q) {
  std::vector<float> x;
  for (const std::int32_t v : q) x.push_back(quant::dequantise<float>(v, lattice().step, 1));
  return x;
}

// An output buffer for a body; checks that it holds the expected body and that nothing was written behind its slack.
class Room {
 public:
  std::byte* out() { return memory_.data(); }
  void expect(Entry entry, const Body& body) const {
    ASSERT_EQ(entry, body.entry) << "kind " << (entry & 7) << ", not " << (body.entry & 7);
    const auto end = memory_.begin() + static_cast<std::ptrdiff_t>(body.bytes.size());
    ASSERT_TRUE(std::equal(memory_.begin(), end, body.bytes.begin())) << "other bytes than the reference";
    const auto clean = [](std::byte b) { return b == pattern; };
    ASSERT_TRUE(std::all_of(end + quant::store_slack, memory_.end(), clean)) << "written beyond the slack";
  }

 private:
  static constexpr std::byte pattern{0x77};
  Bytes memory_ = Bytes(quant::largest_packed_block + 2 * quant::store_slack, pattern);
};

// A body placed at the end of readable memory, or with other bytes behind it.
class Placed {
 public:
  Packed put(const Body& body, bool at_end) {
    Bytes bytes = body.bytes;
    if (!at_end) bytes.resize(bytes.size() + 100, std::byte{0xff});
    const std::byte* begin = memory_.put(bytes);
    return {body.entry, begin, begin + bytes.size()};
  }

 private:
  PageEnd memory_{2 * quant::largest_packed_block};
};

class BlockKernels : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Kernels& table() const { return *quant::available_kernels()[GetParam()]; }
  const Codec& codec() const { return *quant_variants()[GetParam()]; }
  const Codec& reference_codec() const { return *quant_variants()[0]; }

  // Counts how often the function of the table did the work itself; one that always falls back would go unnoticed.
  void count(bool done, Entry entry) { done_[quant::order_of(quant::kind_of(entry))] += done; }
  void expect_some(bool there) const {
    for (int order = 0; order < 3; ++order)
      if (there) {
        EXPECT_GT(done_[order], rounds / 100) << "blocks of order " << order;
      }
  }

  quant::Staged staged_;

 private:
  int done_[4] = {};
};

INSTANTIATE_TEST_SUITE_P(Kernels, BlockKernels, ::testing::Range(std::size_t{0}, quant::available_kernels().size()),
                         [](const auto& i) { return std::string(quant::available_kernels()[i.param]->name); });

TEST_P(BlockKernels, UnpackAnyBodyLikeTheReference) {
  Random random(base_seed());
  Placed in;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t n = random.below(2) ? block_values : 1 + random.below(block_values);
    Body body = hostile(random, n);
    const PointList expected = unpacked(body, n);
    ASSERT_EQ(expected.size(), n) << "the test made a body that is not valid";
    quant::Points points;
    ASSERT_TRUE(table().unpack(in.put(body, random.below(2) != 0), n, points));
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), points.q));
    // The size may be a word too small or too large.
    const std::size_t size = body.bytes.size();
    for (const std::size_t other : {size - 2, size + 2}) {
      body.bytes.resize(other);
      body.entry = quant::make_entry(quant::kind_of(body.entry), other);
      ASSERT_FALSE(table().unpack(in.put(body, true), n, points)) << size << " to " << other;
    }
  }
}

TEST_P(BlockKernels, Add) {
  Random random(base_seed());
  Placed in[2];
  const bool there = table().blocks.add != nullptr;
  for (int round = 0; round < rounds && there; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const PointList q = curve(random);
    const Body a = random.below(4) == 0 ? hostile(random, block_values) : packed(q);
    const Body b = random.below(4) == 0 ? hostile(random, block_values) : packed(partner(random, q));
    if (a.entry == quant::zero_block || b.entry == quant::zero_block) continue;
    Room room;
    const bool done =
        table().blocks.add(in[0].put(a, random.below(2) != 0), in[1].put(b, random.below(2) != 0), staged_);
    count(done, a.entry);
    if (!done) continue;
    const PointList expected = sum_of(unpacked(a, block_values), unpacked(b, block_values));
    ASSERT_NO_FATAL_FAILURE(room.expect(table().blocks.put(staged_, room.out()), packed(expected)));
  }
  expect_some(there);
}

TEST_P(BlockKernels, Fold) {
  Random random(base_seed());
  Placed in;
  const bool there = table().blocks.fold != nullptr;
  for (int round = 0; round < rounds && there; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const PointList q = curve(random);
    const Body a = random.below(4) == 0 ? hostile(random, block_values) : packed(partner(random, q));
    if (a.entry == quant::zero_block) continue;
    std::vector<float> x = numbers_of(q);
    if (random.below(20) == 0) x[random.below(x.size())] = std::numeric_limits<float>::quiet_NaN();
    Room room;
    const bool done = table().blocks.fold(in.put(a, random.below(2) != 0), x.data(), lattice(), staged_);
    count(done, a.entry);
    if (!done) continue;
    const Entry entry = table().blocks.put(staged_, room.out());
    quant::Points own;
    ASSERT_TRUE(quant::reference_kernels().quantise_f32(x.data(), block_values, lattice(), own));
    ASSERT_NO_FATAL_FAILURE(
        room.expect(entry, packed(sum_of(unpacked(a, block_values), {own.q, own.q + block_values}))));
  }
  expect_some(there);
}

TEST_P(BlockKernels, Encode) {
  Random random(base_seed());
  const bool there = table().blocks.encode != nullptr;
  for (int round = 0; round < rounds && there; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    std::vector<float> x = numbers_of(curve(random));
    if (random.below(20) == 0) x[random.below(x.size())] = std::numeric_limits<float>::infinity();
    if (random.below(20) == 0) x[random.below(x.size())] = -std::numeric_limits<float>::quiet_NaN();
    Room room;
    const bool done = table().blocks.encode(x.data(), lattice(), staged_);
    if (!done) continue;
    const Entry entry = table().blocks.put(staged_, room.out());
    count(done, entry);
    quant::Points own;
    ASSERT_TRUE(quant::reference_kernels().quantise_f32(x.data(), block_values, lattice(), own));
    ASSERT_NO_FATAL_FAILURE(room.expect(entry, packed({own.q, own.q + block_values})));
  }
  expect_some(there);
}

TEST_P(BlockKernels, Decode) {
  Random random(base_seed());
  Placed in;
  const bool there = table().blocks.decode != nullptr;
  for (int round = 0; round < rounds && there; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const Body a = random.below(2) ? hostile(random, block_values) : packed(curve(random));
    // Any alignment that a float can have, and an offset of one byte.
    Guarded out(4 * block_values, random.below(3) == 0 ? 0 : random.below(2) ? 4 * random.below(16) : 1);
    const double step = random.below(8) == 0 ? 0.1 : lattice().step;
    const bool done =
        table().blocks.decode(in.put(a, random.below(2) != 0), step, random.below(2) != 0, out.as<float>());
    table().blocks.settle();
    ASSERT_TRUE(out.intact());
    count(done, a.entry);
    if (!done) continue;
    std::vector<float> expected;
    for (const std::int32_t q : unpacked(a, block_values)) expected.push_back(quant::dequantise<float>(q, step, 1));
    ASSERT_EQ(std::memcmp(expected.data(), out.bytes().data(), 4 * block_values), 0);
  }
  expect_some(there);
}

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

// What the kernels find in a block is what the reference finds, to the bit.
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

// Neither large points nor long residuals must lead to the general path: it takes three times as long.
TEST_P(BlockKernels, TakeLargePointsAndLongResiduals) {
  if (table().blocks.encode == nullptr) GTEST_SKIP() << "no functions for blocks";
  Random random(base_seed());
  for (int round = 0; round < rounds / 10; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const auto level = static_cast<std::int32_t>(32001 + random.below(1 << (16 + random.below(6))));
    PointList q(block_values, random.below(2) ? level : -level);
    const auto slope = static_cast<std::int32_t>(random.below(100));
    for (std::size_t i = 1; i < q.size(); ++i) q[i] = q[i - 1] + slope + static_cast<std::int32_t>(random.below(64));
    // Long residuals everywhere, or in some groups.
    const std::uint64_t spread = 1 << random.below(22);
    const std::size_t every = random.below(2) ? 1 : 1 + random.below(300);
    for (std::size_t i = 0; i < q.size() && round % 2 != 0; i += every)
      q[i] += static_cast<std::int32_t>(random.below(spread));
    const std::vector<float> x = numbers_of(q);
    Placed in;
    Room room[2];
    ASSERT_TRUE(table().blocks.encode(x.data(), lattice(), staged_));
    ASSERT_NO_FATAL_FAILURE(room[0].expect(table().blocks.put(staged_, room[0].out()), packed(q)));
    ASSERT_TRUE(table().blocks.fold(in.put(packed(q), true), x.data(), lattice(), staged_));
    ASSERT_NO_FATAL_FAILURE(room[1].expect(table().blocks.put(staged_, room[1].out()), packed(sum_of(q, q))));
  }
}

// Named cases for every early exit of the functions above, run through the codec, which then takes the fallback.
struct Case {
  std::string name;
  PointList a;
  PointList b;
};

PointList points_from(const std::function<std::int64_t(std::int64_t)>& f) {
  PointList q;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(block_values); ++i) q.push_back(wrapped(f(i)));
  return q;
}

PointList with(PointList q, std::size_t at, std::int32_t value) {
  q[at] = value;
  return q;
}

std::vector<Case> cases() {
  const auto noise = [](std::int64_t i) { return (i * 7919) % 101 - 50; };
  const auto constant = [](std::int64_t v) { return points_from([=](std::int64_t) { return v; }); };
  const PointList small = points_from(noise);
  const PointList line = points_from([](std::int64_t i) { return 3 * i - 700 + i % 2; });
  const PointList bow = points_from([](std::int64_t i) { return i * (i - 200) / 64; });
  const PointList minus_line = points_from([&](std::int64_t i) { return -line[static_cast<std::size_t>(i)]; });
  const PointList minus_bow = points_from([&](std::int64_t i) { return -bow[static_cast<std::size_t>(i)]; });
  std::vector<Case> made{
      {"orders 0 and 1", small, line},
      {"orders 1 and 2", line, bow},
      {"orders 0 and 2", small, bow},
      {"sums of order 1 are 0", line, minus_line},
      {"sums of order 2 are 0", bow, minus_bow},
      {"sums of order 2 are a constant", bow, sum_of(minus_bow, constant(12345))},
      {"sums of order 1 are noise", line, sum_of(minus_line, small)},
      {"sums of order 2 are a line", bow, sum_of(minus_bow, line)},
      {"constants", constant(5), constant(-5)},
      {"constants that do not meet", constant(16383), constant(1)},
      {"constants of 32 bits", constant(100000), constant(-70000)},
      {"zeros", constant(0), small},
      {"all of 8 bits", points_from([](std::int64_t i) { return i % 2 ? 127 : -128; }), small},
      {"all of 9 bits", points_from([](std::int64_t i) { return i % 2 ? 128 : -128; }), small},
      {"all of 16 bits", points_from([](std::int64_t i) { return i % 2 ? 16383 : -16383; }), small},
      {"lines far from 0", points_from([](std::int64_t i) { return 100000 + 90 * i; }), line},
      {"lines far from 0 on both sides", points_from([](std::int64_t i) { return 400000 - 90 * i + i % 7; }),
       points_from([](std::int64_t i) { return -4000000 + 1000 * i + i % 3; })},
      {"bows far from 0", sum_of(bow, constant(1 << 22)), sum_of(bow, constant(-(1 << 21)))},
      {"far from 0 after small numbers", points_from([](std::int64_t i) { return i < 64 ? i : 90 * i; }), line},
      {"neighbours far apart", points_from([](std::int64_t i) { return i % 3 ? 16383 : -16383; }), bow},
  };
  // Two neighbours as far apart as points of 16 bits can be, or one step further, in both directions.
  for (const std::size_t at : {1, 16, 20, 112, 127, 128, 500, 1022})
    for (const std::int32_t value : {16383, 16384, -16383, -16384})
      for (const PointList* q : {&line, &bow, &small}) {
        made.push_back({std::to_string(value) + " next to its negative at " + std::to_string(at),
                        with(with(*q, at, value), at + 1, -value), *q});
        made.push_back({"the same, and beside them nothing",
                        with(with(*q, at, value), at + 1, value > 0 ? -value - 1 : -value), *q});
      }
  // One point that is too large: in the groups that decide on the order, in the middle, in the last group.
  for (const std::size_t at : {0, 1, 2, 63, 64, 127, 128, 500, 960, 1023})
    for (const std::int32_t value : {127, 128, -128, -129, 16382, 16383, 16384, -16383, -16384, 31999, 32000, 32001,
                                     32767, 32768, -32768, 100000, (1 << 24) - 1, 1 << 24}) {
      const std::string name = std::to_string(value) + " at " + std::to_string(at);
      made.push_back({name + " of order 0", with(small, at, value), with(small, at, value)});
      made.push_back({name + " of order 1", with(line, at, value), line});
      made.push_back({name + " of order 2", with(bow, at, value), with(bow, at, -value)});
      made.push_back({name + " far from 0", with(sum_of(line, PointList(block_values, 1 << 20)), at, (1 << 20) + value),
                      sum_of(line, PointList(block_values, 70000))});
      made.push_back({name + " of order 2, above the curve", bow, with(bow, at, bow[at] + value / 2)});
    }
  return made;
}

TEST_P(BlockKernels, CodecTakesEveryWayLikeTheReference) {
  const Coding coding = coding_for<float>(allowance, 4);
  Coding streaming = coding;
  streaming.streaming = true;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    std::vector<float> x = numbers_of(c.a);
    std::vector<float> y = numbers_of(c.b);
    // The numbers are appended once more, so that another block follows.
    for (std::vector<float>* numbers : {&x, &y}) {
      numbers->resize(2 * block_values);
      std::copy_n(numbers->begin(), block_values, numbers->begin() + block_values);
    }
    const Bytes fx = encode(reference_codec(), x, coding);
    const Bytes fy = encode(reference_codec(), y, coding);
    ASSERT_EQ(encode(codec(), x, coding), fx);
    ASSERT_EQ(encode(codec(), y, coding), fy);
    const Bytes sum = add(reference_codec(), fx, fy, x.size(), coding);
    ASSERT_EQ(add(codec(), fx, fy, x.size(), coding), sum);
    ASSERT_EQ(fold(codec(), fx, y, coding), fold(reference_codec(), fx, y, coding));
    ASSERT_EQ(fold(codec(), fy, x, coding), fold(reference_codec(), fy, x, coding));
    for (const Bytes& frame : {fx, fy, sum})
      for (const Coding& how : {coding, streaming}) {
        const auto got = decode<float>(codec(), frame, x.size(), how);
        const auto expected = decode<float>(reference_codec(), frame, x.size(), coding);
        ASSERT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0);
      }
  }
}

}  // namespace
}  // namespace laconic::test
