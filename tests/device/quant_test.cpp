// SPDX-License-Identifier: BSD-3-Clause
// The kernels of quant, compared with the reference on the host byte for byte, in cases that the tests of all codecs
// do not cover: many tiles, frames that no encoder writes, several arrays in one launch, epochs that wrap around.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "base/build.hpp"
#include "base/combine.hpp"
#include "codec/quant/operation.hpp"
#include "device/scratch.hpp"
#include "support/blocks.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/on_device.hpp"
#include "support/same_frames.hpp"
#include "support/seed.hpp"
#if LACONIC_CUDA_EMULATED
#include "emulator/control.hpp"
#endif

namespace laconic::test {
namespace {

const Codec& reference() { return *quant_variants()[0]; }
const DeviceCodec& kernels() { return *find_codec("quant")->on_device(); }
const Codec& device() {
  static const OnDevice codec(reference(), kernels());
  return codec;
}

class QuantDevice : public DeviceTest {};

TEST_F(QuantDevice, FramesFloat) { expect_same_frames<float>(device(), reference(), {1, 17, 1000, 1025, 9000}); }
TEST_F(QuantDevice, FramesDouble) { expect_same_frames<double>(device(), reference(), {1, 33, 2048, 9000}); }
TEST_F(QuantDevice, FramesFloat16) { expect_same_frames<Float16>(device(), reference(), {1, 15, 1023, 3333}); }
TEST_F(QuantDevice, FramesBfloat16) { expect_same_frames<Bfloat16>(device(), reference(), {1, 31, 1024, 3333}); }

TEST_F(QuantDevice, ScaledFramesFloat) { expect_same_frames<float>(device(), reference(), {1, 512, 1025, 9000}, true); }
TEST_F(QuantDevice, ScaledFramesDouble) { expect_same_frames<double>(device(), reference(), {33, 511, 5000}, true); }
TEST_F(QuantDevice, ScaledFramesFloat16) { expect_same_frames<Float16>(device(), reference(), {15, 1023, 3333}, true); }
TEST_F(QuantDevice, ScaledFramesBfloat16) {
  expect_same_frames<Bfloat16>(device(), reference(), {31, 1024, 3333}, true);
}

TEST_F(QuantDevice, NoNumbers) {
  const Coding coding = coding_for<float>(1e-3, 2);
  const std::vector<float> none;
  const Bytes frame = encode(device(), none, coding);
  EXPECT_EQ(frame, encode(reference(), none, coding));
  EXPECT_EQ(fold(device(), frame, none, coding), frame);
  EXPECT_EQ(add(device(), frame, frame, 0, coding), frame);
  EXPECT_TRUE(decode<float>(device(), frame, 0, coding).empty());
}

// Enough blocks that kernels look back over the index, in the launch that reads the frame.
TEST_F(QuantDevice, LongFrames) {
  const std::size_t count = 1030 * quant::block_values + 77;
  const Coding coding = coding_for<float>(1e-3, 2);
  const auto x = make_field<float>(Kind::walk, count, base_seed(), 0);
  auto y = make_field<float>(Kind::walk, count, base_seed(), 1);
  for (std::size_t i = 0; i < count; ++i)
    if (i / 5000 % 3 == 0) y[i] = 0;
  const Bytes a = encode(device(), x, coding);
  const Bytes b = encode(device(), y, coding);
  ASSERT_EQ(a, encode(reference(), x, coding));
  ASSERT_EQ(b, encode(reference(), y, coding));
  ASSERT_EQ(fold(device(), a, y, coding), fold(reference(), a, y, coding));
  const Bytes sum = add(device(), a, b, count, coding);
  ASSERT_EQ(sum, add(reference(), a, b, count, coding));
#if LACONIC_CUDA_EMULATED
  const std::uint64_t before = emulator::calls("kernel");
  decode<float>(device(), sum, count, coding);
  add(device(), a, b, count, coding);
  EXPECT_EQ(emulator::calls("kernel") - before, 2u);
#endif
  ASSERT_EQ(decode<float>(device(), sum, count, coding), decode<float>(reference(), sum, count, coding));
}

// A frame whose blocks have arbitrary bits: packed, far and masked blocks that no encoder writes, raw, fill and zero
// blocks.
template <class T>
Bytes hostile_frame(Random& random, std::size_t count, double step) {
  Bytes index;
  Bytes bodies;
  for (std::size_t i = 0; i < count; i += quant::block_values) {
    const std::size_t n = std::min(quant::block_values, count - i);
    Body body{quant::zero_block, {}};
    switch (random.below(9)) {
      case 0: break;
      case 1:
        for (std::size_t k = 0; k < n * sizeof(T); ++k) body.bytes.push_back(static_cast<std::byte>(random.bits()));
        body.entry = quant::make_entry(quant::Kind::raw, body.bytes.size());
        break;
      case 2:
        for (std::size_t k = 0; k < sizeof(T); ++k) body.bytes.push_back(static_cast<std::byte>(random.bits()));
        body.entry = quant::make_entry(quant::Kind::fill, body.bytes.size());
        break;
      case 3: body = hostile_far(random, n); break;
      case 4:
      case 5: body = hostile_masked(random, n, sizeof(T)); break;
      default: body = hostile(random, n);
    }
    index.push_back(static_cast<std::byte>(body.entry & 0xff));
    index.push_back(static_cast<std::byte>(body.entry >> 8));
    bodies.insert(bodies.end(), body.bytes.begin(), body.bytes.end());
  }
  wire::Header header;
  header.codec = reference().id();
  header.dtype = dtype_of<T>;
  header.count = static_cast<std::uint32_t>(count);
  header.payload = static_cast<std::uint32_t>(index.size() + bodies.size());
  header.step = step;
  header.error = step;
  Bytes frame(wire::header_bytes);
  wire::write_header(header, frame);
  frame.insert(frame.end(), index.begin(), index.end());
  frame.insert(frame.end(), bodies.begin(), bodies.end());
  return frame;
}

template <class T>
bool equal_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
void hostile_frames() {
  Random random(base_seed());
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t count = 1 + random.below(11 * quant::block_values);
    const Op op = random.below(3) == 0 ? Op::max : random.below(2) ? Op::min : Op::sum;
    Coding coding = coding_for<T>(1e-3, 2, op, random.below(3) == 0 ? 3 : 1);
    const double step = quant::lattice_of(coding).step;
    const Bytes a = hostile_frame<T>(random, count, step);
    const Bytes b = hostile_frame<T>(random, count, step);
    const auto x = make_field<T>(random.below(2) ? Kind::special : Kind::walk, count, base_seed(), round);
    ASSERT_TRUE(equal_bits(decode<T>(device(), a, count, coding), decode<T>(reference(), a, count, coding)));
    coding.complete = random.below(2) == 0;
    coding.coarser = op == Op::sum ? static_cast<std::uint32_t>(random.below(largest_coarser + 1)) : 0;
    ASSERT_EQ(fold(device(), a, x, coding), fold(reference(), a, x, coding));
    ASSERT_EQ(add(device(), a, b, count, coding), add(reference(), a, b, count, coding));
  }
}
TEST_F(QuantDevice, HostileFramesFloat) { hostile_frames<float>(); }
TEST_F(QuantDevice, HostileFramesDouble) { hostile_frames<double>(); }
TEST_F(QuantDevice, HostileFramesFloat16) { hostile_frames<Float16>(); }
TEST_F(QuantDevice, HostileFramesBfloat16) { hostile_frames<Bfloat16>(); }

// Device memory and reports for several arrays.
struct Pieces {
  std::vector<std::vector<float>> numbers;
  std::vector<std::unique_ptr<DeviceBytes>> there;
  std::vector<std::unique_ptr<DeviceBytes>> frames;
  Piece* list = nullptr;
  Report* reports = nullptr;

