// SPDX-License-Identifier: BSD-3-Clause
// Bit planes of 16 values by transposes in registers: a lane owns the values of two sub-blocks, a warp owns a block.
#pragma once

#include "warp.hpp"

// Swaps bits between two words: the bits of a outside the mask `low` with the bits of b inside it.
template <unsigned shift, std::uint32_t low>
LANE void swap_bits(std::uint32_t& a, std::uint32_t& b) {
  const std::uint32_t up = b << shift;
  const std::uint32_t down = a >> shift;
  a = blend(a, up, low);
  b = blend(down, b, low);
}

// Transposes between values and planes.  In the form of values, word j has four bytes: of values j and j + 8 of one
// sub-block, and of another.  In the form of planes, word j is plane j of the bytes of the first sub-block, with that
// of the second above it.
LANE void transpose_words(std::uint32_t (&w)[8]) {
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) swap_bits<4, 0x0f0f0f0f>(w[j], w[j + 4]);
#pragma unroll
  for (unsigned j = 0; j < 8; j += 4) {
    swap_bits<2, 0x33333333>(w[j], w[j + 2]);
    swap_bits<2, 0x33333333>(w[j + 1], w[j + 3]);
  }
#pragma unroll
  for (unsigned j = 0; j < 8; j += 2) swap_bits<1, 0x55555555>(w[j], w[j + 1]);
}

// Planes 8 * layer to 8 * layer + 7 of two sub-blocks.
template <unsigned layer>
LANE void planes_of(const std::uint32_t (&z)[32], std::uint32_t (&planes)[8]) {
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) {
    constexpr unsigned pair = layer < 2 ? 0x5140 : 0x7362;
    planes[j] =
        permute(permute(z[j], z[j + 8], pair), permute(z[j + 16], z[j + 24], pair), layer % 2 ? 0x7632 : 0x5410);
  }
  transpose_words(planes);
}

constexpr unsigned row = 20;  // stride of sub-blocks in shared memory, in floats, to avoid bank conflicts
constexpr unsigned shared_bytes = 64 * row * 4;  // also holds the bytes of a block and the reads beyond them

// Loads 1024 numbers, coalesced, and passes them through shared memory to the lanes that own them: values 0-15 of
// sub-block `lane`, then of sub-block `lane` + 32.
LANE bool load_points(const float* numbers, float inverse, unsigned lane, std::uint8_t* shared,
                      std::uint32_t (&m)[32]) {
  auto* stage = reinterpret_cast<float*>(shared);
#pragma unroll
  for (unsigned j = 0; j < 8; ++j)
    *reinterpret_cast<float4*>(stage + (j * 8 + lane / 4) * row + lane % 4 * 4) =
        reinterpret_cast<const float4*>(numbers)[j * 32 + lane];
  sync();
  float most = 0;
#pragma unroll
  for (unsigned c = 0; c < 8; ++c) {
    const float4 v = *reinterpret_cast<const float4*>(stage + (c / 4 * 32 + lane) * row + c % 4 * 4);
    m[4 * c] = point(v.x, inverse, most);
    m[4 * c + 1] = point(v.y, inverse, most);
    m[4 * c + 2] = point(v.z, inverse, most);
    m[4 * c + 3] = point(v.w, inverse, most);
  }
  sync();
  return every_lane(most <= largest_single);
}

LANE void store_numbers(const std::uint32_t (&q)[32], float step, unsigned lane, std::uint8_t* shared, float* result) {
  auto* stage = reinterpret_cast<float*>(shared);
#pragma unroll
  for (unsigned c = 0; c < 8; ++c) {
    float4 v;
    v.x = number(q[4 * c], step);
    v.y = number(q[4 * c + 1], step);
    v.z = number(q[4 * c + 2], step);
    v.w = number(q[4 * c + 3], step);
    *reinterpret_cast<float4*>(stage + (c / 4 * 32 + lane) * row + c % 4 * 4) = v;
  }
  sync();
#pragma unroll
  for (unsigned j = 0; j < 8; ++j)
    reinterpret_cast<float4*>(result)[j * 32 + lane] =
        *reinterpret_cast<const float4*>(stage + (j * 8 + lane / 4) * row + lane % 4 * 4);
}

