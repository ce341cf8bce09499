// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>

#include "base/host_device.hpp"

namespace laconic {

// std::countr_zero() of a word that is not 0, which nvcc (13.0) silently makes a constant in device code.
LACONIC_HOST_DEVICE constexpr int trailing_zeros(std::uint32_t word) {
  return static_cast<int>(std::bit_width(word & (0u - word))) - 1;
}

LACONIC_HOST_DEVICE constexpr int trailing_zeros(std::uint64_t word) {
  return static_cast<int>(std::bit_width(word & (0u - word))) - 1;
}

static_assert(trailing_zeros(1u) == 0 && trailing_zeros(12u) == 2 && trailing_zeros(0x80000000u) == 31);

}  // namespace laconic
