// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/host_device.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "codec/codec.hpp"
#include "device/host/float_environment.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/watchdog.hpp"

namespace laconic::test {
namespace {

class Count final : public Job {
 public:
  explicit Count(std::atomic<int>& total) : total_(total) {}
  void run() noexcept override {
    ++total_;
    thread = std::this_thread::get_id();
  }
  bool step(Queue&) noexcept override { return true; }
  std::thread::id thread;

 private:
  std::atomic<int>& total_;
};

void wait_for(const Job& job) {
  while (!job.done()) std::this_thread::yield();
}

class HostDeviceWith : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, HostDeviceWith, ::testing::Values(1, 2, 3, 8),
                         [](const auto& i) { return std::to_string(i.param); });

TEST_P(HostDeviceWith, RunsEveryJobOnce) {
  const Watchdog watchdog(std::chrono::seconds(60), [] { return std::string("jobs are not run"); });
  HostDevice device(GetParam());
  EXPECT_EQ(device.threads(), GetParam());
  EXPECT_EQ(device.runs_inline(), GetParam() == 1);
  std::atomic<int> total{0};
  std::vector<std::unique_ptr<Count>> jobs;
  for (int k = 0; k < 5000; ++k) jobs.push_back(std::make_unique<Count>(total));  // exceeds the initial queue
  for (int round = 1; round <= 3; ++round) {
    for (auto& job : jobs) device.submit(*job);
    for (auto& job : jobs) wait_for(*job);
    EXPECT_EQ(total, 5000 * round);
  }
  for (auto& job : jobs) EXPECT_EQ(job->thread == std::this_thread::get_id(), device.runs_inline());
}

// Jobs arrive while others run, and are submitted again as soon as they are done, as the engine does.
TEST_P(HostDeviceWith, TakesJobsAgainAsSoonAsTheyAreDone) {
  const Watchdog watchdog(std::chrono::seconds(60), [] { return std::string("jobs are not run"); });
  HostDevice device(GetParam());
  std::atomic<int> total{0};
  std::vector<std::unique_ptr<Count>> jobs;
  for (int k = 0; k < 7; ++k) jobs.push_back(std::make_unique<Count>(total));
  int submitted = 0;
  while (submitted < 20000)
    for (auto& job : jobs)
      if (job->done()) {
        device.submit(*job);
        ++submitted;
      }
  for (auto& job : jobs) wait_for(*job);
  EXPECT_EQ(total, submitted);
}

TEST_P(HostDeviceWith, FinishesWhatWasSubmittedBeforeItGoes) {
  std::atomic<int> total{0};
  std::vector<std::unique_ptr<Count>> jobs;
  for (int k = 0; k < 1000; ++k) jobs.push_back(std::make_unique<Count>(total));
  {
    HostDevice device(GetParam());
    for (auto& job : jobs) device.submit(*job);
  }
  EXPECT_EQ(total, 1000);
}

TEST_P(HostDeviceWith, LeasesAlignedMemory) {
  HostDevice device(GetParam());
  for (const std::size_t bytes : {1, 31, 32, 63, 64, 65, 4097, 1 << 20}) {
    const auto blob = device.lease(bytes);
    ASSERT_EQ(blob.size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blob.data()) % 64, 0u);
    std::fill(blob.begin(), blob.end(), std::byte{1});
    device.give_back(blob);
  }
}

TEST(HostDevice, WithoutMemorySaysSo) {
  HostDevice device(1);
  EXPECT_TRUE(device.lease(std::size_t{1} << 60).empty());
}

TEST(HostDevice, UsesAtLeastOneThread) {
  EXPECT_EQ(HostDevice(0).threads(), 1);
  EXPECT_EQ(HostDevice(-5).threads(), 1);
}

// A job that encodes. In a non-default floating-point environment it must write the same bytes as in the default one.
class Encode final : public Job {
 public:
  Encode(const std::vector<float>& x, double allowance) : x_(x), coding_(coding_for<float>(allowance)) {}
  void run() noexcept override {
    Guarded out(codec_.capacity(x_.size(), coding_.dtype));
    const Coded coded = codec_.encode(x_.data(), x_.size(), coding_, out.bytes());
    frame.assign(out.bytes().begin(), out.bytes().begin() + static_cast<std::ptrdiff_t>(coded.bytes));
    back.resize(x_.size());
    status = codec_.decode(frame, back.data(), x_.size(), coding_);
    // A sum of denormals, which flush-to-zero would lose.
    rounded = std::nearbyint(volatile_half);
    tiny = volatile_tiny / 2;
  }
  bool step(Queue&) noexcept override { return true; }
  Bytes frame;
  std::vector<float> back;
  Status status;
  double rounded = -1;
  float tiny = -1;

 private:
  const Codec& codec_ = *find_codec("quant");
  const std::vector<float>& x_;
  Coding coding_;
  volatile double volatile_half = 2.5;
  volatile float volatile_tiny = std::numeric_limits<float>::min();
};

class FloatMode : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, FloatMode, ::testing::Values(1, 2),
                         [](const auto& i) { return std::to_string(i.param); });

TEST_P(FloatMode, OfTheCallerDoesNotMatterAndIsKept) {
  const auto x = make_field<float>(Kind::ties, 3000, 1);
  Encode expected(x, 0x1p-10);
  {
    HostDevice device(1);
    device.submit(expected);
  }
  ASSERT_TRUE(expected.status.ok());
  EXPECT_EQ(expected.rounded, 2);
  EXPECT_EQ(expected.tiny, std::numeric_limits<float>::min() / 2);

  for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fenv_t before;
    std::fegetenv(&before);
    std::fesetround(rounding);
#if defined(__SSE2__)
    constexpr unsigned flush = 0x8040;  // flush-to-zero for results and operands
    _mm_setcsr(_mm_getcsr() | flush);
    const unsigned control = _mm_getcsr();
#endif
    Encode job(x, 0x1p-10);
    {
      HostDevice device(GetParam());  // its workers start in the caller's environment
      device.submit(job);
      wait_for(job);
    }
    const int rounding_after = std::fegetround();
#if defined(__SSE2__)
    const unsigned control_after = _mm_getcsr();
#endif
    std::fesetenv(&before);
    EXPECT_EQ(rounding_after, rounding);
#if defined(__SSE2__)
    constexpr unsigned flags = 0x3f;  // status flags, not control bits
    EXPECT_EQ(control_after & ~flags, control & ~flags);
#endif
    EXPECT_EQ(job.frame, expected.frame);
    EXPECT_EQ(job.back, expected.back);
    EXPECT_EQ(job.rounded, expected.rounded);
    EXPECT_EQ(job.tiny, expected.tiny);
  }
}

#if defined(__SSE2__)
// Programs may enable traps on division by zero and invalid operations; hostile numbers must not trigger them.
TEST(FloatModeTraps, AreNotSprungByHostileNumbers) {
  const auto x = make_field<float>(Kind::random_bits, 5000, 1);
  Encode job(x, 1e-3);
  HostDevice device(1);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before & ~0x1f80u);  // every trap on
  device.submit(job);
  _mm_setcsr(before);
  EXPECT_TRUE(job.status.ok());
}
#endif

}  // namespace
}  // namespace laconic::test
