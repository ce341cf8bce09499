// SPDX-License-Identifier: BSD-3-Clause
// A block of four numbers as zfp codes it at a fixed rate (docs/wire-format.md): the same bits as libzfp, for the host
// and for kernels.  All data is in registers: bit planes are taken one after the other from nibbles, never from arrays.
#pragma once

#include <bit>
#include <cstdint>

#include "base/host_device.hpp"
#include "codec/zfp/cuda/bits.hpp"
#include "codec/zfp/cuda/planes.hpp"
#include "codec/zfp/layout.hpp"

namespace laconic::zfp {

template <class T>
struct Traits;

template <>
struct Traits<float> {
  using Word = std::uint32_t;
  using Int = std::int32_t;
  static constexpr std::uint32_t digits = 23, exponent_bits = 8, bias = 127;
};

template <>
struct Traits<double> {
  using Word = std::uint64_t;
  using Int = std::int64_t;
  static constexpr std::uint32_t digits = 52, exponent_bits = 11, bias = 1023;
};

template <class T>
inline constexpr std::uint32_t width = 8 * sizeof(T);

template <class T>
struct alignas(16) Quad {
  T x, y, z, w;
};

// The count works on halves of 32 bits: for 64 bits, nvcc (13.0) silently makes std::bit_width() a constant.
template <class Word>
LACONIC_HOST_DEVICE inline std::uint32_t leading_zeros(Word word) {
  if constexpr (sizeof(Word) == 4) {
    return 32 - static_cast<std::uint32_t>(std::bit_width(word));
  } else {
    const auto high = static_cast<std::uint32_t>(word >> 32);
    return high != 0 ? leading_zeros(high) : 32 + leading_zeros(static_cast<std::uint32_t>(word));
  }
}

template <class Word>
LACONIC_HOST_DEVICE inline Word reversed(Word word) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Word) == 8)
    return __brevll(word);
  else
    return __brev(word);
#else
  constexpr Word ones = static_cast<Word>(~Word{0});
  for (std::uint32_t step = 4 * sizeof(Word); step > 0; step /= 2) {
    const Word low = ones / ((Word{1} << step) + 1);  // every other block of `step` ones
    word = (word >> step & low) | (word & low) << step;
  }
  return word;
#endif
}

// The words whose bit planes are sent: the integer transform, in base -2.  It works modulo 2^W, as hostile frames can
// decode to any value.
template <class T>
struct Transform {
  using Word = typename Traits<T>::Word;
  using Int = typename Traits<T>::Int;
  static constexpr Word odd_bits = static_cast<Word>(0xaaaaaaaaaaaaaaaaULL);

  LACONIC_HOST_DEVICE static Word half(Word v) { return static_cast<Word>(static_cast<Int>(v) >> 1); }

  LACONIC_HOST_DEVICE static Quad<Word> forward(Quad<Word> v) {
    v.x = half(v.x + v.w), v.w -= v.x;
    v.z = half(v.z + v.y), v.y -= v.z;
    v.x = half(v.x + v.z), v.z -= v.x;
    v.w = half(v.w + v.y), v.y -= v.w;
    v.w += half(v.y), v.y -= half(v.w);
    return {(v.x + odd_bits) ^ odd_bits, (v.y + odd_bits) ^ odd_bits, (v.z + odd_bits) ^ odd_bits,
            (v.w + odd_bits) ^ odd_bits};
  }

  LACONIC_HOST_DEVICE static Quad<Word> inverse(const Quad<Word>& u) {
    Quad<Word> v{(u.x ^ odd_bits) - odd_bits, (u.y ^ odd_bits) - odd_bits, (u.z ^ odd_bits) - odd_bits,
                 (u.w ^ odd_bits) - odd_bits};
    v.y += half(v.w), v.w -= half(v.y);
    v.y += v.w, v.w = (v.w << 1) - v.y;
    v.z += v.x, v.x = (v.x << 1) - v.z;
    v.y += v.z, v.z = (v.z << 1) - v.y;
    v.w += v.x, v.x = (v.x << 1) - v.w;
    return v;
  }
};

