// SPDX-License-Identifier: BSD-3-Clause
// CUDA's vector types, as far as kernels use them: with its names, sizes and alignments.
#pragma once

#include <cstdint>

#define LACONIC_VECTORS_OF(Type, Name)                                        \
  struct alignas(2 * sizeof(Type)) Name##2 {                                  \
    Type x, y;                                                                \
  };                                                                          \
  struct Name##3 {                                                            \
    Type x, y, z;                                                             \
  };                                                                          \
  struct alignas(4 * sizeof(Type) < 16 ? 4 * sizeof(Type) : 16) Name##4 {     \
    Type x, y, z, w;                                                          \
  };                                                                          \
  inline Name##2 make_##Name##2(Type x, Type y) { return {x, y}; }            \
  inline Name##3 make_##Name##3(Type x, Type y, Type z) { return {x, y, z}; } \
  inline Name##4 make_##Name##4(Type x, Type y, Type z, Type w) { return {x, y, z, w}; }

LACONIC_VECTORS_OF(signed char, char)
LACONIC_VECTORS_OF(unsigned char, uchar)
LACONIC_VECTORS_OF(short, short)
LACONIC_VECTORS_OF(unsigned short, ushort)
LACONIC_VECTORS_OF(int, int)
LACONIC_VECTORS_OF(unsigned, uint)
LACONIC_VECTORS_OF(long long, longlong)
LACONIC_VECTORS_OF(unsigned long long, ulonglong)
LACONIC_VECTORS_OF(float, float)
LACONIC_VECTORS_OF(double, double)

#undef LACONIC_VECTORS_OF
