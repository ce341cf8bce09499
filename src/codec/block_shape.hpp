// SPDX-License-Identifier: BSD-3-Clause
// The block sizes of the codecs with bit planes, quant and lossless: docs/wire-format.md.
#pragma once

#include <cstddef>

namespace laconic::block_shape {

inline constexpr std::size_t block_values = 1024;  // numbers that share a kind; a frame's last block may have fewer
inline constexpr std::size_t sub_values = 16;      // numbers that share a width: one bit plane is one 16-bit word
inline constexpr std::size_t group_subs = 4;       // sub-blocks whose widths share a word, absent when all are 0
inline constexpr std::size_t block_subs = block_values / sub_values;
inline constexpr std::size_t block_groups = block_subs / group_subs;
inline constexpr std::size_t group_values = group_subs * sub_values;

}  // namespace laconic::block_shape
