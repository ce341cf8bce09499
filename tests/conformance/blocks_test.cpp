// SPDX-License-Identifier: BSD-3-Clause
// The functions of Kernels::Blocks, which use other code than those for points, and bodies that no encoder writes,
// compared with the reference byte for byte.
#include <functional>

#include "block_kernels.hpp"

namespace laconic::test {
namespace {

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