// 2^(E - W + 2) for the biased exponent E of a block: 0 where that is below all numbers of the type.
template <class T>
LACONIC_HOST_DEVICE inline T scale_of(std::uint32_t exponent) {
  using Word = typename Traits<T>::Word;
  constexpr int digits = Traits<T>::digits;
  const int biased = static_cast<int>(exponent) - static_cast<int>(width<T> - 2);
  if (biased > 0) return std::bit_cast<T>(static_cast<Word>(biased) << digits);
  return biased > -digits ? std::bit_cast<T>(Word{1} << (digits - 1 + biased)) : T(0);
}

template <class T>
LACONIC_HOST_DEVICE inline Quad<T> to_numbers(const Quad<typename Traits<T>::Word>& u, std::uint32_t exponent) {
  using Int = typename Traits<T>::Int;
  const auto v = Transform<T>::inverse(u);
  const T scale = scale_of<T>(exponent);
  return {scale * static_cast<T>(static_cast<Int>(v.x)), scale * static_cast<T>(static_cast<Int>(v.y)),
          scale * static_cast<T>(static_cast<Int>(v.z)), scale * static_cast<T>(static_cast<Int>(v.w))};
}

// The biased exponent E of a block whose greatest magnitude is not 0: all numbers are below 2^(E - bias).
template <class T>
LACONIC_HOST_DEVICE inline std::uint32_t exponent_of(const Quad<T>& numbers) {
  using Word = typename Traits<T>::Word;
  constexpr Word magnitude = static_cast<Word>(~Word{0}) >> 1;
  const Word x = std::bit_cast<Word>(numbers.x) & magnitude;
  const Word y = std::bit_cast<Word>(numbers.y) & magnitude;
  const Word z = std::bit_cast<Word>(numbers.z) & magnitude;
  const Word w = std::bit_cast<Word>(numbers.w) & magnitude;
  const Word xy = x > y ? x : y;
  const Word zw = z > w ? z : w;
  return static_cast<std::uint32_t>((xy > zw ? xy : zw) >> Traits<T>::digits) + 1;
}

template <class T>
LACONIC_HOST_DEVICE inline Quad<typename Traits<T>::Word> to_words(const Quad<T>& numbers, std::uint32_t exponent) {
  using Word = typename Traits<T>::Word;
  using Int = typename Traits<T>::Int;
  constexpr std::uint32_t one = Traits<T>::bias;
  // E is at least 38 or 74, see `tiny`, so this is a normal number.
  const T scale = std::bit_cast<T>(static_cast<Word>(one + width<T> - 2 + one - exponent) << Traits<T>::digits);
  return Transform<T>::forward(
      {static_cast<Word>(static_cast<Int>(scale * numbers.x)), static_cast<Word>(static_cast<Int>(scale * numbers.y)),
       static_cast<Word>(static_cast<Int>(scale * numbers.z)), static_cast<Word>(static_cast<Int>(scale * numbers.w))});
}

// The next eight planes of words whose planes start at bit 0, a nibble for each plane.
template <class Word>
LACONIC_HOST_DEVICE inline std::uint32_t eight_planes(const Quad<Word>& u) {
  return spread(static_cast<std::uint32_t>(u.x) & 0xff) | spread(static_cast<std::uint32_t>(u.y) & 0xff) << 1 |
         spread(static_cast<std::uint32_t>(u.z) & 0xff) << 2 | spread(static_cast<std::uint32_t>(u.w) & 0xff) << 3;
}