// Whether order 1 makes sub-blocks 0, 16, 32 and 48 smaller.  Lanes 0 and 16 hold them; every lane evaluates two of
// their 64 values.
LANE bool choose_order(const std::uint32_t (&m)[32], const std::uint32_t (&before)[2], unsigned lane,
                       std::uint8_t* shared) {
  auto* stage = reinterpret_cast<std::uint32_t*>(shared);
  if (lane % 16 == 0) {
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      std::uint32_t* at = stage + (2 * h + lane / 16) * row;
      at[3] = before[h];
#pragma unroll
      for (unsigned i = 0; i < 16; i += 4)
        *reinterpret_cast<uint4*>(at + 4 + i) =
            uint4{m[16 * h + i], m[16 * h + i + 1], m[16 * h + i + 2], m[16 * h + i + 3]};
    }
  }
  sync();
  const std::uint32_t* at = stage + lane / 8 * row + 4 + lane % 8 * 2;
  const std::uint32_t a = at[-1];
  const std::uint32_t b = at[0];
  const std::uint32_t c = at[1];
  std::uint32_t bits0 = zigzag(b - bias) | zigzag(c - bias);
  std::uint32_t bits1 = zigzag(b - a) | zigzag(c - b);
#pragma unroll
  for (unsigned by = 1; by < 8; by *= 2) {
    bits0 |= shuffle_xor(bits0, by);
    bits1 |= shuffle_xor(bits1, by);
  }
  std::uint32_t widths = width_of(code_of(bits_needed(bits0))) | width_of(code_of(bits_needed(bits1))) << 16;
  widths += shuffle_xor(widths, 8);
  widths += shuffle_xor(widths, 16);
  sync();
  return widths >> 16 < (widths & 0xffff);
}

template <unsigned layer>
LANE void write_layer(const std::uint32_t (&z)[32], unsigned width0, unsigned width1, std::uint8_t* at0,
                      std::uint8_t* at1) {
  std::uint32_t planes[8];
  planes_of<layer>(z, planes);
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) {
    if (8 * layer + k < width0) store16(at0 + 2 * (8 * layer + k), planes[k]);
    if (8 * layer + k < width1) store16(at1 + 2 * (8 * layer + k), planes[k] >> 16);
  }
}

// Encodes the biased points of a block to its bytes in `out` and its entry of the index.  `widest`: the width of the
// widest sub-block for which the kernel's instructions are counted; a real kernel uses 32 and branches.
template <unsigned widest>
LANE void encode_points(std::uint32_t (&m)[32], const Work& work, unsigned block, unsigned lane, std::uint8_t* shared) {
  std::uint32_t before[2];
  before[0] = shuffle_up(m[15], 1);
  if (lane == 0) before[0] = m[0];
  before[1] = shuffle(lane == 31 ? m[15] : m[31], lane + 31);
  const bool order1 = choose_order(m, before, lane, shared);
  const std::uint32_t base = shuffle(m[0] - bias, 0);

  std::uint32_t bits[2] = {0, 0};
#pragma unroll
  for (unsigned h = 0; h < 2; ++h) {
    if (order1) {
#pragma unroll
      for (unsigned i = 15; i > 0; --i) m[16 * h + i] -= m[16 * h + i - 1];
      m[16 * h] -= before[h];
    } else {
#pragma unroll
      for (unsigned i = 0; i < 16; ++i) m[16 * h + i] -= bias;
    }
#pragma unroll
    for (unsigned i = 0; i < 16; ++i) bits[h] |= m[16 * h + i] = zigzag(m[16 * h + i]);
  }
  if (!order1 && !some_lane((bits[0] | bits[1]) != 0)) {
    if (lane == 0) work.index[block] = 0;
    return;
  }

  const unsigned code0 = code_of(bits_needed(bits[0]));
  const unsigned code1 = code_of(bits_needed(bits[1]));
  const unsigned width0 = width_of(code0);
  const unsigned width1 = width_of(code1);
  // Group words: lane g < 16 ends with the word of group g.
  std::uint32_t codes = (code0 | code1 << 16) << lane % 4 * 4;
  codes |= shuffle_xor(codes, 1);
  codes |= shuffle_xor(codes, 2);
  codes = shuffle(codes, lane % 8 * 4);
  const std::uint32_t group = lane & 8 ? codes >> 16 : codes & 0xffff;
  const std::uint32_t bitmap = vote(lane < 16 && group != 0);
  const unsigned front = order1 ? 4 : 0;
  const unsigned head = front + 2 + 2 * ones(bitmap);
  const std::uint32_t ends = inclusive_scan(width0 | width1 << 16, lane);
  const std::uint32_t totals = shuffle(ends, 31);
  const unsigned at0 = head + 2 * ((ends & 0xffff) - width0);
  const unsigned at1 = head + 2 * ((totals & 0xffff) + (ends >> 16) - width1);
  const unsigned size = head + 2 * ((totals & 0xffff) + (totals >> 16));
  if (lane == 0) work.index[block] = static_cast<std::uint16_t>(size / 2 << 3 | (order1 ? 2 : 1));

  // The image in shared memory has the alignment of its destination, so that it is written in words of 16 bytes.
  std::uint8_t* const to = work.out + work.place[block];
  const unsigned skew = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) & 15);
  std::uint8_t* const image = shared + skew;
  if (lane == 0) {
    if (order1) {
      store16(image, base);
      store16(image + 2, base >> 16);
    }
    store16(image + front, bitmap);
  }
  if (lane < 16 && group != 0) store16(image + front + 2 + 2 * ones(bitmap & ((1u << lane) - 1)), group);
  write_layer<0>(m, width0, width1, image + at0, image + at1);
  const unsigned wider = width0 > width1 ? width0 : width1;
  if (widest > 8 && some_lane(wider > 8)) write_layer<1>(m, width0, width1, image + at0, image + at1);
  if (widest > 16 && some_lane(wider > 16)) {
    write_layer<2>(m, width0, width1, image + at0, image + at1);
    write_layer<3>(m, width0, width1, image + at0, image + at1);
  }
  sync();
  const unsigned first = (skew + 15) / 16 * 16;
  const unsigned last = (skew + size) / 16 * 16;
  std::uint8_t* const aligned = to - skew;
