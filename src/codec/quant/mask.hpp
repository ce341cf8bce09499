// SPDX-License-Identifier: BSD-3-Clause
// Sets of the numbers of a block, and their coded form: the lengths of runs, or a bit for each number
// (docs/wire-format.md, masked blocks).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/host_device.hpp"
#include "base/trailing_zeros.hpp"
#include "codec/quant/format.hpp"

namespace laconic::quant {

inline constexpr unsigned mask_word_bits = 32;
inline constexpr unsigned mask_words = block_values / mask_word_bits;

// Bits beyond the numbers of the block are 0.
struct Mask {
  std::uint32_t words[mask_words];

  LACONIC_HOST_DEVICE bool has(std::size_t i) const {
    return (words[i / mask_word_bits] >> i % mask_word_bits & 1u) != 0;
  }
  LACONIC_HOST_DEVICE void add(std::size_t i) { words[i / mask_word_bits] |= 1u << i % mask_word_bits; }
  LACONIC_HOST_DEVICE void add(unsigned begin, unsigned end) {
    while (begin < end) {
      const unsigned bit = begin % mask_word_bits;
      const unsigned some = end - begin < mask_word_bits - bit ? end - begin : mask_word_bits - bit;
      words[begin / mask_word_bits] |= (some == mask_word_bits ? ~0u : (1u << some) - 1) << bit;
      begin += some;
    }
  }
  LACONIC_HOST_DEVICE void clear() {
    for (std::uint32_t& word : words) word = 0;
  }
  LACONIC_HOST_DEVICE unsigned count() const { return bits_in(words); }

  // How many of n bits differ from the one before, the first from a clear one.
  LACONIC_HOST_DEVICE unsigned changes(unsigned n) const {
    std::uint32_t changed[mask_words];
    std::uint32_t before = 0;
    for (unsigned w = 0; w < mask_words; ++w) {
      changed[w] = words[w] ^ (words[w] << 1 | before);
      before = words[w] >> (mask_word_bits - 1);
    }
    return bits_in(changed) - (n < block_values && n > 0 && has(n - 1) ? 1 : 0);
  }

  // The others of n bits.
  LACONIC_HOST_DEVICE Mask others(std::size_t n) const {
    Mask m;
    m.clear();
    m.add(0, static_cast<unsigned>(n));
    for (unsigned w = 0; w < mask_words; ++w) m.words[w] &= ~words[w];
    return m;
  }