  Pieces(Random& random, std::size_t count) {
    must(cudaHostAlloc(&list, count * sizeof(Piece), cudaHostAllocMapped));
    must(cudaHostAlloc(&reports, count * sizeof(Report), cudaHostAllocMapped));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t n = random.below(4) == 0 ? 0 : random.below(12000);
      numbers.push_back(
          make_field<float>(random.below(3) ? Kind::walk : Kind::special, n, base_seed(), static_cast<int>(i)));
      there.push_back(std::make_unique<DeviceBytes>(n * sizeof(float)));
      there.back()->write(numbers.back().data());
      frames.push_back(std::make_unique<DeviceBytes>(reference().capacity(n, Dtype::f32)));
      reports[i] = {};
      list[i] = {there.back()->get(), n, frames.back()->get(), reports + i};
    }
  }
  ~Pieces() {
    cudaFreeHost(list);
    cudaFreeHost(reports);
  }

  Bytes frame(std::size_t i) const {
    Bytes bytes(reports[i].bytes);
    frames[i]->read(bytes.data(), bytes.size());
    return bytes;
  }
};

TEST_F(QuantDevice, EncodesManyArraysInOneLaunch) {
  Random random(base_seed());
  for (const std::size_t count : {2, 3, 17, 64, 65, 130}) {
    SCOPED_TRACE(std::to_string(count) + " arrays, " + seed_note());
    OneQueue queue;
    const Coding coding = coding_for<float>(1e-3, 4);
    const Pieces pieces(random, count);
    must(kernels().encode_pieces({pieces.list, count}, coding, queue));
    Status status;
    queue.reached(status);
    must(status);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(pieces.reports[i].fault, 0u);
      ASSERT_EQ(pieces.frame(i), encode(reference(), pieces.numbers[i], coding)) << "array " << i;
    }
  }
}