#pragma unroll 1
  for (unsigned at = first + 16 * lane; at < last; at += 512)
    *reinterpret_cast<uint4*>(aligned + at) = *reinterpret_cast<const uint4*>(shared + at);
  const unsigned edge = lane < 8 ? lane * 2 : (first > last ? skew + size : last) + (lane - 8) * 2;
  const bool ours = lane < 8 ? edge >= skew && edge < first && edge < skew + size : lane < 16 && edge < skew + size;
  if (ours) store16(aligned + edge, load16(shared + edge));
  sync();
}

// Reads byte `layer` of the values of two sub-blocks, four bytes in a word.
template <unsigned layer>
LANE void read_layer(std::uint32_t (&bytes)[8], unsigned width0, unsigned width1, const std::uint8_t* at0,
                     const std::uint8_t* at1) {
  // Planes beyond the width belong to other sub-blocks, and are masked below.
#pragma unroll
  for (unsigned k = 0; k < 8; ++k)
    bytes[k] = permute(load16(at0 + 2 * (8 * layer + k)), load16(at1 + 2 * (8 * layer + k)), 0x5410);
  transpose_words(bytes);
  const std::uint32_t mask0 = width0 <= 8 * layer       ? 0
                              : width0 >= 8 * layer + 8 ? 0xff
                                                        : (1u << (width0 - 8 * layer)) - 1;
  const std::uint32_t mask1 = width1 <= 8 * layer       ? 0
                              : width1 >= 8 * layer + 8 ? 0xff
                                                        : (1u << (width1 - 8 * layer)) - 1;
  const std::uint32_t mask = permute(mask0, mask1, 0x4400);
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) bytes[j] &= mask;
}

// Sign-extends a byte to the bytes above it.
template <unsigned byte>
LANE std::uint32_t signed_byte(std::uint32_t word) {
  return permute(word, 0, byte | (byte | 8) << 4 | (byte | 8) << 8 | (byte | 8) << 12);
}

LANE std::uint32_t unzigzag_pair(std::uint32_t z) { return ((z >> 1) & 0x7fff7fff) ^ (z & 0x00010001) * 0xffff; }

// Reads the residuals of two sub-blocks.
template <unsigned widest>
LANE void read_residuals(std::uint32_t (&r)[32], unsigned width0, unsigned width1, const std::uint8_t* at0,
                         const std::uint8_t* at1) {
  const unsigned wider = width0 > width1 ? width0 : width1;
  std::uint32_t low[8];
  std::uint32_t high[8];
  read_layer<0>(low, width0, width1, at0, at1);
  if (widest == 8 || !some_lane(wider > 8)) {
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) {
      const std::uint32_t word = ((low[j] >> 1) & 0x7f7f7f7f) ^ (low[j] & 0x01010101) * 0xff;
      r[j] = signed_byte<0>(word);
      r[j + 8] = signed_byte<1>(word);
      r[j + 16] = signed_byte<2>(word);
      r[j + 24] = signed_byte<3>(word);
    }
  } else {
    read_layer<1>(high, width0, width1, at0, at1);
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) {
      r[j] = permute(low[j], high[j], 0x5140);
      r[j + 16] = permute(low[j], high[j], 0x7362);
    }
    if (widest == 16 || !some_lane(wider > 16)) {
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) {
        const std::uint32_t word0 = unzigzag_pair(r[j]);
        const std::uint32_t word1 = unzigzag_pair(r[j + 16]);
        r[j] = permute(word0, 0, 0x9910);
        r[j + 8] = permute(word0, 0, 0xbb32);
        r[j + 16] = permute(word1, 0, 0x9910);
        r[j + 24] = permute(word1, 0, 0xbb32);
      }
    } else {
      read_layer<2>(low, width0, width1, at0, at1);
      read_layer<3>(high, width0, width1, at0, at1);
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) {
        const std::uint32_t upper0 = permute(low[j], high[j], 0x5140);
        const std::uint32_t upper1 = permute(low[j], high[j], 0x7362);
        r[j + 8] = unzigzag(permute(r[j], upper0, 0x7632));
        r[j] = unzigzag(permute(r[j], upper0, 0x5410));
        r[j + 24] = unzigzag(permute(r[j + 16], upper1, 0x7632));
        r[j + 16] = unzigzag(permute(r[j + 16], upper1, 0x5410));
      }
    }
  }
}

