// SPDX-License-Identifier: BSD-3-Clause
// Scaled frames: the largest error of a number is a share of the root mean square or of the range of its block.  Steps
// are powers of two, and every block has its own step.  Points of different blocks are brought to the same step by
// shifting them, so sums stay exact.  docs/wire-format.md specifies the bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/quant/blocks.hpp"
#include "codec/quant/masked_blocks.hpp"
#include "codec/quant/scaled_block.hpp"
#include "codec/quant/scaled_rules.hpp"

namespace laconic::quant::scaled {

static_assert(2 * values == block_values, "capacity() counts on it");

// Base, two bitmaps, codes and planes of a block whose widths are all 32.
inline constexpr std::size_t largest_packed = 4 + 2 + 2 + block_groups + 32 * block_subs;
// Exceptions take at most the bytes that their points would, which are 8 in the far blocks of float64 numbers.  The
// last sub-blocks may be partial.
constexpr std::size_t largest_block(std::size_t number_bytes) {
  const std::size_t parts = number_bytes > 4 ? 2 : 1;
  return largest_masks + sizeof(Entry) + far_head_bytes + sizeof(Exponent) + parts * (largest_packed + 4 * sub_values);
}

// The functions of Codec for frames whose headers were checked.  inherited: the error of these frames.  T is one of
// FloatingTypes.
template <class T>
Payload encode(const Kernels& k, const T* x, std::size_t count, const Coding& coding, Blob out);
template <class T>
Payload fold(const Kernels& k, Frame frame, double inherited, const T* x, std::size_t count, const Coding& coding,
             Blob out);
template <class T>
Payload add(const Kernels& k, Frame a, Frame b, double inherited, std::size_t count, const Coding& coding, Blob out);
template <class T>
Status decode(const Kernels& k, Frame frame, T* x, std::size_t count, const Coding& coding);

}  // namespace laconic::quant::scaled
