// SPDX-License-Identifier: BSD-3-Clause
#include "codec/lossless/block.hpp"

#include <cstring>
#include <limits>

#include "codec/lossless/planes.hpp"

namespace laconic::lossless {
namespace {

// The inner loops have no branches and a trip count that the compiler knows, so the compiler vectorises them.  Where
// that matters the trip count is 64, which is more than compilers unroll before they try to vectorise.
constexpr std::size_t stretch = group_subs * sub_values;

template <class Word>
struct alignas(64) Block {
  static constexpr std::size_t before = 64 / sizeof(Word);  // room for a number before v(); v() stays aligned
  Word room[before + block_values];
  Word* v() { return room + before; }
};

template <class Word>
int bits_of(Word any) {
  return static_cast<int>(std::bit_width(any));
}

template <class Word>
Word least_value(const Word* v, std::size_t count) {
  Word least[stretch];
  std::memset(least, 0xff, sizeof least);
  for (std::size_t at = 0; at < count; at += stretch)
    for (std::size_t i = 0; i < stretch; ++i) {
      const auto z = static_cast<Word>(zigzag(v[at + i]) - 1);  // a 0 is kept as it is; it wraps to the largest word
      least[i] = z < least[i] ? z : least[i];
    }
  return *std::min_element(least, least + stretch);
}

// The bitwise or of all sixteen words, 64 bits at a time.
template <class Word>
Word any_of(const Word* z) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < sub_values * sizeof(Word); i += 8) {
    std::uint64_t words;
    std::memcpy(&words, reinterpret_cast<const std::byte*>(z) + i, sizeof words);
    any |= words;
  }
  for (int shift = 32; shift >= bits_in<Word>; shift /= 2) any |= any >> shift;
  return static_cast<Word>(any);
}

// Residuals of order 0: zigzagged numbers, minus the common base of all nonzero ones.
template <std::size_t count, class Word>
void residuals_of_values(const Word* __restrict v, Word base, Word* __restrict z) {
  for (std::size_t i = 0; i < count; ++i) {
    const Word full = zigzag(v[i]);
    z[i] = static_cast<Word>(full - (full == 0 ? Word{0} : base));
  }
}

// Residuals of order 1.  There is a number before v[0].
template <std::size_t count, class Word>
void residuals_of_differences(const Word* __restrict v, Word* __restrict z) {
  const Word* previous = v - 1;
  for (std::size_t i = 0; i < count; ++i) z[i] = zigzag(static_cast<Word>(v[i] - previous[i]));
}

template <class Word>
bool differences_are_smaller(const Word* v, std::size_t subs, Word base) {
  int of_values = 0;
  int of_differences = 0;
  Word z[sub_values];
  for (std::size_t s = 0; s < subs; s += sample_stride) {
    residuals_of_values<sub_values>(v + s * sub_values, base, z);
    of_values += bits_of(any_of(z));
    residuals_of_differences<sub_values>(v + s * sub_values, z);
    of_differences += bits_of(any_of(z));
  }
  return of_differences < of_values;
}

// For words of more than 16 bits the lanes are the halves or quarters of a word.
template <class Word>
std::byte* write_planes(const Word* z, int width, std::byte* at) {
  for (int low = 0; low < width; low += 32) {
    std::uint16_t part[2][sub_values];
    for (std::size_t i = 0; i < sub_values; ++i) part[0][i] = static_cast<std::uint16_t>(z[i] >> low);
    for (std::size_t i = 0; i < sub_values; ++i) part[1][i] = static_cast<std::uint16_t>(z[i] >> low >> 16);
    Pair m[4];
    load(part[0], part[1], m);
    transpose(m);
    store(m, 0, at + 2 * low);
    if (width > low + 16) store(m, 1, at + 2 * low + 32);
  }
  return at + 2 * width;
}

// For narrower words the lanes are two sub-blocks.
template <class Word>
std::byte* write_planes(const Word* z, int width, int next_width, std::byte* at) {
  std::uint16_t part[2][sub_values];
  for (std::size_t i = 0; i < sub_values; ++i) part[0][i] = z[i];
  for (std::size_t i = 0; i < sub_values; ++i) part[1][i] = z[sub_values + i];
  Pair m[4];
  load(part[0], part[1], m);
  transpose(m);
  if (width > 0) store(m, 0, at);
  at += 2 * width;
  if (next_width > 0) store(m, 1, at);
  return at + 2 * next_width;
}

