// SPDX-License-Identifier: BSD-3-Clause
// The decoder of one block.  Every byte may be hostile: sizes are checked before anything is read.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "codec/szx/block.hpp"
#include "codec/szx/layout.hpp"

namespace laconic::szx {
namespace {

constexpr Read cut_short{0, "the payload ends in a block"};

template <class Bits>
Bits get_word(const std::byte* in) {
  Bits w;
  std::memcpy(&w, in, sizeof w);
  return w;
}

// The leading counts of a block, four to a byte, and 0 after the last number.
struct Leading {
  std::array<std::byte, leading_bytes(block_values)> codes{};

  std::size_t of(std::size_t i) const { return static_cast<std::size_t>(codes[i / 4]) >> (2 * (i % 4)) & 3; }

  // The reason why these are not the counts of n words of `bytes` bytes in total; nullptr when they are.
  const char* read(const std::byte* in, std::size_t n, std::size_t bytes) {
    std::memcpy(codes.data(), in, leading_bytes(n));
    if (n % 4 != 0 && static_cast<unsigned>(codes[n / 4]) >> (2 * (n % 4)) != 0)
      return "leading counts of numbers that the block does not have";
    if (bytes >= most_leading) return nullptr;
    unsigned threes = 0;
    for (const std::byte c : codes) threes |= static_cast<unsigned>(c) & (static_cast<unsigned>(c) >> 1) & 0x55u;
    return threes == 0 ? nullptr : "a leading count larger than the word";
  }

  std::size_t sum() const {
    std::size_t total = 0;
    for (std::size_t k = 0; k < codes.size(); k += 8) {
      std::uint64_t w;
      std::memcpy(&w, codes.data() + k, sizeof w);
      // Pairs of bits are added up to nibbles, those to bytes, and the multiplication adds the bytes: at most 96.
      w = (w & 0x3333333333333333u) + ((w >> 2) & 0x3333333333333333u);
      w = (w & 0x0f0f0f0f0f0f0f0fu) + ((w >> 4) & 0x0f0f0f0f0f0f0f0fu);
      total += static_cast<std::size_t>(w * 0x0101010101010101u >> 56);
    }
    return total;
  }
};

// Reassembles the words.  Whole words are read at `in`, up to a word beyond the bytes that count.
template <class Bits>
void join(const std::byte* in, const Leading& leading, std::size_t n, std::size_t bytes, Bits* word) {
  // The stored bits of a word that shares its k leading bytes with the word before.
  std::array<Bits, most_leading + 1> stored;
  std::array<std::size_t, most_leading + 1> width;
  for (std::size_t k = 0; k < stored.size(); ++k) {
    width[k] = bytes > k ? bytes - k : 0;
    stored[k] = width[k] == sizeof(Bits) ? ~Bits{0} : (Bits{1} << (8 * width[k])) - 1;
  }
  Bits previous = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = leading.of(i);
    previous = (previous & ~stored[k]) | (get_word<Bits>(in) & stored[k]);
    word[i] = previous;
    in += width[k];
  }
}

// Bits that no encoder wrote can make v or the middle infinite or NaN, and the NaN that an addition returns for such
// operands differs between machines.
template <class T>
T restored(typename Format<T>::Bits word, int drop, T middle) {
  const T x = std::bit_cast<T>(word << drop) + middle;
  return x == x ? x : std::numeric_limits<T>::quiet_NaN();
}

template <class T>
Read read_truncated(const std::byte* in, std::size_t available, std::size_t n, T* x) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const auto length = static_cast<int>(in[0]);
  const std::size_t head = 1 + sizeof(T) + leading_bytes(n);
  if (available < head) return cut_short;
  const T middle = std::bit_cast<T>(get_word<Bits>(in + 1));
  const auto bytes = static_cast<std::size_t>(bytes_for(length));
  Leading leading;
  if (const char* problem = leading.read(in + 1 + sizeof(T), n, bytes)) return {0, problem};
  const std::size_t size = n * bytes - leading.sum();
  if (available - head < size) return cut_short;

  // At the end of a frame, bytes after the words may not be readable.
  std::array<std::byte, block_values * sizeof(T) + sizeof(T)> copy;
  const std::byte* words = in + head;
  if (available - head - size < sizeof(T)) {
    std::memcpy(copy.data(), words, size);
    std::memset(copy.data() + size, 0, sizeof(T));
    words = copy.data();
  }
  std::array<Bits, block_values> word;
  join(words, leading, n, bytes, word.data());
  const int drop = F::bits - length;
  if (n == block_values) {
    for (std::size_t i = 0; i < block_values; ++i) x[i] = restored(word[i], drop, middle);
  } else {
    for (std::size_t i = 0; i < n; ++i) x[i] = restored(word[i], drop, middle);
  }
  return {head + size, nullptr};
}

}  // namespace

template <class T>
Read read_block(const std::byte* in, std::size_t available, bool constant, std::size_t n, T* x) {
  if (constant) {
    if (available < sizeof(T)) return cut_short;
    T value;
    std::memcpy(&value, in, sizeof value);
    std::fill_n(x, n, value);
    return {sizeof value, nullptr};
  }
  if (available == 0) return cut_short;
  const auto length = static_cast<int>(*in);
  if (length < Format<T>::head || length > Format<T>::bits) return {0, "a length that blocks of this type do not have"};
  if (length < Format<T>::bits) return read_truncated(in, available, n, x);
  if (available < 1 + n * sizeof(T)) return cut_short;
  std::memcpy(x, in + 1, n * sizeof(T));
  return {1 + n * sizeof(T), nullptr};
}

template Read read_block(const std::byte*, std::size_t, bool, std::size_t, float*);
template Read read_block(const std::byte*, std::size_t, bool, std::size_t, double*);

}  // namespace laconic::szx
