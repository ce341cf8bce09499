// SPDX-License-Identifier: BSD-3-Clause
// One block of lossless: conversion of up to 1024 numbers to a body and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/lossless/format.hpp"

namespace laconic::lossless {

struct Written {
  Kind kind = Kind::zero;
  std::size_t body = 0;  // bytes, even
};

// Writes 1 <= n <= 1024 numbers in at most padded(n numbers) bytes.  Up to store_slack bytes after those are
// overwritten.
template <class Word, bool floating>
Written write_words(const void* x, std::size_t n, std::byte* out);

// Reads n numbers from a body of `body` bytes; `behind` more bytes after it may be read.  Returns the problem with the
// body, or nullptr.
template <class Word, bool floating>
const char* read_words(Kind kind, const std::byte* in, std::size_t body, std::size_t behind, std::size_t n, void* x);

// Signed and unsigned integers use the same words; float16 and bfloat16 have the same sign and magnitude format.
template <class T>
using WordOf = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
Written write_block(const T* x, std::size_t n, std::byte* out) {
  return write_words<WordOf<T>, !std::is_integral_v<T>>(x, n, out);
}

template <class T>
const char* read_block(Kind kind, const std::byte* in, std::size_t body, std::size_t behind, std::size_t n, T* x) {
  return read_words<WordOf<T>, !std::is_integral_v<T>>(kind, in, body, behind, n, x);
}

}  // namespace laconic::lossless
