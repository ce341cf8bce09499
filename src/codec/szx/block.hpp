// SPDX-License-Identifier: BSD-3-Clause
// One block of szx: conversion of up to 128 numbers to bytes and back.
#pragma once

#include <cstddef>

namespace laconic::szx {

struct Written {
  std::size_t bytes = 0;
  bool constant = false;  // the block's bit in the states of its chunk
  bool rounded = false;   // some number is not reproduced exactly
};

// Writes 1 <= n <= 128 numbers so that each is reproduced with an error below `allowance` (bit for bit if that is 0),
// in at most 1 + n numbers' bytes.  Up to store_slack bytes after those are overwritten.
template <class T>
Written write_block(const T* x, std::size_t n, double allowance, std::byte* out);

struct Read {
  std::size_t bytes = 0;
  const char* problem = nullptr;  // the reason why the bytes are not a block, or null
};

// Reads n numbers from the `available` bytes at `in`.
template <class T>
Read read_block(const std::byte* in, std::size_t available, bool constant, std::size_t n, T* x);

extern template Written write_block(const float*, std::size_t, double, std::byte*);
extern template Written write_block(const double*, std::size_t, double, std::byte*);
extern template Read read_block(const std::byte*, std::size_t, bool, std::size_t, float*);
extern template Read read_block(const std::byte*, std::size_t, bool, std::size_t, double*);

}  // namespace laconic::szx
