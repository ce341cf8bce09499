// SPDX-License-Identifier: BSD-3-Clause
// The device itself: its queues, its memory, and the kernels that are shared by all codecs.
#include "device/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <thread>

#include "base/op.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/memory_pool.hpp"
#include "device/devices.hpp"
#include "engine/range_job.hpp"
#include "scratch.hpp"
#include "support/fields.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace laconic::test {
namespace {

using Devices = DeviceTest;

void finish(Device& device, const Job& job) {
  const Watchdog watchdog(std::chrono::seconds(60), [] { return std::string("a job is never done"); });
  while (!job.done()) device.progress();
}

std::unique_ptr<Device> open_first() {
  Status status;
  auto device = open_device(0, status);
  EXPECT_TRUE(status.ok()) << status.message();
  return device;
}

// A job that copies from each place to the next, one after another.
class Copies final : public Job {
 public:
  struct Leg {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  std::vector<Leg> legs;
  Status status;
  int steps = 0;

  void run() noexcept override { status = {Code::argument, "was run on the host"}; }
  bool step(Queue& queue) noexcept override {
    if (steps++ == 0) {
      for (const Leg& leg : legs)
        if (status.ok()) status = queue.copy(leg.to, leg.from, leg.bytes);
      if (status.ok()) status = queue.mark();
    }
    return !status.ok() || queue.reached(status);
  }
};

TEST_F(Devices, RunMoreJobsThanTheyHaveQueues) {
  Status status;
  const auto device = open_device(0, status, 2);
  ASSERT_TRUE(status.ok()) << status.message();
  constexpr std::size_t jobs = 9;
  constexpr std::size_t bytes = 1000;
  const auto here = device->lease_shared(jobs * bytes);
  const auto back = device->lease_shared(jobs * bytes);
  const auto there = device->lease(jobs * bytes);
  const auto further = device->lease(jobs * bytes);
  Random random(base_seed());
  for (std::byte& b : here) b = static_cast<std::byte>(random.bits());
  std::vector<std::unique_ptr<Copies>> all;
  for (std::size_t k = 0; k < jobs; ++k) {
    auto job = std::make_unique<Copies>();
    const std::size_t at = k * bytes;
    job->legs = {{there.data() + at, here.data() + at, bytes},
                 {further.data() + at, there.data() + at, bytes},
                 {back.data() + at, further.data() + at, bytes}};
    device->submit(*job);
    all.push_back(std::move(job));
  }
  for (const auto& job : all) {
    finish(*device, *job);
    EXPECT_TRUE(job->status.ok()) << job->status.message();
  }
  EXPECT_EQ(std::memcmp(here.data(), back.data(), here.size()), 0);
}

// Work that the application enqueued earlier on its stream runs first.
TEST_F(Devices, FollowAStream) {
  const auto device = open_first();
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  constexpr std::size_t bytes = 1 << 20;
  const auto source = device->lease_shared(bytes);
  const auto there = device->lease(bytes);
  const auto back = device->lease_shared(bytes);
  for (int round = 1; round < 20; ++round) {
    std::fill(source.begin(), source.end(), static_cast<std::byte>(round));
    ASSERT_EQ(cudaMemcpyAsync(there.data(), source.data(), bytes, cudaMemcpyDefault, stream), cudaSuccess);
    ASSERT_TRUE(device->follow(stream).ok());
    Copies job;
    job.legs = {{back.data(), there.data(), bytes}};
    device->submit(job);
    finish(*device, job);
    EXPECT_TRUE(std::all_of(back.begin(), back.end(), [&](std::byte b) { return b == static_cast<std::byte>(round); }));
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(Devices, KnowWhereMemoryIs) {
  std::vector<float> pageable(100);
  void* pinned = nullptr;
  void* managed = nullptr;
  std::byte* there = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 100), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 100), cudaSuccess);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&there), 100), cudaSuccess);
  EXPECT_EQ(memory_type_of(nullptr).memory, Memory::host);
  EXPECT_EQ(memory_type_of(pageable.data()).memory, Memory::host);
  EXPECT_EQ(memory_type_of(pinned).memory, Memory::pinned);
  EXPECT_FALSE(memory_type_of(pinned).on_device());
  EXPECT_EQ(memory_type_of(managed).memory, Memory::managed);
  EXPECT_EQ(memory_type_of(there + 50).memory, Memory::device);
  EXPECT_EQ(memory_type_of(there + 50).device, 0);
  EXPECT_TRUE(memory_type_of(there).on_device() && memory_type_of(managed).on_device());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "an error was left behind";
  cudaFreeHost(pinned);
  cudaFree(managed);
  cudaFree(there);
}

TEST(NoDevice, IsAnErrorThatSaysSo) {
  for (const int number : {-1, 1000}) {
    Status status;
    EXPECT_EQ(open_device(number, status), nullptr);
    EXPECT_EQ(status.code(), Code::device);
    EXPECT_NE(status.message().find(std::to_string(number)), std::string::npos) << status.message();
  }
}

template <class T>
void check_range(Device& device, Random& random) {
  constexpr std::size_t most = 20000;
  std::vector<T> x(most);
  for (T& v : x) {
    const std::uint64_t bits = random.bits();
    std::memcpy(static_cast<void*>(&v), &bits, sizeof v);
  }
  const auto there = device.lease(most * sizeof(T));
  ASSERT_TRUE(device.copy(there.data(), x.data(), there.size()).ok());
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{257}, most}) {
    RangeJob job;
    job.dtype = dtype_of<T>;
    // The data is passed in two parts.
    job.parts = {{there.data(), count / 3}, {there.data() + count / 3 * sizeof(T), count - count / 3}};
    ASSERT_TRUE(job.begin(device).ok());
    finish(device, job);
    ASSERT_TRUE(job.status.ok()) << job.status.message();
    const Range right = finite_range(x.data(), count, dtype_of<T>);
    EXPECT_EQ(std::memcmp(&job.range, &right, sizeof right), 0)
        << count << " of " << name_of(dtype_of<T>) << ": " << job.range.least << ".." << job.range.greatest << ", not "
        << right.least << ".." << right.greatest << ", " << seed_note();
  }
  device.give_back(there);
}