// The part of the words that was sent, when planes are sent from the highest down: `whole` planes, and for the plane
// below them the bits that a reader reconstructs, `rest`.
template <class Word>
LACONIC_HOST_DEVICE inline Quad<Word> sent_of(const Quad<Word>& u, std::uint32_t whole, std::uint32_t rest) {
  constexpr std::uint32_t bits = 8 * sizeof(Word);
  if (whole >= bits) return u;
  const Word keep = static_cast<Word>(~(static_cast<Word>(~Word{0}) >> whole));
  const std::uint32_t at = bits - 1 - whole;
  return {(u.x & keep) | static_cast<Word>(rest & 1) << at, (u.y & keep) | static_cast<Word>(rest >> 1 & 1) << at,
          (u.z & keep) | static_cast<Word>(rest >> 2 & 1) << at, (u.w & keep) | static_cast<Word>(rest >> 3 & 1) << at};
}

// Planes that are sent as runs, starting with the first of up to eight, while n < 4 and their code has at most `bits`
// bits.  The code of the last plane may be cut short: it is not counted, and `rest` is the plane that a reader decodes
// from it.
struct CodedPlanes {
  std::uint64_t code;
  std::uint32_t length;
  std::uint32_t planes;
  std::uint32_t rest;
};

LACONIC_HOST_DEVICE inline CodedPlanes encode_planes_by_runs(std::uint32_t planes, std::uint32_t count,
                                                             std::uint32_t bits, std::uint32_t& n) {
  CodedPlanes coded{0, 0, 0, 0};
  PlaneCode code{0, 0};
  bool fits = true;
  while (n < 4 && coded.planes < count && fits) {
    code = encode_plane(planes & 15, n);
    coded.code |= static_cast<std::uint64_t>(code.bits) << coded.length;
    fits = coded.length + code.length <= bits;
    if (fits) {
      coded.length += code.length;
      n = after_plane(planes & 15, n);
      planes >>= 4;
      ++coded.planes;
    }
  }
  if (!fits) {
    const std::uint32_t there = bits - coded.length;
    coded.rest = decode_cut_plane(code.bits, n, there);
    coded.code &= (std::uint64_t{1} << bits) - 1;  // bits < 56: there are at most eight codes of at most 7 bits
    coded.length = bits;
  }
  return coded;
}

// Writes the planes of u in at most `bits` bits and returns the words that a reader decodes from them.
template <class Word>
LACONIC_HOST_DEVICE inline Quad<Word> encode_planes(const Quad<Word>& u, std::uint32_t bits, BitWriter& out) {
  constexpr std::uint32_t all = 8 * sizeof(Word);
  // Each plane at the top without a 1 is coded as a single 0.
  const std::uint32_t empty = leading_zeros(u.x | u.y | u.z | u.w);
  if (empty >= bits || empty >= all) {
    out.zeros(bits);
    return {0, 0, 0, 0};
  }
  out.zeros(empty);
  bits -= empty;
  Quad<Word> left{reversed(static_cast<Word>(u.x << empty)), reversed(static_cast<Word>(u.y << empty)),
                  reversed(static_cast<Word>(u.z << empty)), reversed(static_cast<Word>(u.w << empty))};
  std::uint32_t plane = empty;
  std::uint32_t n = 0;
  std::uint32_t rest = 0;
  while (bits > 0 && plane < all) {
    std::uint32_t planes = eight_planes(left);
    left = {left.x >> 8, left.y >> 8, left.z >> 8, left.w >> 8};
    const std::uint32_t end = plane + 8 < all ? plane + 8 : all;
    const CodedPlanes coded = encode_planes_by_runs(planes, end - plane, bits, n);
    out.put(static_cast<std::uint32_t>(coded.code), coded.length < 32 ? coded.length : 32);
    out.put(static_cast<std::uint32_t>(coded.code >> 32), coded.length < 32 ? 0 : coded.length - 32);
    bits -= coded.length;
    plane += coded.planes;
    planes >>= 4 * coded.planes & 31;
    rest = coded.rest;
    if (n == 4 && plane < end) {  // the bits of all four words, uncoded
      const std::uint32_t wanted = 4 * (end - plane);
      const std::uint32_t length = wanted < bits ? wanted : bits;
      const std::uint32_t sent = planes & low_bits(length);
      out.put(sent, length);
      bits -= length;
      plane += length / 4;
      rest = length < wanted ? sent >> (length & ~3u) : 0;
    }
  }
  out.zeros(bits);
  return sent_of(u, plane, rest);
}