// Clears the bits above `width`, which come from planes of the next sub-block that were read as well.
template <class Word>
void keep_bits(Word* z, int width) {
  const auto mask = static_cast<Word>(width == 0 ? 0 : std::numeric_limits<Word>::max() >> (bits_in<Word> - width));
  for (std::size_t i = 0; i < sub_values; ++i) z[i] = static_cast<Word>(z[i] & mask);
}

template <class Word>
const std::byte* read_planes(const std::byte* at, int width, Word* z) {
  std::memset(z, 0, sub_values * sizeof(Word));
  for (int low = 0; low < width; low += 32) {
    const bool both = width > low + 16;
    Pair m[4];
    load(at + 2 * low, at + 2 * low + (both ? 32 : 0), m);
    transpose(m);
    std::uint16_t part[2][sub_values];
    store(m, 0, part[0]);
    store(m, 1, part[1]);
    for (std::size_t i = 0; i < sub_values; ++i) {
      const std::uint32_t word = part[0][i] | std::uint32_t{part[1][i]} << 16;
      z[i] = static_cast<Word>(z[i] | static_cast<Word>(word) << low);
    }
  }
  keep_bits(z, width);
  return at + 2 * width;
}

template <class Word>
const std::byte* read_planes(const std::byte* at, int width, int next_width, Word* z) {
  Pair m[4];
  load(at, next_width > 0 ? at + 2 * width : at, m);
  transpose(m);
  std::uint16_t part[2][sub_values];
  store(m, 0, part[0]);
  store(m, 1, part[1]);
  for (std::size_t i = 0; i < sub_values; ++i) z[i] = static_cast<Word>(part[0][i]);
  for (std::size_t i = 0; i < sub_values; ++i) z[sub_values + i] = static_cast<Word>(part[1][i]);
  keep_bits(z, width);
  keep_bits(z + sub_values, next_width);
  return at + 2 * (width + next_width);
}

template <class Word, bool floating>
int common_zeros(Word any) {
  if constexpr (floating) any = static_cast<Word>(any & static_cast<Word>(std::numeric_limits<Word>::max() >> 1));
  return any == 0 ? 0 : std::countr_zero(any);
}

template <class Word>
Written write_raw(const void* x, std::size_t n, std::byte* out) {
  const std::size_t bytes = n * sizeof(Word);
  if (bytes % 2 != 0) out[bytes] = std::byte{0};
  std::memcpy(out, x, bytes);
  return {Kind::raw, padded(bytes)};
}

// Writes the bitmap and the codes; returns their end.
std::byte* write_codes(const std::uint8_t (&codes)[block_subs], std::byte* at) {
  std::uint16_t bitmap = 0;
  std::byte* words = at + 2;
  for (std::size_t g = 0; g < block_groups; ++g) {
    const std::uint8_t* c = codes + g * group_subs;
    const auto word = static_cast<std::uint16_t>(c[0] | c[1] << 4 | c[2] << 8 | c[3] << 12);
    if (word == 0) continue;
    bitmap = static_cast<std::uint16_t>(bitmap | 1u << g);
    std::memcpy(words, &word, 2);
    words += 2;
  }
  std::memcpy(at, &bitmap, 2);
  return words;
}

// The problem with a body of this size, or nullptr.
const char* problem_of_size(std::size_t body, std::size_t needed) {
  if (body == needed) return nullptr;
  return body < needed ? "the payload ends in a block" : "a block of another size than the index says";
}

}  // namespace

