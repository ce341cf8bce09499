// SPDX-License-Identifier: BSD-3-Clause
// What tests may ask of the emulator, beyond what a GPU does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "device/cuda/emulator/runtime.hpp"

namespace laconic::emulator {

// Of everything that is drawn from now on.  At the start it is LACONIC_EMULATOR_SEED of the environment, or 1.
LACONIC_EMULATOR_API void set_seed(std::uint64_t seed);
LACONIC_EMULATOR_API std::uint64_t seed();

// The first thing that went wrong since the last call, in words that hold the seed; empty when nothing did.  Until it
// is taken, calls fail with cudaErrorLaunchFailure, as they do for good on a device, and cudaGetErrorString() gives it.
// What was pending then is dropped.
LACONIC_EMULATOR_API std::string take_fault();

// How many words that blocks share are read in a row, while none is written, before a launch is given up.
constexpr std::uint64_t patience_at_start = std::uint64_t{1} << 24;
LACONIC_EMULATOR_API void set_patience(std::uint64_t loads);

// The call number `nth` (1: the next) of the function with this name fails with this error.
LACONIC_EMULATOR_API void fail_call(const std::string& function, unsigned nth, cudaError_t error);

// How often a function of the API was called so far; "kernel": launches.
LACONIC_EMULATOR_API std::uint64_t calls(const std::string& function);

// cudaMemcpyAsync calls that touched pageable host memory: on a device they would have held up the caller.
LACONIC_EMULATOR_API std::uint64_t pageable_copies();

// Bytes and number of allocations that have not been freed.
struct Holdings {
  std::size_t bytes = 0;
  std::size_t allocations = 0;
};
LACONIC_EMULATOR_API Holdings holdings();

// How many devices there are from now on: 0 to see what happens where there is none.
LACONIC_EMULATOR_API void set_devices(int count);

}  // namespace laconic::emulator