// Writes exactly `block_bits` bits for numbers that are finite and not tiny (`tiny`), and returns the numbers that
// decode_block() decodes from them.
template <class T>
LACONIC_HOST_DEVICE inline Quad<T> encode_block(const Quad<T>& numbers, std::uint32_t block_bits, BitWriter& out) {
  const bool zero = numbers.x == 0 && numbers.y == 0 && numbers.z == 0 && numbers.w == 0;
  if (zero) {
    out.zeros(block_bits);
    out.end();
    return {0, 0, 0, 0};
  }
  const std::uint32_t exponent = exponent_of(numbers);
  constexpr std::uint32_t head = 1 + Traits<T>::exponent_bits;
  out.put(exponent << 1 | 1, head);
  const auto sent = encode_planes(to_words(numbers, exponent), block_bits - head, out);
  out.end();
  return to_numbers<T>(sent, exponent);
}

// Reads the planes of four words in at most `bits` bits, `all` planes at most.
template <class Word, class Words>
LACONIC_HOST_DEVICE inline Quad<Word> decode_planes(std::uint32_t all, std::uint32_t bits, BitReader<Words>& in) {
  Quad<Word> u{0, 0, 0, 0};
  std::uint32_t n = 0;
  bool more = true;
  for (std::uint32_t plane = 0; more && plane < all; plane += 8) {
    const std::uint32_t end = 4 * (plane + 8 < all ? 8 : all - plane);
    std::uint32_t planes = 0;
    std::uint32_t at = 0;
    while (more && n < 4 && at < end) {
      const std::uint32_t seen = in.peek();
      const PlaneRead read = decode_plane(seen, n);
      more = read.length <= bits;
      planes |= (more ? read.plane : decode_cut_plane(seen, n, bits)) << at;
      if (more) {
        n = after_plane(read.plane, n);
        in.drop(read.length);
        bits -= read.length;
        at += 4;
      }
    }
    if (more && at < end) {
      const std::uint32_t length = end - at < bits ? end - at : bits;
      planes |= in.take(length) << at;
      bits -= length;
      more = bits > 0;
    }
    u.x |= static_cast<Word>(gather(planes)) << plane;
    u.y |= static_cast<Word>(gather(planes >> 1)) << plane;
    u.z |= static_cast<Word>(gather(planes >> 2)) << plane;
    u.w |= static_cast<Word>(gather(planes >> 3)) << plane;
  }
  return {reversed(u.x), reversed(u.y), reversed(u.z), reversed(u.w)};
}

template <class T, class Words>
LACONIC_HOST_DEVICE inline Quad<T> decode_block(std::uint32_t block_bits, BitReader<Words>& in) {
  if (in.take(1) == 0) return {0, 0, 0, 0};
  const std::uint32_t exponent = in.take(Traits<T>::exponent_bits);
  // Planes below the least exponent are not sent; only a float64 has numbers that small.
  const int planes = static_cast<int>(exponent) - static_cast<int>(Traits<T>::bias) - least_exponent + 4;
  const std::uint32_t all = planes < static_cast<int>(width<T>) ? static_cast<std::uint32_t>(planes) : width<T>;
  constexpr std::uint32_t head = 1 + Traits<T>::exponent_bits;
  return to_numbers<T>(decode_planes<typename Traits<T>::Word>(all, block_bits - head, in), exponent);
}

// Fills the missing numbers of the last block of a piece with the values that zfp puts there.
template <class T>
LACONIC_HOST_DEVICE inline Quad<T> padded(Quad<T> numbers, std::uint32_t n) {
  if (n < 1) numbers.x = 0;
  if (n < 2) numbers.y = numbers.x;
  if (n < 3) numbers.z = numbers.y;
  if (n < 4) numbers.w = numbers.x;
  return numbers;
}

}  // namespace laconic::zfp
