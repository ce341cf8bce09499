// SPDX-License-Identifier: BSD-3-Clause
// Code that would hang a GPU, or give wrong results silently, is an error that names the threads and where they wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "device/cuda/language.hpp"
#include "device/scratch.hpp"
#include "emulator/control.hpp"

namespace laconic {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Runs a kernel that must fail, and returns the error message.
template <class... Parameters, class... Arguments>
std::string fault_of(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, Arguments... arguments) {
  emulator::set_seed(5);
  EXPECT_TRUE(launch(kernel, blocks, threads, nullptr, arguments...));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  const std::string shown = cudaGetErrorString(cudaErrorLaunchFailure);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure) << "errors stay until they are taken";
  const std::string fault = emulator::take_fault();
  EXPECT_EQ(shown, fault);
  EXPECT_THAT(fault, HasSubstr("LACONIC_EMULATOR_SEED=5"));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return fault;
}

__global__ void mask_without_itself() { __syncwarp(threadIdx.x < 16 ? ~0u : 0xffffu); }
__global__ void mask_of_others() {
  if (threadIdx.x < 16) __ballot_sync(~0u, 1);
}
__global__ void mask_beyond_the_block() { __any_sync(~0u, 1); }
__global__ void different_votes() {
  if (threadIdx.x < 16)
    __any_sync(~0u, 1);
  else
    __all_sync(~0u, 1);
}
__global__ void different_places() {
  if (threadIdx.x < 16)
    __syncwarp();
  else
    __syncwarp();
}
__global__ void shuffle_from_outside(unsigned* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffu, threadIdx.x, 20);
}
__global__ void masks_that_cross() {
  if (threadIdx.x == 0) __syncwarp(3);
  if (threadIdx.x == 1) __syncwarp(6);
  if (threadIdx.x == 2) __syncwarp(5);
}

TEST(Misuse, MasksOfWarps) {
  EXPECT_THAT(fault_of(mask_without_itself, 1, 32), HasSubstr("with mask 0x0000ffff, in which it is not"));
  EXPECT_THAT(fault_of(mask_of_others, 1, 32), AllOf(HasSubstr("__ballot_sync (misuse_test.cu:"), HasSubstr("return")));
  EXPECT_THAT(fault_of(mask_beyond_the_block, 1, 40), HasSubstr("lanes that the block does not have"));
  EXPECT_THAT(fault_of(different_votes, 1, 32), AllOf(HasSubstr("__any_sync"), HasSubstr("__all_sync")));
  EXPECT_THAT(fault_of(different_places, 1, 32), HasSubstr("are in different calls: __syncwarp"));
  EXPECT_THAT(fault_of(masks_that_cross, 1, 32), HasSubstr("deadlock: every thread of the resident blocks waits"));
  const OnDevice<unsigned> out(32);
  EXPECT_THAT(fault_of(shuffle_from_outside, 1, 32, out.data()), HasSubstr("reads lane 20, which is not in the mask"));
}

__global__ void barrier_for_some() {
  if (threadIdx.x < 32) __syncthreads();
}
__global__ void different_barriers() {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
}
__global__ void barrier_and_meeting() {
  if (threadIdx.x < 16)
    __syncthreads();
  else
    __syncwarp();
}

TEST(Misuse, Barriers) {
  EXPECT_THAT(fault_of(barrier_for_some, 1, 64), HasSubstr("return"));
  EXPECT_THAT(fault_of(different_barriers, 1, 64), HasSubstr("threads of a block wait at different barriers"));
  EXPECT_THAT(fault_of(barrier_and_meeting, 3, 32),
              AllOf(HasSubstr("deadlock: every thread of the resident blocks waits"),
                    HasSubstr("at __syncthreads misuse_test.cu:"),
                    HasSubstr("in a collective call of the warp, misuse_test.cu:")));
}

__global__ void wait_for_ever(const std::uint32_t* word) {
  while (load_relaxed(word) == 0) {
  }
}

TEST(Misuse, WordsThatNobodyWrites) {
  const OnDevice<std::uint32_t> word(1);
  emulator::set_patience(10000);
  EXPECT_THAT(fault_of(wait_for_ever, 2, 32, word.data()), AllOf(HasSubstr("livelock: threads read shared words"),
                                                                 HasSubstr("ready, last seen at misuse_test.cu:")));
  emulator::set_patience(emulator::patience_at_start);
}

struct TooMuch {
  char bytes[48 * 1024 + 1];
};
__global__ void too_much_shared_memory() {
  LACONIC_SHARED(TooMuch, memory);
  memory.bytes[0] = 0;
}

TEST(Misuse, SharedMemory) { EXPECT_THAT(fault_of(too_much_shared_memory, 1, 1), HasSubstr("more than 48 KiB")); }

struct Eight {
  std::uint32_t words[8];
};
__global__ void read_unset(std::uint32_t* out) {
  LACONIC_SHARED(Eight, memory);
  for (unsigned i = 0; i < 8; ++i) out[blockIdx.x * 8 + i] = memory.words[i];
}

TEST(Misuse, UnsetSharedMemoryHoldsGarbageOfItsOwnInEveryBlock) {
  const OnDevice<std::uint32_t> out(16);
  ASSERT_TRUE(launch(read_unset, 2, 1, nullptr, out.data()));
  const std::vector<std::uint32_t> words = out.get();
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_NE(words[i], 0u);
    EXPECT_NE(words[i], words[8 + i]);
  }
}

__global__ void count_without_atomics(std::uint32_t* word) { store_relaxed(word, load_relaxed(word) + 1); }

TEST(Misuse, UpdatesThatAreNotAtomicGetLost) {
  unsigned lost = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    emulator::set_seed(seed);
    const OnDevice<std::uint32_t> word(1);
    ASSERT_TRUE(launch(count_without_atomics, 4, 32, nullptr, word.data()));
    lost += word.get()[0] != 4 * 32;
  }
  EXPECT_GT(lost, 0u);
}

TEST(Misuse, ImpossibleLaunches) {
  EXPECT_FALSE(launch(count_without_atomics, 0, 32, nullptr, nullptr));
  EXPECT_FALSE(launch(count_without_atomics, 1, 1025, nullptr, nullptr));
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

}  // namespace
}  // namespace laconic
