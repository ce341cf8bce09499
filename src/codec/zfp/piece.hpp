// SPDX-License-Identifier: BSD-3-Clause
// Coding of one piece of numbers through libzfp, in memory private to this thread.  libzfp never reads or writes the
// frame itself, because it does not check the end of its memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/zfp/layout.hpp"

namespace laconic::zfp {

// The memory that one thread needs for coding.  It is allocated when the thread codes for the first time and freed with
// the thread.
struct Scratch {
  static Scratch* of_this_thread();  // nullptr when memory has run out
  ~Scratch();

  template <class T>
  T* numbers(int which) {
    return reinterpret_cast<T*>(room[which]);
  }

  // The bit stream of libzfp over `packed`; its type is internal to libzfp.
  void* bits = nullptr;
  // Four doubles take libzfp at most 35 bytes, 12 bits of head and 64 planes; it reads and writes words of 8 bytes.
  alignas(8) std::byte packed[piece_values / 4 * 48 + 64];
  // Arrays 0 and 1 are for the codec, 2 and 3 for pack().
  alignas(64) std::byte room[4][piece_values * sizeof(double)];
};

inline constexpr std::size_t kept_raw = 0;

// Codes n numbers into scratch.packed and returns the number of bytes.  Returns kept_raw when they cannot be coded
// within the allowance, when a number is beyond `largest`, or when coding would not make them smaller.  `error`: the
// largest absolute error, set if the piece is coded.  `largest`: decoded numbers are not beyond it, either.
template <class T>
std::size_t pack(Scratch& scratch, const Parameters& parameters, const T* x, std::size_t n, double allowance, T largest,
                 double& error);

// Decodes scratch.packed, which holds `bytes` bytes; false when they are not n numbers.
template <class T>
bool unpack(Scratch& scratch, const Parameters& parameters, std::size_t bytes, T* x, std::size_t n);

}  // namespace laconic::zfp