TEST_F(Devices, FindTheRangeOfNumbersOfEveryType) {
  const auto device = open_first();
  Random random(base_seed());
  for (const Dtype dtype : all_dtypes)
    dispatch(AllTypes{}, dtype, [&](auto zero) { check_range<decltype(zero)>(*device, random); });
  // Arrays of zeros only, of both signs, and arrays without a finite number.
  const std::vector<float> zeros{-0.0f, 0.0f, -0.0f};
  const std::vector<float> none{INFINITY, -INFINITY, NAN};
  for (const auto& x : {zeros, none}) {
    const auto there = device->lease(x.size() * sizeof(float));
    ASSERT_TRUE(device->copy(there.data(), x.data(), there.size()).ok());
    RangeJob job;
    job.parts = {{there.data(), x.size()}};
    ASSERT_TRUE(job.begin(*device).ok());
    finish(*device, job);
    const Range right = finite_range(x.data(), x.size(), Dtype::f32);
    EXPECT_EQ(std::memcmp(&job.range, &right, sizeof right), 0) << job.range.least << ".." << job.range.greatest;
  }
}

class Division final : public Job {
 public:
  Dtype dtype = Dtype::f32;
  const void* numbers = nullptr;
  void* result = nullptr;
  std::size_t count = 0;
  double divisor = 1;
  Status status;

  void run() noexcept override {}
  bool step(Queue& queue) noexcept override {
    if (!enqueued_) {
      enqueued_ = true;
      status = queue.divide(dtype, numbers, result, count, divisor);
      if (status.ok()) status = queue.mark();
    }
    return !status.ok() || queue.reached(status);
  }

 private:
  bool enqueued_ = false;
};

template <class T>
void check_division(Device& device, Random& random) {
  constexpr std::size_t count = 5000;
  std::vector<T> x(count);
  for (T& v : x) {
    const std::uint64_t bits = random.bits();
    std::memcpy(static_cast<void*>(&v), &bits, sizeof v);
  }
  const auto there = device.lease(count * sizeof(T));
  for (const double divisor : {2.0, 3.0, 7.0}) {
    ASSERT_TRUE(device.copy(there.data(), x.data(), there.size()).ok());
    Division job;
    job.dtype = dtype_of<T>;
    job.numbers = job.result = there.data();
    job.count = count;
    job.divisor = divisor;
    device.submit(job);
    finish(device, job);
    ASSERT_TRUE(job.status.ok()) << job.status.message();
    std::vector<T> found(count);
    ASSERT_TRUE(device.copy(found.data(), there.data(), there.size()).ok());
    std::vector<T> right(count);
    for (std::size_t i = 0; i < count; ++i) right[i] = divide(x[i], divisor);
    EXPECT_EQ(std::memcmp(found.data(), right.data(), there.size()), 0)
        << name_of(dtype_of<T>) << " by " << divisor << ", " << seed_note();
  }
  device.give_back(there);
}

TEST_F(Devices, DivideNumbersOfEveryType) {
  const auto device = open_first();
  Random random(base_seed());
  for (const Dtype dtype : all_dtypes)
    dispatch(AllTypes{}, dtype, [&](auto zero) { check_division<decltype(zero)>(*device, random); });
}

class Pools : public DeviceTest, public ::testing::WithParamInterface<MemoryPool::Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Pools, ::testing::Values(MemoryPool::Kind::device, MemoryPool::Kind::pinned),
                         [](const auto& i) { return i.param == MemoryPool::Kind::device ? "device" : "pinned"; });

// Leases do not overlap, are aligned, and need no new allocation when returned memory fits.
TEST_P(Pools, LendAgainWhatWasGivenBack) {
  MemoryPool pool(GetParam());
  Random random(base_seed());
  std::vector<std::size_t> sizes{1, 64, 255, 256, 257, 4096, 65536, 65537, 100000, 1 << 20, 3000000};
  for (int k = 0; k < 60; ++k) sizes.push_back(1 + random.below(200000));
  std::size_t warm = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::span<std::byte>> leases;
    for (const std::size_t bytes : sizes) {
      const auto memory = pool.lease(bytes);
      ASSERT_EQ(memory.size(), bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 256, 0u);
      leases.push_back(memory);
    }
    auto sorted = leases;
    std::sort(sorted.begin(), sorted.end(), [](auto a, auto b) { return a.data() < b.data(); });
    for (std::size_t k = 1; k < sorted.size(); ++k)
      EXPECT_LE(sorted[k - 1].data() + sorted[k - 1].size(), sorted[k].data()) << "leases overlap";
    for (const auto memory : leases) pool.give_back(memory);
    if (round == 0) warm = pool.footprint();
    EXPECT_EQ(pool.footprint(), warm);
  }
}

TEST_P(Pools, SayWhenThereIsNoMemory) {
  MemoryPool pool(GetParam());
  EXPECT_TRUE(pool.lease(std::size_t{1} << 60).empty());
  EXPECT_TRUE(pool.lease(std::numeric_limits<std::size_t>::max()).empty());
  EXPECT_EQ(pool.footprint(), 0u);
  EXPECT_FALSE(pool.lease(100).empty()) << "an error was left behind";
}

}  // namespace
}  // namespace laconic::test
