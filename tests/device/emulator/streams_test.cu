// SPDX-License-Identifier: BSD-3-Clause
// The emulated runtime: execution order, memory ownership, and detection of errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "device/cuda/language.hpp"
#include "device/scratch.hpp"
#include "emulator/control.hpp"

namespace laconic {
namespace {

using testing::HasSubstr;

class EmulatedRuntime : public testing::Test {
 protected:
  void SetUp() override {
    emulator::set_seed(1);
    before_ = emulator::holdings();
  }
  void TearDown() override {
    EXPECT_EQ(emulator::take_fault(), "");
    EXPECT_EQ(emulator::holdings().allocations, before_.allocations);
    EXPECT_EQ(emulator::holdings().bytes, before_.bytes);
  }

 private:
  emulator::Holdings before_;
};

class NewStream {
 public:
  explicit NewStream(unsigned flags = cudaStreamNonBlocking) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, flags), cudaSuccess);
  }
  ~NewStream() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }
  NewStream(const NewStream&) = delete;
  NewStream& operator=(const NewStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class NewEvent {
 public:
  NewEvent() { EXPECT_EQ(cudaEventCreate(&event_), cudaSuccess); }
  ~NewEvent() { EXPECT_EQ(cudaEventDestroy(event_), cudaSuccess); }
  NewEvent(const NewEvent&) = delete;
  NewEvent& operator=(const NewEvent&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// Records a letter for each function, in the order in which they ran.
struct Diary {
  std::string text;
  struct Entry {
    Diary* diary;
    char letter;
  };
  std::vector<Entry> entries;

  Diary() { entries.reserve(64); }
  void write(cudaStream_t stream, char letter) {
    entries.push_back({this, letter});
    EXPECT_EQ(cudaLaunchHostFunc(
                  stream, [](void* e) { static_cast<Entry*>(e)->diary->text += static_cast<Entry*>(e)->letter; },
                  &entries.back()),
              cudaSuccess);
  }
};

TEST_F(EmulatedRuntime, NothingRunsBeforeItHasTo) {
  NewStream stream;
  Diary diary;
  diary.write(stream, 'a');
  diary.write(stream, 'b');
  EXPECT_EQ(diary.text, "");
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(diary.text, "ab");
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
}

TEST_F(EmulatedRuntime, StreamsKeepTheirOrderAndNoOther) {
  std::set<std::string> seen;
  for (unsigned seed = 0; seed < 100; ++seed) {
    emulator::set_seed(seed);
    NewStream one, two;
    Diary diary;
    for (char letter : {'a', 'b', 'c'}) diary.write(one, letter);
    for (char letter : {'x', 'y', 'z'}) diary.write(two, letter);
    for (unsigned queries = 0; cudaStreamQuery(one) != cudaSuccess || cudaStreamQuery(two) != cudaSuccess; ++queries)
      ASSERT_LT(queries, 1000u);
    std::string first, second;
    for (char letter : diary.text) (letter < 'm' ? first : second) += letter;
    EXPECT_EQ(first, "abc");
    EXPECT_EQ(second, "xyz");
    seen.insert(diary.text);
  }
  EXPECT_GT(seen.size(), 8u) << "of the 20 orders that there are";
}

TEST_F(EmulatedRuntime, EventsOrderStreams) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    emulator::set_seed(seed);
    NewStream one, two;
    NewEvent event;
    Diary diary;
    diary.write(one, 'a');
    ASSERT_EQ(cudaEventRecord(event, one), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(two, event), cudaSuccess);
    diary.write(two, 'x');
    // Recording the event again later does not change what an earlier wait waits for.
    diary.write(one, 'b');
    ASSERT_EQ(cudaEventRecord(event, one), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(two), cudaSuccess);
    EXPECT_LT(diary.text.find('a'), diary.text.find('x'));
    ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
    EXPECT_NE(diary.text.find('b'), std::string::npos);
    EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  }
}

TEST_F(EmulatedRuntime, AnEventThatWasNeverRecordedIsNotWaitedFor) {
  NewStream stream;
  NewEvent event;
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, event), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

TEST_F(EmulatedRuntime, TheLegacyStreamWaitsForBlockingStreamsAndTheyForIt) {
  std::set<std::string> seen;
  for (unsigned seed = 0; seed < 50; ++seed) {
    emulator::set_seed(seed);
    NewStream blocking(cudaStreamDefault), other(cudaStreamNonBlocking);
    Diary diary;
    diary.write(other, 'x');
    diary.write(blocking, 'a');
    diary.write(nullptr, 'b');
    diary.write(blocking, 'c');
    ASSERT_EQ(cudaStreamSynchronize(blocking), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::string ordered;
    for (char letter : diary.text)
      if (letter != 'x') ordered += letter;
    EXPECT_EQ(ordered, "abc");
    seen.insert(diary.text);
  }
  EXPECT_GT(seen.size(), 1u) << "the other stream takes no part in it";
}

TEST_F(EmulatedRuntime, TimesGrow) {
  NewStream stream;
  NewEvent from, to;
  ASSERT_EQ(cudaEventRecord(from, stream), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(to, stream), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, from, to), cudaErrorNotReady);
  ASSERT_EQ(cudaEventSynchronize(to), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, from, to), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
}

TEST_F(EmulatedRuntime, PointersAreWhatTheyAre) {
  void *device = nullptr, *pinned = nullptr, *managed = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 100), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 100), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 100), cudaSuccess);
  std::vector<char> pageable(100);
  const auto type = [](void* pointer) {
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(type(device), cudaMemoryTypeDevice);
  EXPECT_EQ(type(static_cast<char*>(device) + 99), cudaMemoryTypeDevice);
  EXPECT_NE(type(static_cast<char*>(device) + 100), cudaMemoryTypeDevice);
  EXPECT_EQ(type(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(type(managed), cudaMemoryTypeManaged);
  EXPECT_EQ(type(pageable.data()), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaHostRegister(pageable.data(), 100, cudaHostRegisterDefault), cudaSuccess);
  EXPECT_EQ(type(pageable.data()), cudaMemoryTypeHost);
  EXPECT_EQ(cudaHostUnregister(pageable.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(pageable.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(emulator::holdings().allocations, 3u);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

TEST_F(EmulatedRuntime, CopiesOfPinnedMemoryAreLazyAndPageableOnesHoldUpTheCaller) {
  NewStream stream;
  const OnDevice<int> numbers(std::vector<int>{1, 2, 3});
  int* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, numbers.bytes()), cudaSuccess);
  pinned[0] = 0;
  ASSERT_EQ(cudaMemcpyAsync(pinned, numbers.data(), numbers.bytes(), cudaMemcpyDefault, stream), cudaSuccess);
  EXPECT_EQ(pinned[0], 0);
  const std::uint64_t before = emulator::pageable_copies();
  std::vector<int> pageable(3);
  ASSERT_EQ(cudaMemcpyAsync(pageable.data(), numbers.data(), numbers.bytes(), cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
  EXPECT_EQ(pinned[0], 1);
  EXPECT_EQ(pageable[2], 3);
  EXPECT_EQ(emulator::pageable_copies(), before + 1);
  EXPECT_EQ(cudaMemcpyAsync(pinned, numbers.data(), 4, cudaMemcpyHostToDevice, stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  (void)cudaGetLastError();
}

TEST_F(EmulatedRuntime, CopiesBeyondAnAllocationAreFaults) {
  const OnDevice<int> a(4), b(5);
  EXPECT_EQ(cudaMemcpy(a.data(), b.data(), 20, cudaMemcpyDefault), cudaErrorLaunchFailure);
  EXPECT_THAT(emulator::take_fault(), HasSubstr("a copy of 20 bytes reaches beyond the allocation that it writes"));
  EXPECT_EQ(cudaMemcpy(b.data(), a.data(), 20, cudaMemcpyDefault), cudaErrorLaunchFailure);
  EXPECT_THAT(emulator::take_fault(), HasSubstr("that it reads"));
}

__global__ void touch_kernel(int* word) { *word = 1; }

TEST_F(EmulatedRuntime, MemoryMustOutliveWhatIsPending) {
  NewStream stream;
  int *a = nullptr, *b = nullptr;
  ASSERT_EQ(cudaMalloc(&a, 4), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&b, 4), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(a, b, 4, cudaMemcpyDefault, stream), cudaSuccess);
  EXPECT_EQ(cudaFree(b), cudaErrorLaunchFailure);
  EXPECT_THAT(emulator::take_fault(), HasSubstr("cudaFree of memory that a pending copy uses"));
  ASSERT_EQ(cudaMalloc(&b, 4), cudaSuccess);
  ASSERT_TRUE(launch(touch_kernel, 1, 1, stream, b));
  EXPECT_EQ(cudaFree(b), cudaErrorLaunchFailure);
  EXPECT_THAT(emulator::take_fault(), HasSubstr("a pending kernel uses"));
  EXPECT_EQ(cudaFree(a), cudaSuccess) << "what was pending is dropped";
}

TEST_F(EmulatedRuntime, CallsFailWhereATestWantsThemTo) {
  emulator::fail_call("cudaMalloc", 2, cudaErrorMemoryAllocation);
  const std::uint64_t before = emulator::calls("cudaMalloc");
  void *a = nullptr, *b = nullptr, *c = nullptr;
  EXPECT_EQ(cudaMalloc(&a, 8), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&b, 8), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&c, 8), cudaSuccess);
  EXPECT_EQ(emulator::calls("cudaMalloc"), before + 3);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFree(c), cudaSuccess);
  std::size_t unused = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&unused, &total), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&a, unused + 1), cudaErrorMemoryAllocation) << "memory has an end";
  emulator::fail_call("kernel", 1, cudaErrorLaunchFailure);
  const Status launched = launch(touch_kernel, 1, 1, nullptr, nullptr);
  EXPECT_EQ(launched.code(), Code::device);
  EXPECT_THAT(launched.message(), HasSubstr("a kernel's launch failed"));
  (void)cudaGetLastError();
}

TEST_F(EmulatedRuntime, WithoutDevicesEverythingSaysSo) {
  emulator::set_devices(0);
  int count = 7, word = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, &word), cudaErrorNoDevice);
  emulator::set_devices(2);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  int* there = nullptr;
  ASSERT_EQ(cudaMalloc(&there, 4), cudaSuccess);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, there), cudaSuccess);
  EXPECT_EQ(attributes.device, 1);
  {
    NewStream stream;
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    EXPECT_FALSE(launch(touch_kernel, 1, 1, stream, there));
  }
  EXPECT_EQ(cudaFree(there), cudaSuccess);
  emulator::set_devices(1);
  (void)cudaGetLastError();
}

