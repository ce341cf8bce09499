#include "codec/lossless/block.hpp"

#include <cstring>
#include <limits>

#include "codec/lossless/planes.hpp"

namespace laconic::lossless {
namespace {

// The inner loops have sixteen turns, known to the compiler, and no branches: it makes vectors of them.
template <class Word>
struct alignas(64) Block {
  static constexpr std::size_t before = 64 / sizeof(Word);  // room for a number in front, of which v is no less aligned
  Word room[before + block_values];
  Word* v() { return room + before; }
};

template <class Word>
int bits_of(Word any) {
  return static_cast<int>(std::bit_width(any));
}

template <class Word>
Word least_value(const Word* v, std::size_t subs) {
  Word least[sub_values];
  std::memset(least, 0xff, sizeof least);
  for (std::size_t s = 0; s < subs; ++s)
    for (std::size_t i = 0; i < sub_values; ++i) {
      const auto z = static_cast<Word>(zigzag(v[s * sub_values + i]) - 1);  // 0, which is kept as it is, counts as most
      least[i] = z < least[i] ? z : least[i];
    }
  return *std::min_element(least, least + sub_values);
}

// Residuals of one sub-block, order 0: what zigzag makes of the numbers, less what all but 0 have in common.
template <class Word>
Word residuals_of_values(const Word* v, Word base, Word* z) {
  Word any = 0;
  for (std::size_t i = 0; i < sub_values; ++i) {
    const Word full = zigzag(v[i]);
    z[i] = static_cast<Word>(full - (full == 0 ? Word{0} : base));
    any = static_cast<Word>(any | z[i]);
  }
  return any;
}

// Order 1.  `v` has a number before its first.
template <class Word>
Word residuals_of_differences(const Word* v, Word* z) {
  Word any = 0;
  for (std::size_t i = 0; i < sub_values; ++i) {
    z[i] = zigzag(static_cast<Word>(v[i] - *(v + i - 1)));
    any = static_cast<Word>(any | z[i]);
  }
  return any;
}

template <class Word>
bool differences_are_smaller(const Word* v, std::size_t subs, Word base) {
  int of_values = 0;
  int of_differences = 0;
  Word z[sub_values];
  for (std::size_t s = 0; s < subs; s += sample_stride) {
    of_values += bits_of(residuals_of_values(v + s * sub_values, base, z));
    of_differences += bits_of(residuals_of_differences(v + s * sub_values, z));
  }
  return of_differences < of_values;
}

template <class Word>
std::byte* write_planes(const Word* z, int width, std::byte* at) {
  for (int low = 0; low < width; low += 16) {
    std::uint16_t part[sub_values];
    for (std::size_t i = 0; i < sub_values; ++i) part[i] = static_cast<std::uint16_t>(z[i] >> low);
    std::uint64_t m[4];
    std::memcpy(m, part, sizeof m);
    transpose(m);
    std::memcpy(at + 2 * low, m, sizeof m);
  }
  return at + 2 * width;
}

template <class Word>
void read_planes(const std::byte* at, int width, Word* z) {
  for (std::size_t i = 0; i < sub_values; ++i) z[i] = 0;
  for (int low = 0; low < width; low += 16) {
    std::uint64_t m[4];
    std::memcpy(m, at + 2 * low, sizeof m);
    transpose(m);
    std::uint16_t part[sub_values];
    std::memcpy(part, m, sizeof m);
    for (std::size_t i = 0; i < sub_values; ++i)
      z[i] = static_cast<Word>(z[i] | static_cast<Word>(static_cast<Word>(part[i]) << low));
  }
  // Planes of the next sub-block were read along.
  const auto mask = static_cast<Word>(std::numeric_limits<Word>::max() >> (bits_in<Word> - width));
  for (std::size_t i = 0; i < sub_values; ++i) z[i] = static_cast<Word>(z[i] & mask);
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

// Bitmap and codes; where they end.
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

// What is wrong with a body of this size, or nullptr.
const char* problem_of_size(std::size_t body, std::size_t needed) {
  if (body == needed) return nullptr;
  return body < needed ? "the payload ends in a block" : "a block of another size than the index says";
}

}  // namespace

template <class Word, bool floating>
Written write_words(const void* numbers, std::size_t n, std::byte* out) {
  const std::size_t subs = subs_of(n);
  Block<Word> room;
  Word* x = room.v();
  std::memcpy(x, numbers, n * sizeof(Word));
  const Word first = x[0];
  std::fill(x + n, x + subs * sub_values, first);
  Word any = 0;
  Word other = 0;
  for (std::size_t s = 0; s < subs; ++s)
    for (std::size_t i = 0; i < sub_values; ++i) {
      any = static_cast<Word>(any | x[s * sub_values + i]);
      other = static_cast<Word>(other | (x[s * sub_values + i] ^ first));
    }
  if (any == 0) return {};
  if (other == 0) {
    out[sizeof(Word) % 2] = std::byte{0};
    std::memcpy(out, &first, sizeof first);
    return {Kind::fill, padded(sizeof first)};
  }

  const int shift = common_zeros<Word, floating>(any);
  for (std::size_t s = 0; s < subs; ++s)
    for (std::size_t i = 0; i < sub_values; ++i)
      x[s * sub_values + i] = to_ordered<floating>(x[s * sub_values + i], shift);
  std::fill(x + n, x + subs * sub_values, x[n - 1]);
  x[-1] = x[0];
  const Word base = least_value(x, subs);
  const bool differences = differences_are_smaller(x, subs, base);

  alignas(64) Word z[block_values];
  Word bits[block_subs];
  for (std::size_t s = 0; s < subs; ++s) {
    const std::size_t at = s * sub_values;
    bits[s] = differences ? residuals_of_differences(x + at, z + at) : residuals_of_values(x + at, base, z + at);
  }
  if (!differences && n % sub_values != 0) {
    std::fill(z + n, z + subs * sub_values, Word{0});
    bits[subs - 1] = 0;
    for (std::size_t i = (subs - 1) * sub_values; i < n; ++i) bits[subs - 1] = static_cast<Word>(bits[subs - 1] | z[i]);
  }

  int widest = 0;
  for (std::size_t s = 0; s < subs; ++s) widest = std::max(widest, bits_of(bits[s]));
  const int floor = floor_of(widest);
  std::uint8_t codes[block_subs] = {};
  std::size_t planes = 0;
  for (std::size_t s = 0; s < subs; ++s) {
    codes[s] = static_cast<std::uint8_t>(code_of(bits_of(bits[s]), floor));
    planes += static_cast<std::size_t>(width_of(codes[s], floor));
  }
  // Bounded before anything is written: head, base, bitmap, all codes.
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
  for (std::size_t s = 0; s < subs; ++s) at = write_planes(z + s * sub_values, width_of(codes[s], floor), at);
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

// Reads and checks all of a packed body but its planes, and that those are there; what is wrong, or nullptr.
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
  Word z[sub_values];
  Word last = head.base;
  for (std::size_t s = 0; s < subs_of(n); ++s) {
    const int width = head.widths[s];
    if (width == 0)
      std::memset(z, 0, sizeof z);
    else
      read_planes(head.planes, width, z);
    head.planes += 2 * width;
    Word* v = x + s * sub_values;
    if (differences) {
      for (std::size_t i = 0; i < sub_values; ++i) z[i] = unzigzag(z[i]);
      for (std::size_t i = 0; i < sub_values; ++i) v[i] = last = static_cast<Word>(last + z[i]);
    } else {
      for (std::size_t i = 0; i < sub_values; ++i)
        v[i] = unzigzag(static_cast<Word>(z[i] + (z[i] == 0 ? Word{0} : head.base)));
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
  // What is as large as raw is not packed; so it fits here, with what is read along.
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
