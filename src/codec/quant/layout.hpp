// The parts of a packed block that are not bit planes, shared by all kernels: they are short and the same for all.
#pragma once

#include <cstring>

#include "codec/quant/format.hpp"

namespace laconic::quant {

constexpr std::size_t subs_of(std::size_t n) { return (n + sub_values - 1) / sub_values; }

// Writes everything before the planes for the widths codes[0..block_subs) (0 beyond the last sub-block).
inline std::byte* write_block_head(Kind kind, std::int32_t base, const std::uint8_t* codes, std::byte* out) {
  *out++ = static_cast<std::byte>(kind);
  if (kind == Kind::order1) {
    std::memcpy(out, &base, 4);
    out += 4;
  }
  std::uint16_t bitmap = 0;
  std::byte* words = out + 2;
  for (std::size_t g = 0; g < block_groups; ++g) {
    const std::uint8_t* c = codes + g * group_subs;
    const auto word = static_cast<std::uint16_t>(c[0] | c[1] << 4 | c[2] << 8 | c[3] << 12);
    if (word == 0) continue;
    bitmap = static_cast<std::uint16_t>(bitmap | 1u << g);
    std::memcpy(words, &word, 2);
    words += 2;
  }
  std::memcpy(out, &bitmap, 2);
  return words;
}

struct BlockHead {
  Kind kind = Kind::zero;
  std::int32_t base = 0;
  std::uint8_t codes[block_subs] = {};
  std::size_t head = 0;   // bytes before the planes; 0: not a valid block
  std::size_t total = 0;  // bytes of the block
};

// Reads and checks what write_block_head wrote, and that the planes it announces are there.
inline BlockHead read_block_head(const std::byte* in, std::size_t available, std::size_t n) {
  BlockHead b;
  if (available < 1) return b;
  b.kind = static_cast<Kind>(in[0]);
  if (b.kind == Kind::zero) {
    b.head = b.total = 1;
    return b;
  }
  if (!on_lattice(b.kind)) return b;
  std::size_t at = 1;
  if (b.kind == Kind::order1) {
    if (available < at + 4) return b;
    std::memcpy(&b.base, in + at, 4);
    at += 4;
  }
  if (available < at + 2) return b;
  std::uint16_t bitmap;
  std::memcpy(&bitmap, in + at, 2);
  at += 2;
  if (available < at + 2 * static_cast<std::size_t>(std::popcount(bitmap))) return b;
  std::size_t planes = 0;
  for (std::size_t g = 0; g < block_groups; ++g) {
    if ((bitmap >> g & 1) == 0) continue;
    std::uint16_t word;
    std::memcpy(&word, in + at, 2);
    at += 2;
    for (std::size_t k = 0; k < group_subs; ++k) {
      const auto code = static_cast<std::uint8_t>(word >> (4 * k) & 15);
      if (code != 0 && g * group_subs + k >= subs_of(n)) return b;
      b.codes[g * group_subs + k] = code;
      planes += width_of_code[code];
    }
  }
  if (available < at + 2 * planes) return b;
  b.head = at;
  b.total = at + 2 * planes;
  return b;
}

// Why the block that `available` bytes begin with was refused, in words.
inline const char* problem_of_block(const std::byte* in, std::size_t available, std::size_t n, bool has_lattice) {
  constexpr const char* cut_short = "the payload ends in a block";
  if (available == 0) return cut_short;
  const auto kind = static_cast<Kind>(in[0]);
  if (kind > Kind::fill) return "unknown kind of block";
  if (!on_lattice(kind)) return cut_short;
  if (!has_lattice) return "a block of lattice points in a frame without a lattice";
  // Where it would be valid with enough zeros behind it, it was cut short.
  std::byte longer[largest_packed_block] = {};
  std::memcpy(longer, in, std::min(available, sizeof longer));
  return read_block_head(longer, sizeof longer, n).head != 0 ? cut_short
                                                             : "widths of sub-blocks that the block does not have";
}

}  // namespace laconic::quant