template <class Word, bool floating>
Written write_words(const void* numbers, std::size_t n, std::byte* out) {
  const std::size_t subs = subs_of(n);
  const std::size_t count = (n + stretch - 1) / stretch * stretch;
  Block<Word> room;
  Word* x = room.v();
  std::memcpy(x, numbers, n * sizeof(Word));
  const Word first = x[0];
  std::fill(x + n, x + count, first);
  Word any = 0;
  Word other = 0;
  for (std::size_t at = 0; at < count; at += stretch)
    for (std::size_t i = 0; i < stretch; ++i) {
      any = static_cast<Word>(any | x[at + i]);
      other = static_cast<Word>(other | (x[at + i] ^ first));
    }
  if (any == 0) return {};
  if (other == 0) {
    out[sizeof(Word) % 2] = std::byte{0};
    std::memcpy(out, &first, sizeof first);
    return {Kind::fill, padded(sizeof first)};
  }

  const int shift = common_zeros<Word, floating>(any);
  for (std::size_t at = 0; at < count; at += stretch)
    for (std::size_t i = 0; i < stretch; ++i) x[at + i] = to_ordered<floating>(x[at + i], shift);
  std::fill(x + n, x + count, x[n - 1]);
  x[-1] = x[0];
  const Word base = least_value(x, count);
  const bool differences = differences_are_smaller(x, subs, base);

  alignas(64) Word z[block_values];
  Word bits[block_subs];
  for (std::size_t at = 0; at < count; at += stretch)
    if (differences)
      residuals_of_differences<stretch>(x + at, z + at);
    else
      residuals_of_values<stretch>(x + at, base, z + at);
  std::fill(z + n, z + count, Word{0});
  for (std::size_t s = 0; s < subs; ++s) bits[s] = any_of(z + s * sub_values);

  int widest = 0;
  for (std::size_t s = 0; s < subs; ++s) widest = std::max(widest, bits_of(bits[s]));
  const int floor = floor_of(widest);
  std::uint8_t codes[block_subs] = {};
  std::size_t planes = 0;
  for (std::size_t s = 0; s < subs; ++s) {
    codes[s] = static_cast<std::uint8_t>(code_of(bits_of(bits[s]), floor));
    planes += static_cast<std::size_t>(width_of(codes[s], floor));
  }
  // The size is bounded before anything is written: head, base, bitmap, all codes.
  constexpr std::size_t fixed = 2 + padded(sizeof(Word)) + 2;
  std::size_t groups = 0;
  for (std::size_t g = 0; g < block_groups; ++g) {
    std::uint32_t four;
    std::memcpy(&four, codes + g * group_subs, sizeof four);
    groups += four != 0;
  }
  if (fixed + 2 * (groups + planes) >= padded(n * sizeof(Word))) return write_raw<Word>(numbers, n, out);

  const std::uint16_t head = head_of(shift, floor);
  std::memcpy(out, &head, 2);
  const Word kept = differences ? x[0] : base;
  out[2 + sizeof(Word) % 2] = std::byte{0};
  std::memcpy(out + 2, &kept, sizeof kept);
  std::byte* at = write_codes(codes, out + 2 + padded(sizeof(Word)));
  if constexpr (sizeof(Word) <= 2) {
    for (std::size_t s = 0; s < subs; s += 2)
      at = write_planes(z + s * sub_values, width_of(codes[s], floor), width_of(codes[s + 1], floor), at);
  } else {
    for (std::size_t s = 0; s < subs; ++s) at = write_planes(z + s * sub_values, width_of(codes[s], floor), at);
  }
  return {differences ? Kind::order1 : Kind::order0, static_cast<std::size_t>(at - out)};
}

