// SPDX-License-Identifier: BSD-3-Clause
// Functions by which tests control and inspect the emulator; a GPU has no equivalent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/runtime.hpp"

namespace laconic::emulator {

// The seed of all random choices from now on.  Initially it is the environment variable LACONIC_EMULATOR_SEED, or 1.
LACONIC_EMULATOR_API void set_seed(std::uint64_t seed);
LACONIC_EMULATOR_API std::uint64_t seed();

// The first fault since the last call, as a text that includes the seed; empty when there was none.  Until the fault is
// taken, calls fail with cudaErrorLaunchFailure, as they do permanently on a device, and cudaGetErrorString() returns
// this text.  Operations that are pending when it is taken are dropped.
LACONIC_EMULATOR_API std::string take_fault();

// The number of reads of words that blocks share, in a row without a write, after which a launch is aborted.
constexpr std::uint64_t patience_at_start = std::uint64_t{1} << 24;
LACONIC_EMULATOR_API void set_patience(std::uint64_t loads);

// Makes the `nth` call from now (1: the next) of the function with this name fail with this error.
LACONIC_EMULATOR_API void fail_call(const std::string& function, unsigned nth, cudaError_t error);

// The number of calls so far of a function of the API; "kernel" counts launches.
LACONIC_EMULATOR_API std::uint64_t calls(const std::string& function);

// The number of cudaMemcpyAsync calls that accessed pageable host memory.  On a device they would have blocked the
// caller.
LACONIC_EMULATOR_API std::uint64_t pageable_copies();

// The bytes and the number of allocations that have not been freed.
struct Holdings {
  std::size_t bytes = 0;
  std::size_t allocations = 0;
};
LACONIC_EMULATOR_API Holdings holdings();

// Sets the number of devices from now on.  0 emulates a machine without a device.
LACONIC_EMULATOR_API void set_devices(int count);

// Sets the compute capability of all devices from now on, which is 9 at first.
LACONIC_EMULATOR_API void set_capability(int major);

// Sets the name of all devices from now on, which is "emulated device" at first.
LACONIC_EMULATOR_API void set_device_name(const char* name);

}  // namespace laconic::emulator
