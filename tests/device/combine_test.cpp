// SPDX-License-Identifier: BSD-3-Clause
// Frames that one launch combines: the bytes are those of combining them one after the other.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "codec/quant/operation.hpp"
#include "device/scratch.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/on_device.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

class Combine : public DeviceTest {};

const Codec& host() { return *find_codec("quant"); }
const DeviceCodec& kernels() { return *host().on_device(); }

// Frames on the device, and own numbers one number beyond a multiple of 16 bytes, or at it.
template <class T>
struct Operands {
  std::vector<std::unique_ptr<DeviceBytes>> bytes;
  std::vector<DeviceFrame> frames;
  DeviceBytes numbers;
  const std::byte* own;

  Operands(const std::vector<Bytes>& from, const std::vector<T>& x, bool aligned)
      : numbers((x.size() + 1) * sizeof(T)), own(numbers.get() + (aligned ? 0 : sizeof(T))) {
    for (const Bytes& frame : from) {
      bytes.push_back(std::make_unique<DeviceBytes>(frame.size()));
      bytes.back()->write(frame.data());
      frames.push_back({bytes.back()->get(), frame.size(), header_of(frame)});
    }
    std::vector<T> room(x.size() + 1, T(0.0f));
    std::copy(x.begin(), x.end(), room.begin() + (aligned ? 0 : 1));
    numbers.write(room.data());
  }
};

template <class T>
Bytes combined(const Operands<T>& in, bool with_own, std::size_t count, const Coding& coding, std::uint32_t& fault) {
  OneQueue queue;
  DeviceBytes out(host().capacity(count, coding.dtype));
  must(kernels().combine(in.frames, with_own ? in.own : nullptr, count, coding, out.get(), queue));
  Status status;
  queue.reached(status);
  must(status);
  fault = report_of(queue)->fault;
  if (fault != 0) return {};
  Bytes bytes(report_of(queue)->bytes);
  out.read(bytes.data(), bytes.size());
  return bytes;
}

template <class T>
void combines_as_one_by_one() {
  Random random(base_seed());
  for (int round = 0; round < 80 / static_cast<int>(one_in); ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t count = random.below(8) == 0 ? 0 : 1 + random.below(7 * quant::block_values);
    const std::size_t frames = 1 + random.below(DeviceCodec::most_combined);
    const bool with_own = frames == 1 || random.below(2) == 0;
    const Op op = random.below(4) == 0 ? Op::max : random.below(4) == 0 ? Op::min : Op::sum;
    Coding coding = coding_for<T>(1e-3, 9, op);
    const auto field = [&](int rank) {
      constexpr std::array kinds{Kind::walk, Kind::walk, Kind::normal, Kind::special};
      auto x =
          make_field<T>(kinds[random.below(kinds.size())], count, base_seed() + static_cast<unsigned>(round), rank);
      for (std::size_t i = 0; i < count; ++i)
        if (i / quant::block_values % 3 == random.below(2)) x[i] = T(0.0f);
      return x;
    };
    const std::vector<T> own = field(0);
    std::vector<Bytes> from;
    for (std::size_t k = 0; k < frames; ++k) from.push_back(encode(host(), field(1 + static_cast<int>(k)), coding));

    Coding last = coding;
    last.complete = random.below(2) == 0;
    last.coarser = op == Op::sum ? static_cast<std::uint32_t>(random.below(largest_coarser + 1)) : 0;
    const auto coding_of = [&](std::size_t k) { return k + 1 == frames ? last : coding; };
    Bytes expected = with_own ? fold(host(), from[0], own, coding_of(0)) : from[0];
    for (std::size_t k = 1; k < frames; ++k) expected = add(host(), from[k], expected, count, coding_of(k));

    std::uint32_t fault = 0;
    const Operands<T> operands(from, own, random.below(2) == 0);
    ASSERT_EQ(combined(operands, with_own, count, last, fault), expected) << frames << " frames, " << count;
    ASSERT_EQ(fault, 0u);
  }
}
TEST_F(Combine, AsOneByOneFloat) { combines_as_one_by_one<float>(); }
TEST_F(Combine, AsOneByOneDouble) { combines_as_one_by_one<double>(); }
TEST_F(Combine, AsOneByOneFloat16) { combines_as_one_by_one<Float16>(); }
TEST_F(Combine, AsOneByOneBfloat16) { combines_as_one_by_one<Bfloat16>(); }

// Enough blocks that the kernel looks back over the indices.
TEST_F(Combine, LongFrames) {
  const std::size_t count = 1030 * quant::block_values + 77;
  const Coding coding = coding_for<float>(1e-3, 4);
  std::vector<Bytes> from;
  for (int rank = 1; rank < 4; ++rank)
    from.push_back(encode(host(), make_field<float>(Kind::walk, count, base_seed(), rank), coding));
  const auto own = make_field<float>(Kind::walk, count, base_seed(), 0);
  Bytes expected = fold(host(), from[0], own, coding);
  for (int k : {1, 2}) expected = add(host(), from[static_cast<std::size_t>(k)], expected, count, coding);
  std::uint32_t fault = 0;
  ASSERT_EQ(combined(Operands<float>(from, own, true), true, count, coding, fault), expected);
}

// Whichever frame is damaged, the launch reports it.
TEST_F(Combine, DamagedFramesAreReported) {
  const std::size_t count = 3 * quant::block_values;
  const Coding coding = coding_for<float>(1e-3, 4);
  for (std::size_t damaged = 0; damaged < 4; ++damaged) {
    std::vector<Bytes> from;
    for (int rank = 0; rank < 4; ++rank)
      from.push_back(encode(host(), make_field<float>(Kind::walk, count, base_seed(), rank), coding));
    // The entry of a block then has another size.
    from[damaged][wire::header_bytes + 2] ^= std::byte{0x10};
    std::uint32_t fault = 0;
    const Operands<float> operands(from, {}, true);
    combined(operands, false, count, coding, fault);
    EXPECT_NE(fault, 0u) << damaged;
    EXPECT_FALSE(kernels().status(fault).ok());
  }
}

TEST_F(Combine, RefusesMoreFramesThanItTakes) {
  const Coding coding = coding_for<float>(1e-3, 16);
  const std::vector<float> x(100, 1.0f);
  const std::vector<Bytes> from(DeviceCodec::most_combined + 1, encode(host(), x, coding));
  const Operands<float> operands(from, x, true);
  OneQueue queue;
  DeviceBytes out(host().capacity(x.size(), coding.dtype));
  const auto ask = [&](std::size_t frames, const void* numbers, const Coding& with) {
    return kernels().combine(std::span(operands.frames).first(frames), numbers, x.size(), with, out.get(), queue);
  };
  EXPECT_FALSE(ask(from.size(), nullptr, coding).ok());
  EXPECT_FALSE(ask(1, nullptr, coding).ok());
  EXPECT_FALSE(ask(0, operands.own, coding).ok());
  Operands<float> unread(from, x, true);
  unread.frames[1].unread = reinterpret_cast<DeviceHeader*>(out.get());
  EXPECT_FALSE(
      kernels().combine(std::span(unread.frames).first(2), operands.own, x.size(), coding, out.get(), queue).ok());
  Coding scaled = coding_for<float>(0, 16);
  scaled.relative = 1e-3;
  EXPECT_EQ(kernels().combines(scaled), 2u);
  EXPECT_FALSE(ask(3, nullptr, scaled).ok());
}

}  // namespace
}  // namespace laconic::test