// Data that a much earlier launch left in the workspace must not be taken for current when its epoch is used again.
TEST_F(QuantDevice, EpochsComeRound) {
  const Coding coding = coding_for<float>(1e-3);
  const auto x = make_field<float>(Kind::walk, 100 * quant::block_values, base_seed());
  const Bytes expected = encode(reference(), x, coding);
  DeviceBytes numbers(x.size() * sizeof(float));
  numbers.write(x.data());
  DeviceBytes frame(reference().capacity(x.size(), Dtype::f32));
  OneQueue queue;
  for (const std::uint32_t epoch : {0u, 5u, (1u << 19) - 3, (1u << 19) - 2, (1u << 19) - 1, 1u}) {
    queue.workspace(kernels().workspace_words(x.size(), Dtype::f32)).epoch = epoch;
    for (int launch = 0; launch < 3; ++launch) {
      *report_of(queue) = {};
      must(kernels().encode(numbers.get(), x.size(), coding, frame.get(), queue));
      Status status;
      queue.reached(status);
      must(status);
      Bytes bytes(report_of(queue)->bytes);
      frame.read(bytes.data(), bytes.size());
      ASSERT_EQ(bytes, expected) << "after epoch " << epoch << ", launch " << launch;
    }
  }
}

// One queue serves many launches: data that one left in the workspace is not taken for current by the next.
TEST_F(QuantDevice, LaunchesFollowEachOther) {
  Random random(base_seed());
  OneQueue queue;
  queue.workspace(kernels().workspace_words(300 * quant::block_values, Dtype::f32));
  for (int launch = 0; launch < 40; ++launch) {
    SCOPED_TRACE("launch " + std::to_string(launch) + ", " + seed_note());
    const std::size_t count = random.below(300 * quant::block_values);
    const Coding coding = coding_for<float>(random.below(2) ? 1e-3 : 1e-1);
    const auto x = make_field<float>(random.below(3) ? Kind::walk : Kind::normal, count, base_seed(), launch);
    DeviceBytes numbers(count * sizeof(float));
    numbers.write(x.data());
    DeviceBytes frame(reference().capacity(count, Dtype::f32));
    *report_of(queue) = {};
    must(kernels().encode(numbers.get(), count, coding, frame.get(), queue));
    Status status;
    queue.reached(status);
    must(status);
    Bytes bytes(report_of(queue)->bytes);
    frame.read(bytes.data(), bytes.size());
    ASSERT_EQ(bytes, encode(reference(), x, coding));
  }
}

