// SPDX-License-Identifier: BSD-3-Clause
// One piece of numbers through libzfp, in memory of this thread's own: what libzfp reads and writes is never the
// frame itself, because it knows no end of its memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/zfp/layout.hpp"

namespace laconic::zfp {

// What one thread needs to code: made when it codes for the first time, gone with the thread.
struct Scratch {
  static Scratch* of_this_thread();  // nullptr when memory has run out
  ~Scratch();

  template <class T>
  T* numbers(int which) {
    return reinterpret_cast<T*>(room[which]);
  }

  // libzfp's bit stream over `packed`; its type is libzfp's own affair.
  void* bits = nullptr;
  // Four doubles take libzfp at most 35 bytes, 12 bits of head and 64 planes; it reads and writes words of 8.
  alignas(8) std::byte packed[piece_values / 4 * 48 + 64];
  // 0, 1: for the codec; 2, 3: for pack().
  alignas(64) std::byte room[4][piece_values * sizeof(double)];
};

inline constexpr std::size_t kept_raw = 0;

// Codes n numbers into scratch.packed and says in how many bytes, or kept_raw when they cannot be coded within the
// allowance, when none is larger than they are, or when coding would not make them smaller.  `error`, where it is
// coded: the largest absolute error there is.  `largest`: coded numbers are not beyond it.
template <class T>
std::size_t pack(Scratch& scratch, const Parameters& parameters, const T* x, std::size_t n, double allowance, T largest,
                 double& error);

// Decodes scratch.packed, which holds `bytes`; false when they are not n numbers.
template <class T>
bool unpack(Scratch& scratch, const Parameters& parameters, std::size_t bytes, T* x, std::size_t n);

}  // namespace laconic::zfp
