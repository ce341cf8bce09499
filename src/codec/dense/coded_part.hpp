// SPDX-License-Identifier: BSD-3-Clause
// The bytes of the coder of a segment that is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/dense/kernels.hpp"

namespace laconic::dense {

// Gives the kernels room for what they read beyond those bytes.
class CodedPart {
 public:
  // `end` is the end of the part, beyond_end that of the frame, up to which memory can be read.
  CodedPart(const std::byte* at, const std::byte* end, const std::byte* beyond_end)
      : end_(end), beyond_end_(beyond_end) {
    std::memcpy(decoder_.states, at, states_bytes);
    decoder_.at = at + states_bytes;
  }

  // False when an encoder cannot have ended with these states: kernels count on it that none is lower.
  bool valid() const {
    return std::all_of(decoder_.states, decoder_.states + lanes, [](std::uint16_t x) { return x >= least_state; });
  }

  Decoder& next_block() {
    if (static_cast<std::size_t>(beyond_end_ - decoder_.at) < decoder_reach) move_to_tail();
    return decoder_;
  }
  bool passed_end() const { return decoder_.at > end_; }

  // The states with which encoders begin.
  bool finished() const {
    return decoder_.at == end_ &&
           std::all_of(decoder_.states, decoder_.states + lanes, [](std::uint16_t x) { return x == least_state; });
  }

 private:
  void move_to_tail() {
    const auto left = static_cast<std::size_t>(end_ - decoder_.at);
    std::memmove(tail_, decoder_.at, left);
    std::memset(tail_ + left, 0, sizeof tail_ - left);
    decoder_.at = tail_;
    end_ = tail_ + left;
    beyond_end_ = tail_ + sizeof tail_;
  }

  Decoder decoder_;
  const std::byte* end_;
  const std::byte* beyond_end_;
  std::byte tail_[2 * decoder_reach];
};

}  // namespace laconic::dense