template <class T>
void combines() {
  std::uint64_t seed = base_seed();
  for (const NamedKind& k : all_kinds)
    for (const Op op : {Op::sum, Op::max, Op::min}) {
      SCOPED_TRACE(std::string(k.name) + ", " + seed_note());
      const std::size_t count = 2500;
      const Coding coding = coding_for<T>(1e-3, 2, op);
      const auto with = make_field<T>(k.kind, count, ++seed, 0);
      const Bytes frame = encode(reference(), make_field<T>(k.kind, count, seed, 1), coding);
      auto expected = with;
      combine(op, expected.data(), decode<T>(reference(), frame, count, coding).data(), count);

      OneQueue queue;
      DeviceBytes numbers(count * sizeof(T));
      numbers.write(with.data());
      DeviceBytes there(frame.size());
      there.write(frame.data());
      must(kernels().decode_reduce({there.get(), frame.size(), header_of(frame)}, numbers.get(), numbers.get(), count,
                                   coding, queue));
      Status status;
      queue.reached(status);
      must(status);
      ASSERT_EQ(report_of(queue)->fault, 0u);
      std::vector<T> result(count);
      numbers.read(result.data(), count * sizeof(T));
      ASSERT_TRUE(equal_bits(result, expected));
    }
}
// Blocks whose points are near 2^24, beyond which float32 does not have all of them, by their first point and by random
// residuals of each order.
template <class T>
std::vector<T> near_the_limit_of_single(double step) {
  std::vector<T> x;
  std::mt19937_64 random(base_seed());
  // Mostly positive, so that points go far, but not so much that the next order has smaller residuals.
  const auto up_to = [&](std::int64_t most) {
    return most - static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + most / 4 + 1));
  };
  constexpr std::int64_t limit = 1 << 24;
  for (const std::int64_t first :
       {std::int64_t{0}, limit / 2 - 1, limit / 2, limit / 2 + 1, limit - 3, limit, limit + 3})
    for (const std::int64_t sign : {1, -1})
      for (const int order : {0, 1, 2})
        for (unsigned width = order == 0   ? 22
                              : order == 1 ? 12
                                           : 2;
             width < (order == 0   ? 28u
                      : order == 1 ? 18u
                                   : 8u);
             ++width) {
          std::int64_t point = first, difference = 0;
          for (std::size_t i = 0; i < quant::block_values; ++i) {
            x.push_back(static_cast<T>(static_cast<double>(sign * point) * step));
            const std::int64_t residual = up_to(std::int64_t{1} << (width - 1));
            if (order == 0) point = first + residual;
            if (order == 2) difference += residual;
            if (order > 0) point += order == 1 ? residual : difference;
          }
        }
  for (int i = 0; i < 5; ++i) x.push_back(static_cast<T>(step * i));
  return x;
}

template <class T>
void decodes_near_the_limit_of_single() {
  SCOPED_TRACE(seed_note());
  for (const double divisor : {1.0, 3.0}) {
    Coding coding = coding_for<T>(0x1p-12, 2);
    const std::vector<T> x = near_the_limit_of_single<T>(quant::lattice_of(coding).step);
    const Bytes frame = encode(reference(), x, coding);
    coding.divisor = divisor;
    const std::vector<T> expected = decode<T>(reference(), frame, x.size(), coding);
    ASSERT_TRUE(equal_bits(decode<T>(device(), frame, x.size(), coding), expected)) << divisor;

    // One number further, where no access of 16 bytes is possible.
    OneQueue queue;
    DeviceBytes numbers((x.size() + 1) * sizeof(T));
    DeviceBytes there(frame.size());
    there.write(frame.data());
    must(kernels().decode({there.get(), frame.size(), header_of(frame)}, numbers.get() + sizeof(T), x.size(), coding,
                          queue));
    Status status;
    queue.reached(status);
    must(status);
    ASSERT_EQ(report_of(queue)->fault, 0u);
    std::vector<T> result(x.size() + 1);
    numbers.read(result.data(), result.size() * sizeof(T));
    result.erase(result.begin());
    ASSERT_TRUE(equal_bits(result, expected)) << divisor;
  }
}
TEST_F(QuantDevice, DecodesNearTheLimitOfSingleFloat) { decodes_near_the_limit_of_single<float>(); }
TEST_F(QuantDevice, DecodesNearTheLimitOfSingleDouble) { decodes_near_the_limit_of_single<double>(); }
TEST_F(QuantDevice, DecodesNearTheLimitOfSingleFloat16) { decodes_near_the_limit_of_single<Float16>(); }
TEST_F(QuantDevice, DecodesNearTheLimitOfSingleBfloat16) { decodes_near_the_limit_of_single<Bfloat16>(); }

TEST_F(QuantDevice, DecodesIntoNumbersFloat) { combines<float>(); }
TEST_F(QuantDevice, DecodesIntoNumbersDouble) { combines<double>(); }
TEST_F(QuantDevice, DecodesIntoNumbersFloat16) { combines<Float16>(); }
TEST_F(QuantDevice, DecodesIntoNumbersBfloat16) { combines<Bfloat16>(); }

}  // namespace
}  // namespace laconic::test