// Decodes the lattice points of a block.
template <unsigned widest>
LANE void decode_points(std::uint32_t (&q)[32], const Work& work, unsigned block, unsigned lane, std::uint8_t* shared) {
  const std::uint32_t entry = work.index_in[block];
  const bool order1 = (entry & 7) == 2;
  const unsigned size = (entry >> 3) * 2;
  if (size == 0) {
#pragma unroll
    for (unsigned i = 0; i < 32; ++i) q[i] = 0;
    return;
  }
  const std::uint8_t* const from = work.in + work.place_in[block];
  const unsigned skew = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) & 15);
  const std::uint8_t* const aligned = from - skew;
#pragma unroll 1
  for (unsigned at = 16 * lane; at < skew + size; at += 512)
    *reinterpret_cast<uint4*>(shared + at) = *reinterpret_cast<const uint4*>(aligned + at);
  sync();
  const std::uint8_t* image = shared + skew;
  std::uint32_t base = 0;
  if (order1) {
    base = load16(image) | load16(image + 2) << 16;
    image += 4;
  }
  const std::uint32_t bitmap = load16(image);
  image += 2;
  std::uint32_t codes = 0;
#pragma unroll
  for (unsigned h = 0; h < 2; ++h) {
    const unsigned g = 8 * h + lane / 4;
    if (bitmap >> g & 1) codes |= load16(image + 2 * ones(bitmap & ((1u << g) - 1))) << 16 * h;
  }
  codes >>= lane % 4 * 4;
  const unsigned width0 = width_of(codes & 15);
  const unsigned width1 = width_of(codes >> 16 & 15);
  image += 2 * ones(bitmap);
  const std::uint32_t ends = inclusive_scan(width0 | width1 << 16, lane);
  const std::uint32_t totals = shuffle(ends, 31);
  read_residuals<widest>(q, width0, width1, image + 2 * ((ends & 0xffff) - width0),
                         image + 2 * ((totals & 0xffff) + (ends >> 16) - width1));
  sync();
  if (!order1) return;
#pragma unroll
  for (unsigned i = 1; i < 16; ++i) {
    q[i] += q[i - 1];
    q[16 + i] += q[16 + i - 1];
  }
  const std::uint32_t end0 = inclusive_scan(q[15], lane);
  const std::uint32_t end1 = inclusive_scan(q[31], lane);
  const std::uint32_t add0 = base + end0 - q[15];
  const std::uint32_t add1 = base + shuffle(end0, 31) + end1 - q[31];
#pragma unroll
  for (unsigned i = 0; i < 16; ++i) {
    q[i] += add0;
    q[16 + i] += add1;
  }
}

namespace transpose {

template <unsigned widest>
LANE void encode(const Work& work, unsigned block, unsigned lane, std::uint8_t* shared) {
  std::uint32_t m[32];
  if (!load_points(work.numbers + 1024ull * block, work.inverse, lane, shared, m)) {
    if (lane == 0) work.index[block] = off_path;
    return;
  }
  encode_points<widest>(m, work, block, lane, shared);
}

template <unsigned widest>
LANE void decode(const Work& work, unsigned block, unsigned lane, std::uint8_t* shared) {
  std::uint32_t q[32];
  decode_points<widest>(q, work, block, lane, shared);
  store_numbers(q, work.step, lane, shared, work.result + 1024ull * block);
}

template <unsigned widest>
LANE void fold(const Work& work, unsigned block, unsigned lane, std::uint8_t* shared) {
  std::uint32_t q[32];
  decode_points<widest>(q, work, block, lane, shared);
  std::uint32_t m[32];
  if (!load_points(work.numbers + 1024ull * block, work.inverse, lane, shared, m)) {
    if (lane == 0) work.index[block] = off_path;
    return;
  }
#pragma unroll
  for (unsigned i = 0; i < 32; ++i) m[i] += q[i];
  encode_points<widest>(m, work, block, lane, shared);
}

}  // namespace transpose