 private:
  // std::popcount() would be a call for each word on processors that have no instruction for it.
  LACONIC_HOST_DEVICE static unsigned bits_in(const std::uint32_t* of) {
    std::uint32_t sums = 0;  // two of 16 bits
    for (unsigned w = 0; w < mask_words; ++w) {
      std::uint32_t v = of[w] - (of[w] >> 1 & 0x55555555u);
      v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
      v = (v + (v >> 4)) & 0x0f0f0f0fu;
      sums += (v & 0x00ff00ffu) + (v >> 8 & 0x00ff00ffu);
    }
    return (sums + (sums >> 16)) & 0xffffu;
  }
};

// The coded form begins with the number of bytes that follow it, or this value where they are a bit for each number.
inline constexpr unsigned bitmap_follows = 255;
// A byte of this value belongs to a run that goes on in the next byte.
inline constexpr unsigned longest_run = 255;

constexpr unsigned bitmap_bytes(unsigned n) { return (n + 7) / 8; }
inline constexpr std::size_t largest_coded_mask = 1 + bitmap_bytes(block_values);

// The end of the run of bits, all set or all clear, that begins at `at` or is empty there.
LACONIC_HOST_DEVICE inline unsigned end_of_run(const Mask& mask, unsigned at, unsigned n, bool set) {
  const std::uint32_t flip = set ? ~0u : 0;
  unsigned w = at / mask_word_bits;
  std::uint32_t others = (mask.words[w] ^ flip) >> at % mask_word_bits << at % mask_word_bits;
  while (others == 0 && ++w < mask_words) others = mask.words[w] ^ flip;
  if (others == 0) return n;
  const unsigned end = w * mask_word_bits + static_cast<unsigned>(trailing_zeros(others));
  return end < n ? end : n;
}

// Calls f(begin, end) for every run of set bits, or of clear ones.
template <class F>
LACONIC_HOST_DEVICE inline void each_run_of(const Mask& mask, unsigned n, bool set, F&& f) {
  for (unsigned at = end_of_run(mask, 0, n, !set); at < n;) {
    const unsigned end = end_of_run(mask, at, n, set);
    f(at, end);
    at = end < n ? end_of_run(mask, end, n, !set) : n;
  }
}

// Calls f(length) for the runs of clear and of set bits in turn, beginning with clear ones, except for the last run.
template <class F>
LACONIC_HOST_DEVICE inline void each_run(const Mask& mask, unsigned n, F&& f) {
  bool set = false;
  for (unsigned at = 0; at < n; set = !set) {
    const unsigned end = end_of_run(mask, at, n, set);
    if (end == n) return;
    f(end - at);
    at = end;
  }
}

// Writes the coded form of n bits to `out` unless that is null, and returns its size, at most largest_coded_mask.
LACONIC_HOST_DEVICE inline unsigned write_mask(const Mask& mask, unsigned n, std::byte* out) {
  // Every change ends a run, and takes a byte or more.
  unsigned runs = mask.changes(n);
  if (runs <= bitmap_bytes(n)) {
    runs = 0;
    each_run(mask, n, [&](unsigned length) { runs += length / longest_run + 1; });
  }
  const bool bitmap = runs > bitmap_bytes(n);
  const unsigned bytes = bitmap ? bitmap_bytes(n) : runs;
  if (out == nullptr) return 1 + bytes;
  *out++ = static_cast<std::byte>(bitmap ? bitmap_follows : bytes);
  if (bitmap) {
    for (unsigned b = 0; b < bytes; ++b) out[b] = static_cast<std::byte>(mask.words[b / 4] >> 8 * (b % 4));
  } else {
    each_run(mask, n, [&](unsigned length) {
      for (; length >= longest_run; length -= longest_run) *out++ = static_cast<std::byte>(longest_run);
      *out++ = static_cast<std::byte>(length);
    });
  }
  return 1 + bytes;
}

// Reads the coded form of n bits and moves `at` behind it; false when it is not valid.
LACONIC_HOST_DEVICE inline bool read_mask(const std::byte*& at, const std::byte* end, unsigned n, Mask& mask) {
  mask.clear();
  if (at == end) return false;
  const auto head = static_cast<unsigned>(*at++);
  const unsigned bytes = head == bitmap_follows ? bitmap_bytes(n) : head;
  if (bytes > static_cast<std::size_t>(end - at)) return false;
  if (head == bitmap_follows) {
    for (unsigned b = 0; b < bytes; ++b) mask.words[b / 4] |= static_cast<std::uint32_t>(at[b]) << 8 * (b % 4);
    if (n % mask_word_bits != 0) mask.words[n / mask_word_bits] &= (1u << n % mask_word_bits) - 1;
    at += bytes;
    return true;
  }
  unsigned begin = 0;
  bool set = false;
  for (unsigned b = 0; b < bytes; ++b) {
    const auto length = static_cast<unsigned>(*at++);
    if (length > n - begin) return false;
    if (set) mask.add(begin, begin + length);
    begin += length;
    if (length != longest_run) set = !set;
  }
  if (set) mask.add(begin, n);
  return true;
}

// The body of a masked block begins with the number of its exceptions, which is not 0: a word of 0 begins a far block.
// The mask of the exceptions follows, and that of the exceptions, beginning with the second one, whose bits differ from
// those of the exception before.  Then, at an even place, come the first exception and those that differ, and, unless
// all numbers are exceptions, the entry and the body of the block of the other numbers' points.
inline constexpr std::size_t masked_head_bytes = 2;
inline constexpr std::size_t largest_masks = masked_head_bytes + 2 * largest_coded_mask;
static_assert(largest_masks % 2 == 0);

}  // namespace laconic::quant
