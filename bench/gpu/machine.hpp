// SPDX-License-Identifier: BSD-3-Clause
// The device: its memory, its clock, and how fast it copies.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/build.hpp"
#include "device/cuda/runtime.hpp"
#include "support/on_device.hpp"

namespace laconic::bench {

using test::DeviceBytes;
using test::must;

// True in the emulator, whose times are meaningless.
#if LACONIC_CUDA_EMULATED
inline constexpr bool emulated = true;
#else
inline constexpr bool emulated = false;
#endif

struct Machine {
  std::string name;
  int driver = 0;  // version as CUDA numbers it
  int runtime = 0;
  int processors = 0;
  std::size_t l2 = 0;      // bytes
  std::size_t memory = 0;  // bytes
  double copy_rate = 0;    // bytes read and written per second
};

// Describes the device. Measures the copy rate, by copies of `copied` bytes or of less if memory is short.
Machine examine(std::size_t copied, int repetitions);

std::size_t free_memory();

struct Spread {
  double median = 0, least = 0, greatest = 0;
};
Spread spread_of(std::vector<double> values);

// Slots of equal size, together larger than the L2, so that no data of the previous use of a slot are still cached.
class Slots {
 public:
  Slots(std::size_t count, std::size_t bytes) : stride_((bytes + 255) / 256 * 256), memory_(count * stride_) {}
  std::byte* at(std::size_t slot) const { return memory_.get() + slot * stride_; }
  static std::size_t total(std::size_t count, std::size_t bytes) { return count * ((bytes + 255) / 256 * 256); }

 private:
  std::size_t stride_;
  DeviceBytes memory_;
};

// The number of slots of `bytes` bytes that make 4 times the L2.
std::size_t slots_beyond_l2(const Machine& machine, std::size_t bytes);

// The seconds of each of `repetitions` launches after a few untimed ones, measured by events on the stream.  The stream
// is kept busy until all have been enqueued, so that host time is not included.
std::vector<double> time_launches(cudaStream_t stream, const Machine& machine, int repetitions, std::size_t slots,
                                  const std::function<void(std::size_t slot)>& launch);

}  // namespace laconic::bench
