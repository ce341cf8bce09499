// SPDX-License-Identifier: BSD-3-Clause
// Loading of blocks of numbers from arrays and frames in device memory, and storing into arrays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/combine.hpp"
#include "codec/zfp/cuda/block.hpp"
#include "codec/zfp/cuda/shape.hpp"
#include "device/cuda/language.hpp"

namespace laconic::zfp {

template <class T>
__device__ inline bool four_at_once(const T* at, std::uint32_t n) {
  return n == 4 && reinterpret_cast<std::uintptr_t>(at) % alignof(Quad<T>) == 0;
}

// Loads n numbers; missing ones are zeros.
template <class T>
__device__ inline Quad<T> load_block(const T* at, std::uint32_t n) {
  if (four_at_once(at, n)) return *reinterpret_cast<const Quad<T>*>(at);
  return {n > 0 ? at[0] : T(0), n > 1 ? at[1] : T(0), n > 2 ? at[2] : T(0), n > 3 ? at[3] : T(0)};
}

template <class T>
__device__ inline void store_block(T* at, std::uint32_t n, const Quad<T>& x) {
  if (four_at_once(at, n)) {
    *reinterpret_cast<Quad<T>*>(at) = x;
    return;
  }
  if (n > 0) at[0] = x.x;
  if (n > 1) at[1] = x.y;
  if (n > 2) at[2] = x.z;
  if (n > 3) at[3] = x.w;
}

template <class T, class F>
__device__ inline Quad<T> each(const Quad<T>& a, F f) {
  return {f(a.x), f(a.y), f(a.z), f(a.w)};
}

template <class T>
__device__ inline Quad<T> combine_blocks(Op op, const Quad<T>& a, const Quad<T>& b) {
  switch (op) {
    case Op::sum:
      return {combine_pair<Op::sum>(a.x, b.x), combine_pair<Op::sum>(a.y, b.y), combine_pair<Op::sum>(a.z, b.z),
              combine_pair<Op::sum>(a.w, b.w)};
    case Op::max:
      return {combine_pair<Op::max>(a.x, b.x), combine_pair<Op::max>(a.y, b.y), combine_pair<Op::max>(a.z, b.z),
              combine_pair<Op::max>(a.w, b.w)};
    case Op::min: break;
  }
  return {combine_pair<Op::min>(a.x, b.x), combine_pair<Op::min>(a.y, b.y), combine_pair<Op::min>(a.z, b.z),
          combine_pair<Op::min>(a.w, b.w)};
}

// The whole words around bytes of any alignment.  No byte after their end is read; zeros are returned instead.
class WordsAround {
 public:
  __device__ WordsAround(const std::byte* begin, const std::byte* end)
      : words_(reinterpret_cast<const std::uint32_t*>(begin - reinterpret_cast<std::uintptr_t>(begin) % 4)) {
    const auto bytes = static_cast<std::uint32_t>(end - reinterpret_cast<const std::byte*>(words_));
    whole_ = bytes / 4;
    const std::uint32_t more = bytes % 4;
    if (more > 0) last_ = byte_before(end, more);
    if (more > 1) last_ |= byte_before(end, more - 1) << 8;
    if (more > 2) last_ |= byte_before(end, more - 2) << 16;
  }

  __device__ std::uint32_t operator()(std::uint32_t i) const {
    return i < whole_ ? words_[i] : i == whole_ ? last_ : 0;
  }

 private:
  __device__ static std::uint32_t byte_before(const std::byte* end, std::uint32_t distance) {
    return std::to_integer<std::uint32_t>(end[-static_cast<std::ptrdiff_t>(distance)]);
  }

  const std::uint32_t* words_;
  std::uint32_t whole_;
  std::uint32_t last_ = 0;
};

// The bytes of a frame whose pieces open_frame() has found; a word for each part holds the place of its piece, which is
// valid where there is no fault.
struct OpenFrame {
  const std::byte* bytes;
  std::size_t size;  // where a kernel has read the header: bytes from here on that may be read
  std::uint64_t* places;
  std::uint32_t* fault;

  // Clears the words of a part; the fault belongs to part 0.  All reads of the fault must be over.
  __device__ void close(std::uint32_t part) const {
    places[part] = 0;
    if (part == 0) *fault = 0;
  }
};

template <class T>
__device__ inline T take_number(BitReader<WordsAround>& in) {
  const std::uint32_t low = in.take(32);
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(low);
  else
    return std::bit_cast<T>(static_cast<std::uint64_t>(in.take(32)) << 32 | low);
}

// Reads a block of a piece: n numbers, and zeros for the missing ones.
template <class T>
__device__ inline Quad<T> read_block(const OpenFrame& frame, Place place, std::uint32_t block_bits, std::uint32_t block,
                                     std::uint32_t n) {
  const std::byte* piece = frame.bytes + place.offset();
  const auto skipped = static_cast<std::uint32_t>(8 * (reinterpret_cast<std::uintptr_t>(piece) % 4));
  const std::uint32_t bits = place.raw() ? 4 * width<T> : block_bits;
  BitReader<WordsAround> in(WordsAround(piece, frame.bytes + frame.size), skipped + block * bits);
  Quad<T> x;
  if (place.raw()) {
    x.x = take_number<T>(in), x.y = take_number<T>(in), x.z = take_number<T>(in), x.w = take_number<T>(in);
  } else {
    x = decode_block<T>(block_bits, in);
  }
  return {x.x, n > 1 ? x.y : T(0), n > 2 ? x.z : T(0), n > 3 ? x.w : T(0)};
}

}  // namespace laconic::zfp
