// SPDX-License-Identifier: BSD-3-Clause
// The kernels of one number type, as the host launches them.  Every number type is compiled in a file of its own.
#pragma once

#include <span>

#include "codec/device_codec.hpp"

namespace laconic::quant::cuda {

// The largest number of arrays that one launch encodes: its arguments have room for no more.
inline constexpr unsigned most_pieces = 64;

// The words of a queue's workspace for frames that have `tiles` tiles in total.
std::size_t workspace_words(std::size_t tiles);
std::size_t tiles_of(std::size_t count, bool is_scaled);

template <class T>
struct Launches {
  static Status encode(std::span<const Piece> pieces, const Coding& coding, Queue& queue);
  static Status fold(const DeviceFrame& frame, const T* numbers, std::size_t count, const Coding& coding,
                     std::byte* out, Queue& queue);
  static Status add(const DeviceFrame& a, const DeviceFrame& b, std::size_t count, const Coding& coding, std::byte* out,
                    Queue& queue);
  static Status combine(std::span<const DeviceFrame> frames, const T* numbers, std::size_t count, const Coding& coding,
                        std::byte* out, Queue& queue);
  // with: null when nothing is combined.
  static Status decode(const DeviceFrame& frame, const T* with, T* numbers, std::size_t count, const Coding& coding,
                       Queue& queue);
};

}  // namespace laconic::quant::cuda
