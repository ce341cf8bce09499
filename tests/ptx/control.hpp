// SPDX-License-Identifier: BSD-3-Clause
// Functions by which tests control and inspect the device that runs PTX.  The first ones are those of the emulator,
// whose header does not go with CUDA's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#define LACONIC_PTX_API __attribute__((visibility("default")))

namespace laconic::ptx {

LACONIC_PTX_API void set_seed(std::uint64_t seed);
LACONIC_PTX_API std::string take_fault();
LACONIC_PTX_API void set_patience(std::uint64_t loads);  // 0: as at the start

// A barrier of the lanes of a warp, or of the threads of a block.
struct Site {
  std::string kernel;
  std::size_t at = 0;
  std::string text;
};

// Those that any kernel has passed since the last call.
LACONIC_PTX_API std::vector<Site> take_barriers();

// From now on that instruction does nothing; and what it did again.
LACONIC_PTX_API void skip(const Site& site);
LACONIC_PTX_API void restore(const Site& site);

// Launches from now on run one block after the other, without interruptions: executed() is the same every time.
LACONIC_PTX_API void set_calm(bool calm);

// The instructions that warps have executed since the last call, in all kernels.
LACONIC_PTX_API std::uint64_t take_executed();

// Makes kernels from this text of PTX known, beside those of the library and its tests.  Returns what is wrong with it.
LACONIC_PTX_API std::string add_text(const std::string& text);

// Launches a kernel by its name, with parameters of 8 bytes each, and waits for it.  Returns a fault, or nothing.
LACONIC_PTX_API std::string launch(const std::string& kernel, unsigned blocks, unsigned threads,
                                   const std::vector<std::uint64_t>& parameters);

}  // namespace laconic::ptx
