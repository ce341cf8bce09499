// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a field cut into chunks, and the frames that encode them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "codec/codec.hpp"
#include "field.hpp"

namespace laconic::cli {

// Numbers in chunks of one frame each.
struct View {
  const std::byte* numbers = nullptr;
  std::size_t count = 0;
  Dtype dtype = Dtype::f32;
  std::size_t chunk = 0;  // 0: all in one chunk

  std::size_t bytes() const { return count * size_of(dtype); }
  std::size_t chunk_count() const { return chunk > 0 ? std::min(chunk, count) : count; }
  std::size_t chunks() const { return count == 0 ? 0 : (count + chunk_count() - 1) / chunk_count(); }
  std::size_t first(std::size_t k) const { return k * chunk_count(); }
  std::size_t size(std::size_t k) const { return std::min(chunk_count(), count - first(k)); }
  const std::byte* at(std::size_t k) const { return numbers + first(k) * size_of(dtype); }
};

// Every frame begins on a cache line, like frames received from the network.
class CodedField {
 public:
  Status encode(const Codec& codec, const Coding& coding, const View& view) {
    view_ = view;
    frames_.clear();
    bytes_ = 0;
    std::size_t end = 0;
    Memory scratch(codec.capacity(view.chunk_count(), view.dtype));
    for (std::size_t k = 0; k < view.chunks(); ++k) {
      const Coded coded = codec.encode(view.at(k), view.size(k), coding, scratch.span());
      if (!coded.status) return coded.status;
      if (end + coded.bytes > memory_.size()) grow(end + coded.bytes);
      std::copy_n(scratch.data(), coded.bytes, memory_.data() + end);
      frames_.push_back({end, coded.bytes});
      bytes_ += coded.bytes;
      end = (end + coded.bytes + 63) / 64 * 64;
    }
    return {};
  }

  Status decode(const Codec& codec, const Coding& coding, Memory& numbers) const {
    for (std::size_t k = 0; k < view_.chunks(); ++k) {
      const std::size_t offset = view_.first(k) * size_of(view_.dtype);
      if (Status s = codec.decode(frame(k), numbers.data() + offset, view_.size(k), coding); !s) return s;
    }
    return {};
  }

  Frame frame(std::size_t k) const { return {memory_.data() + frames_[k].offset, frames_[k].bytes}; }
  std::size_t bytes() const { return bytes_; }  // size of the frames alone

 private:
  void grow(std::size_t least) {
    Memory larger(std::max(least, 2 * memory_.size()));
    std::copy_n(memory_.data(), memory_.size(), larger.data());
    memory_ = std::move(larger);
  }

  struct Place {
    std::size_t offset;
    std::size_t bytes;
  };
  View view_;
  Memory memory_;
  std::vector<Place> frames_;
  std::size_t bytes_ = 0;
};

}  // namespace laconic::cli