TEST_F(EmulatedRuntime, HandlesThatAreGoneAreRefused) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  Diary diary;
  diary.write(stream, 'a');
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(diary.text, "a") << "what was pending runs all the same";
  (void)cudaGetLastError();
}

__global__ void add_kernel(unsigned* word) { atomicAdd(word, threadIdx.x); }

TEST_F(EmulatedRuntime, ThreadsShareOneDevice) {
  constexpr unsigned threads = 4, launches = 25;
  std::vector<std::thread> ranks;
  std::vector<unsigned> sums(threads);
  for (unsigned t = 0; t < threads; ++t)
    ranks.emplace_back([&sums, t] {
      NewStream stream;
      NewEvent event;
      const OnDevice<unsigned> word(1);
      for (unsigned l = 0; l < launches; ++l) {
        EXPECT_TRUE(launch(add_kernel, 3, 40, stream, word.data()));
        EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
        while (cudaEventQuery(event) == cudaErrorNotReady) std::this_thread::yield();
      }
      sums[t] = word.get()[0];
    });
  for (auto& rank : ranks) rank.join();
  for (unsigned sum : sums) EXPECT_EQ(sum, launches * 3 * (39 * 40 / 2));
}

#if defined(__SANITIZE_ADDRESS__)
TEST(EmulatedRuntimeDeathTest, DeviceMemoryIsNotForTheHost) {
  const OnDevice<int> numbers(4);
  EXPECT_DEATH(
      {
        volatile int* word = numbers.data();
        *word = 1;
      },
      "use-after-poison");
}
#endif

}  // namespace
}  // namespace laconic
