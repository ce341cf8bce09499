// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/seed.hpp"
#include "tune/choose_device.hpp"
#include "tune/chunk.hpp"
#include "tune/device_model.hpp"

namespace laconic::test {
namespace {

TEST(Curve, OfAModelIsALaunchAndARate) {
  const Curve c = Curve::modelled(2, 10, "why");
  EXPECT_FALSE(c.is_measured());
  EXPECT_EQ(c.source(), "why");
  EXPECT_DOUBLE_EQ(c(0), 2);
  EXPECT_DOUBLE_EQ(c(100), 12);
}

TEST(Curve, OfMeasurementsGoesThroughThem) {
  const Curve c = Curve::measured({{10, 5}, {100, 7}, {200, 9}, {300, 15}}, "a file");
  EXPECT_TRUE(c.is_measured());
  EXPECT_DOUBLE_EQ(c(0), 5);
  EXPECT_DOUBLE_EQ(c(10), 5);
  EXPECT_DOUBLE_EQ(c(55), 6);
  EXPECT_DOUBLE_EQ(c(200), 9);
  EXPECT_DOUBLE_EQ(c(250), 12);
  EXPECT_DOUBLE_EQ(c(300), 15);
  EXPECT_DOUBLE_EQ(c(400), 21);
}

TEST(Curve, NeverTakesLessTimeForMore) {
  const Curve c = Curve::measured({{10, 5}, {100, 4}, {200, 3}}, "noise");
  double before = 0;
  for (double bytes = 1; bytes < 1e6; bytes *= 1.5) {
    EXPECT_GE(c(bytes), before < 5 ? 0 : 3) << bytes;
    before = c(bytes);
  }
  EXPECT_DOUBLE_EQ(Curve::measured({{100, 2}}, "one")(400), 8);
}

TEST(DeviceModel, NamesAreDifferentAndCurvesComplete) {
  std::set<std::string_view> names;
  for (const DeviceModel& m : all_device_models()) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
    EXPECT_EQ(find_device_model(m.name), &m);
    const Coder coder = coder_of(m, "quant", Dtype::f32, 8);
    for (const Kernel kernel : all_kernels) {
      EXPECT_GT(coder[kernel](1e6), 0) << name_of(kernel);
      EXPECT_GT(coder[kernel](1e9), coder[kernel](1e6)) << name_of(kernel);
      EXPECT_FALSE(coder[kernel].source().empty());
    }
  }
  EXPECT_TRUE(names.count("h200"));
  EXPECT_EQ(find_device_model("h199"), nullptr);
}

TEST(DeviceModel, IsFoundByTheNameOfTheVendor) {
  EXPECT_EQ(device_model_named("NVIDIA H200").name, "h200");
  EXPECT_EQ(device_model_named("NVIDIA H200 NVL").name, "h200");
  EXPECT_EQ(device_model_named("nvidia  H200-141GB").name, "h200");
  for (const char* name : {"", "NVIDIA", "NVIDIA H2000", "NVIDIA GH200 480GB", "NVIDIA A100-SXM4-40GB", "H20"})
    EXPECT_EQ(device_model_named(name).name, "gpu") << name;
}

// Ranks exchange keys as float64.
TEST(DeviceModel, HasAKeyOfItsOwn) {
  std::set<std::uint64_t> keys;
  for (const DeviceModel& m : all_device_models()) {
    EXPECT_TRUE(keys.insert(key_of(m)).second) << m.name;
    EXPECT_GT(key_of(m), 0u);
    EXPECT_LE(key_of(m), std::uint64_t{1} << 52);
    EXPECT_EQ(&device_model_with(key_of(m)), &m);
  }
  EXPECT_EQ(device_model_with(0).name, "gpu");
  EXPECT_EQ(device_model_with(12345).name, "gpu");
}

// The time of a kernel is the bytes it moves, divided by its share of the copy rate: 1 GiB of floats at ratio 4.
TEST(DeviceModel, ModelsKernelsByTheBytesTheyMove) {
  const DeviceModel made_up{"made_up", "", 4e12, 1e-5};
  const Coder coder = coder_of(made_up, "quant", Dtype::f32, 4);
  const double n = 1 << 30;
  EXPECT_NEAR(coder[Kernel::encode](n), 1e-5 + 1.25 * n / (0.45 * 4e12), 1e-12);
  EXPECT_NEAR(coder[Kernel::decode](n), 1e-5 + 1.25 * n / (0.60 * 4e12), 1e-12);
  EXPECT_NEAR(coder[Kernel::merge](n), 1e-5 + 2.25 * n / (0.70 * 4e12), 1e-12);
  EXPECT_NEAR(coder[Kernel::add](n), 1e-5 + 0.75 * n / (0.45 * 4e12), 1e-12);
  EXPECT_NEAR(plain_coder(made_up)[Kernel::add](n), 1e-5 + 3 * n / 4e12, 1e-12);
  EXPECT_EQ(plain_coder(made_up)[Kernel::encode](n), n / 1e300);
}

TEST(DeviceChoice, IsTheFastestThatFits) {
  const DeviceModel& device = *find_device_model("h200");
  const Coder coder = coder_of(device, "quant", Dtype::f32, assumed_ratio);
  for (const Collective c : all_collectives)
    for (const int size : {2, 3, 8, 12, sanitized ? 24 : 64})
      for (const double bytes : {1e4, 1e6, 1e9}) {
        const Journey journey{bytes, size, 0, Travel::homomorphic, assumed_ratio, 1};
        const DeviceChoice choice = choose_on_device(c, journey, coder, {});
        ASSERT_TRUE(choice.timing);
        EXPECT_EQ(choice.algorithm->collective, c);
        EXPECT_TRUE(choice.algorithm->fits(size));
        for (const Algorithm& a : all_algorithms()) {
          if (a.collective != c || !a.fits(size)) continue;
          EXPECT_GE(best_rows(a, journey, coder, {})->timing->seconds, choice.timing->seconds) << a.name();
        }
        const DeviceChoice again = choose_on_device(c, journey, coder, {});
        EXPECT_EQ(choice.algorithm, again.algorithm) << "ranks would disagree";
        EXPECT_EQ(choice.rows, again.rows) << "ranks would disagree";
      }
}

// Sending everything at once beats taking turns where launches and latencies count; for hosts it is not even
// considered.
TEST(DeviceChoice, TakesDirectIntoAccount) {
  Coder coder = coder_of(*find_device_model("h200"), "quant", Dtype::f32, 40);
  coder.together.fill(true);
  EXPECT_EQ(
      choose_on_device(Collective::allreduce, {1e6, 8, 0, Travel::homomorphic, 40, 1}, coder, {}).algorithm->name(),
      "direct");
}

TEST(DeviceChoice, OfRowsIsAChunk) {
  for (const std::size_t largest :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{1} << 28})
    for (const int rows : device_row_counts) {
      const std::size_t chunk = chunk_of(largest, rows);
      EXPECT_GE(chunk, 1u);
      EXPECT_LE((largest + chunk - 1) / chunk, static_cast<std::size_t>(rows));
    }
  EXPECT_EQ(chunk_of(100, 4), 25u);
}

TEST(DeviceChoice, IsMadeWhereNothingCanBeWalked) {
  const DeviceChoice choice = choose_on_device(Collective::alltoall, {1e9, 1 << 13, 0, Travel::homomorphic, 4, 1},
                                               plain_coder(*find_device_model("gpu")), {});
  EXPECT_FALSE(choice.timing);
  EXPECT_EQ(choice.algorithm->collective, Collective::alltoall);
}

}  // namespace
}  // namespace laconic::test
