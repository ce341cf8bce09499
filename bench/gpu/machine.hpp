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

// Nothing that the emulator's clock says means anything.
#if LACONIC_CUDA_EMULATED
inline constexpr bool emulated = true;
#else
inline constexpr bool emulated = false;
#endif

struct Machine {
  std::string name;
  int driver = 0;  // as CUDA numbers versions
  int runtime = 0;
  int processors = 0;
  std::size_t l2 = 0;      // bytes
  std::size_t memory = 0;  // bytes
  double copy_rate = 0;    // bytes read and written per second
};

// Measures the copy rate too, with the given repetitions of copies of the given size or what the memory allows.
Machine examine(std::size_t copied, int repetitions);

std::size_t free_memory();

struct Spread {
  double median = 0, least = 0, greatest = 0;
};
Spread spread_of(std::vector<double> values);

// Slots of equal size, which are together larger than the L2, so that nothing is found there from the last time.
class Slots {
 public:
  Slots(std::size_t count, std::size_t bytes) : stride_((bytes + 255) / 256 * 256), memory_(count * stride_) {}
  std::byte* at(std::size_t slot) const { return memory_.get() + slot * stride_; }
  static std::size_t total(std::size_t count, std::size_t bytes) { return count * ((bytes + 255) / 256 * 256); }

 private:
  std::size_t stride_;
  DeviceBytes memory_;
};

// How many slots of so many bytes make 4 times the L2.
std::size_t slots_beyond_l2(const Machine& machine, std::size_t bytes);

// Seconds of each of `repetitions` launches after a few that do not count, by events on the stream.  The stream is
// kept busy until all have been enqueued, so that no time of the host is in them.
std::vector<double> time_launches(cudaStream_t stream, const Machine& machine, int repetitions, std::size_t slots,
                                  const std::function<void(std::size_t slot)>& launch);

}  // namespace laconic::bench