namespace {

template <class Word>
struct Head {
  int shift = 0;
  Word base = 0;
  std::uint8_t widths[block_subs] = {};
  const std::byte* planes = nullptr;
};

// Reads and checks a packed body except for its planes, and checks that the planes are present.  Returns the problem,
// or nullptr.
template <class Word>
const char* read_head(const std::byte* in, std::size_t body, std::size_t n, Head<Word>& head) {
  constexpr std::size_t fixed = 2 + padded(sizeof(Word)) + 2;
  if (body < fixed) return problem_of_size(body, fixed);
  std::uint16_t word;
  std::memcpy(&word, in, 2);
  head.shift = shift_of(word);
  const int floor = floor_in(word);
  if (head.shift >= bits_in<Word> || floor > floor_of(bits_in<Word>)) return "a shift or width beyond the type's";
  std::memcpy(&head.base, in + 2, sizeof head.base);
  std::uint16_t bitmap;
  std::memcpy(&bitmap, in + fixed - 2, 2);
  const auto groups = static_cast<std::size_t>(std::popcount(bitmap));
  if (body < fixed + 2 * groups) return problem_of_size(body, fixed + 2 * groups);
  const std::byte* at = in + fixed;
  const std::size_t subs = subs_of(n);
  std::size_t planes = 0;
  int widest = 0;
  for (std::size_t g = 0; g < block_groups; ++g) {
    if ((bitmap >> g & 1) == 0) continue;
    std::memcpy(&word, at, 2);
    at += 2;
    for (std::size_t k = 0; k < group_subs; ++k) {
      const int width = width_of(word >> (4 * k) & 15, floor);
      if (width != 0 && g * group_subs + k >= subs) return "widths of sub-blocks that the block does not have";
      head.widths[g * group_subs + k] = static_cast<std::uint8_t>(width);
      planes += static_cast<std::size_t>(width);
      widest = std::max(widest, width);
    }
  }
  if (widest > bits_in<Word>) return "a shift or width beyond the type's";
  head.planes = at;
  return problem_of_size(body, fixed + 2 * (groups + planes));
}

template <class Word, bool floating>
const char* read_packed(bool differences, const std::byte* in, std::size_t body, std::size_t n, void* numbers) {
  Head<Word> head;
  if (const char* problem = read_head(in, body, n, head)) return problem;
  alignas(64) Word x[block_values];
  const std::size_t subs = subs_of(n);
  const std::byte* at = head.planes;
  if constexpr (sizeof(Word) <= 2) {
    for (std::size_t s = 0; s < subs; s += 2)
      at = read_planes(at, head.widths[s], head.widths[s + 1], x + s * sub_values);
  } else {
    for (std::size_t s = 0; s < subs; ++s) at = read_planes(at, head.widths[s], x + s * sub_values);
  }
  Word last = head.base;
  for (Word* v = x; v < x + subs * sub_values; v += sub_values) {
    if (differences) {
      for (std::size_t i = 0; i < sub_values; ++i) v[i] = unzigzag(v[i]);
      for (std::size_t i = 0; i < sub_values; ++i) v[i] = last = static_cast<Word>(last + v[i]);
    } else {
      for (std::size_t i = 0; i < sub_values; ++i)
        v[i] = unzigzag(static_cast<Word>(v[i] + (v[i] == 0 ? Word{0} : head.base)));
    }
    for (std::size_t i = 0; i < sub_values; ++i) v[i] = from_ordered<floating>(v[i], head.shift);
  }
  std::memcpy(numbers, x, n * sizeof(Word));
  return nullptr;
}

}  // namespace

template <class Word, bool floating>
const char* read_words(Kind kind, const std::byte* in, std::size_t body, std::size_t behind, std::size_t n, void* x) {
  const std::size_t bytes = n * sizeof(Word);
  switch (kind) {
    case Kind::zero:
      if (body != 0) return problem_of_size(body, 0);
      std::memset(x, 0, bytes);
      return nullptr;
    case Kind::raw:
      if (body != padded(bytes)) return problem_of_size(body, padded(bytes));
      std::memcpy(x, in, bytes);
      return nullptr;
    case Kind::fill: {
      if (body != padded(sizeof(Word))) return problem_of_size(body, padded(sizeof(Word)));
      Word word;
      std::memcpy(&word, in, sizeof word);
      for (std::size_t i = 0; i < n; ++i) std::memcpy(static_cast<std::byte*>(x) + i * sizeof word, &word, sizeof word);
      return nullptr;
    }
    case Kind::order0:
    case Kind::order1: break;
    default: return "unknown kind of block";
  }
  // A body as large as the raw numbers is not a packed one.  So a packed body fits here, with the bytes read beyond it.
  std::byte copy[block_values * sizeof(Word) + store_slack];
  if (body >= padded(bytes)) return "a packed block that is not smaller than its numbers";
  if (behind < store_slack) {
    std::memcpy(copy, in, body);
    std::memset(copy + body, 0, store_slack);
    in = copy;
  }
  return read_packed<Word, floating>(kind == Kind::order1, in, body, n, x);
}

#define LACONIC_LOSSLESS_WORDS(Word, floating)                                        \
  template Written write_words<Word, floating>(const void*, std::size_t, std::byte*); \
  template const char* read_words<Word, floating>(Kind, const std::byte*, std::size_t, std::size_t, std::size_t, void*);
LACONIC_LOSSLESS_WORDS(std::uint8_t, false)
LACONIC_LOSSLESS_WORDS(std::uint16_t, false)
LACONIC_LOSSLESS_WORDS(std::uint32_t, false)
LACONIC_LOSSLESS_WORDS(std::uint64_t, false)
LACONIC_LOSSLESS_WORDS(std::uint16_t, true)
LACONIC_LOSSLESS_WORDS(std::uint32_t, true)
LACONIC_LOSSLESS_WORDS(std::uint64_t, true)
#undef LACONIC_LOSSLESS_WORDS

}  // namespace laconic::lossless
