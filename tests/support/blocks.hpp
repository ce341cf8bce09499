// SPDX-License-Identifier: BSD-3-Clause
// Blocks of quant for kernel tests: curves that suit every order, and bodies that no encoder writes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "codec/quant/far.hpp"
#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"
#include "codec/quant/mask.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"

namespace laconic::test {

using PointList = std::vector<std::int32_t>;

struct Body {
  quant::Entry entry;
  Bytes bytes;
};

inline std::int32_t wrapped(std::int64_t x) { return static_cast<std::int32_t>(static_cast<std::uint64_t>(x)); }

inline PointList sum_of(const PointList& a, const PointList& b) {
  PointList sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.push_back(wrapped(std::int64_t{a[i]} + b[i]));
  return sum;
}

inline Body packed(const PointList& q) {
  quant::Points points;
  std::copy(q.begin(), q.end(), points.q);
  Bytes out(quant::largest_packed_block + quant::store_slack);
  const quant::Entry entry = quant::reference_kernels().pack(points, q.size(), out.data());
  out.resize(quant::bytes_of(entry));
  return {entry, out};
}

// The points that the reference reads in a body of n numbers; empty when the body is not valid.
inline PointList unpacked(const Body& body, std::size_t n) {
  if (body.entry == quant::zero_block) return PointList(n);
  quant::Points points;
  const quant::Packed in{body.entry, body.bytes.data(), body.bytes.data() + body.bytes.size()};
  if (!quant::reference_kernels().unpack(in, n, points)) return {};
  return {points.q, points.q + n};
}

// Points of a full block that are best coded in some order, mostly near 0. The residuals in front, where the order is
// chosen, have a few bits, those behind a different number of bits; some places jump by critical sizes.
inline PointList curve(Random& random) {
  constexpr std::array<std::int32_t, 14> jumps{127,   128,   -128,  -129,   255,    8191,    16383,
                                               16384, 32766, 32767, -32768, -32769, 1 << 20, 1 << 24};
  PointList q(quant::block_values);
  const std::uint64_t order = random.below(3);
  const std::uint64_t width[2] = {random.below(10), random.below(random.below(4) == 0 ? 17 : 9)};
  const std::int64_t pull = 1 + static_cast<std::int64_t>(random.below(1ULL << random.below(8)));
  std::int64_t last = order == 0 ? 0 : static_cast<std::int64_t>(random.below(1ULL << random.below(15)));
  std::int64_t difference = 0;
  bool no_signs = false;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (i % quant::sub_values == 0) no_signs = random.below(4) == 0;
    auto z = static_cast<std::uint32_t>(random.below(1ULL << width[i < 128 ? 0 : 1]));
    if (no_signs) z &= ~1u;
    const auto r = static_cast<std::int32_t>(quant::unzigzag(z));
    if (order == 0) last = r;
    if (order == 1) last += std::abs(last + r) > 16000 ? -r : r;
    if (order == 2) {  // swings around 0
      difference += (last > 0 ? -pull : pull) + r % 4;
      last += difference;
    }
    q[i] = wrapped(last);
  }
  for (std::uint64_t jump = random.below(6); jump > 3; --jump) {
    std::int32_t& there = q[random.below(q.size())];
    there = wrapped(std::int64_t{there} + jumps[random.below(jumps.size())]);
  }
  if (random.below(5) == 0) {  // up to the largest point that has room in 16 bits, or just beyond
    const std::int64_t more =
        16382 + static_cast<std::int64_t>(random.below(3)) - *std::max_element(q.begin(), q.end());
    for (std::int32_t& v : q) v = wrapped(v + more);
  }
  if (random.below(4) == 0) {  // too large for 16 bits, while residuals may fit
    constexpr std::array<std::int64_t, 6> levels{32000, 40000, 65536, 1 << 20, 1 << 23, 1 << 28};
    const std::int64_t level = levels[random.below(levels.size())] * (random.below(2) ? 1 : -1);
    for (std::int32_t& v : q) v = wrapped(v + level);
  }
  return q;
}

// A block to be added to q: of any kind, or such that sums are 0 or nearly 0.
inline PointList partner(Random& random, const PointList& q) {
  if (random.below(3) != 0) {
    PointList any = curve(random);
    any.resize(q.size());
    return any;
  }
  PointList other;
  const std::uint64_t noise = random.below(3);
  const auto level = static_cast<std::int64_t>(random.below(2) ? random.below(300) : 0);
  for (const std::int32_t v : q)
    other.push_back(wrapped(level - v + static_cast<std::int64_t>(random.below(1 + noise))));
  return other;
}

// A valid body of arbitrary bits: widths larger than needed, a nonzero residual 0, any base, and so on.
inline Body hostile(Random& random, std::size_t n) {
  const int order = static_cast<int>(random.below(3));
  const bool wide_kind = random.below(2) != 0;
  const bool long_groups = random.below(4) == 0;
  const bool first_is_0 = random.below(2) != 0;
  const std::uint64_t sparse = random.below(3);
  const std::size_t subs = quant::subs_of(n);
  Bytes bytes;
  const auto put = [&](std::uint64_t word) {
    bytes.push_back(static_cast<std::byte>(word));
    bytes.push_back(static_cast<std::byte>(word >> 8));
  };
  const std::uint64_t base = random.bits() >> (32 + random.below(32));
  for (int half = 0; order != 0 && half < 2; ++half) put(base >> (16 * half));
  const std::size_t groups = (subs + quant::group_subs - 1) / quant::group_subs;
  const std::uint64_t groups_there = (1ULL << groups) - 1;
  const std::uint64_t first = (random.below(2) ? random.bits() : ~0ULL) & groups_there;
  const std::uint64_t second = wide_kind ? random.bits() & random.bits() & (long_groups ? groups_there : first) : 0;
  put(first);
  if (wide_kind) put(second);
  quant::Planes planes[quant::block_subs] = {};
  for (std::size_t g = 0; g < groups; ++g) {
    if (((first | second) >> g & 1) == 0) continue;
    const quant::GroupKind kind = quant::group_kind_of((first >> g & 1) != 0, (second >> g & 1) != 0);
    unsigned word = 0;
    for (std::size_t k = 0; k < quant::group_subs; ++k) {
      const std::size_t s = g * quant::group_subs + k;
      if (s >= subs) continue;
      const auto code = static_cast<unsigned>(random.below(16));
      word |= code << (4 * k);
      planes[s] = quant::planes_of_code(code, kind);
    }
    put(word);
  }
  for (std::size_t g = 0; g < groups; ++g)
    for (unsigned byte = 0; byte < 4; ++byte)
      for (std::size_t s = g * quant::group_subs; s < (g + 1) * quant::group_subs; ++s)
        for (unsigned k = quant::part_of(planes[s], byte).count; k > 0; --k) {
          std::uint64_t plane = random.bits();
          for (std::uint64_t i = 0; i < sparse; ++i) plane &= random.bits();
          if (s == 0 && first_is_0) plane &= ~1ULL;
          put(plane);
        }
  return {quant::make_entry(quant::kind_of(order, wide_kind), bytes.size()), bytes};
}

// A far block of two such bodies, some of them zero blocks.
inline Body hostile_far(Random& random, std::size_t n) {
  Body parts[2];
  std::size_t bytes;
  do {
    bytes = quant::far_head_bytes;
    for (Body& part : parts) {
      part = random.below(3) == 0 ? Body{quant::zero_block, {}} : hostile(random, n);
      bytes += part.bytes.size();
    }
  } while (bytes == 8);  // this is the size of a number
  Body body{quant::make_entry(quant::Kind::fill, bytes), Bytes(2)};
  for (const Body& part : parts) {
    body.bytes.push_back(static_cast<std::byte>(part.entry & 0xff));
    body.bytes.push_back(static_cast<std::byte>(part.entry >> 8));
  }
  for (const Body& part : parts) body.bytes.insert(body.bytes.end(), part.bytes.begin(), part.bytes.end());
  return body;
}

// The coded form of n bits, in either code, also where the other one is shorter.
inline void append_mask(Random& random, const std::vector<bool>& bits, Bytes& bytes) {
  const std::size_t n = bits.size();
  std::vector<std::uint8_t> runs;
  bool set = false;
  std::size_t length = 0;
  for (std::size_t i = 0; i < n; ++i, ++length) {
    if (bits[i] == set) continue;
    for (; length >= quant::longest_run; length -= quant::longest_run) runs.push_back(quant::longest_run);
    runs.push_back(static_cast<std::uint8_t>(length));
    length = 0;
    set = !set;
  }
  if (length < quant::longest_run && random.below(4) == 0) runs.push_back(static_cast<std::uint8_t>(length));
  if (runs.size() < quant::bitmap_follows && random.below(2) != 0) {
    bytes.push_back(static_cast<std::byte>(runs.size()));
    for (const std::uint8_t run : runs) bytes.push_back(static_cast<std::byte>(run));
    return;
  }
  bytes.push_back(static_cast<std::byte>(quant::bitmap_follows));
  for (std::size_t b = 0; b < quant::bitmap_bytes(static_cast<unsigned>(n)); ++b) {
    auto byte = static_cast<std::uint8_t>(random.bits());  // bits beyond n are ignored
    for (std::size_t i = 8 * b; i < std::min(8 * b + 8, n); ++i)
      byte = static_cast<std::uint8_t>((byte & ~(1u << i % 8)) | (bits[i] ? 1u : 0u) << i % 8);
    bytes.push_back(static_cast<std::byte>(byte));
  }
}

// A masked block of exceptions with any bits beside such a body or a far one; with values that need not be repeated,
// and, in some cases, no other numbers.
inline Body hostile_masked(Random& random, std::size_t n, std::size_t number_bytes) {
  std::vector<bool> mask(n);
  const std::uint64_t pace = 1 + random.below(random.below(2) ? 400 : 4);
  const bool all = random.below(8) == 0;
  bool set = random.below(2) != 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (random.below(pace) == 0) set = !set;
    mask[i] = all || set;
  }
  if (std::find(mask.begin(), mask.end(), true) == mask.end()) mask[random.below(n)] = true;
  const auto exceptions = static_cast<std::size_t>(std::count(mask.begin(), mask.end(), true));
  std::vector<bool> changes(exceptions - 1);
  const std::uint64_t rarity = 1 + random.below(300);
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i] = random.below(rarity) == 0;
  Bytes bytes{static_cast<std::byte>(exceptions & 0xff), static_cast<std::byte>(exceptions >> 8)};
  append_mask(random, mask, bytes);
  append_mask(random, changes, bytes);
  if (bytes.size() % 2 != 0) bytes.push_back(static_cast<std::byte>(random.bits()));
  const auto values = static_cast<std::size_t>(1 + std::count(changes.begin(), changes.end(), true));
  const bool repeated = random.below(3) == 0;
  for (std::size_t i = 0; i < values * number_bytes; ++i)
    bytes.push_back(repeated && i >= number_bytes ? bytes[bytes.size() - number_bytes]
                                                  : static_cast<std::byte>(random.bits()));
  if (const std::size_t left = n - exceptions; left > 0) {
    const std::uint64_t which = random.below(4);
    const Body inner = which == 0   ? Body{quant::zero_block, {}}
                       : which == 1 ? hostile_far(random, left)
                                    : hostile(random, left);
    bytes.push_back(static_cast<std::byte>(inner.entry & 0xff));
    bytes.push_back(static_cast<std::byte>(inner.entry >> 8));
    bytes.insert(bytes.end(), inner.bytes.begin(), inner.bytes.end());
  }
  if (bytes.size() == 8) return hostile_masked(random, n, number_bytes);  // this is the size of a number
  return {quant::make_entry(quant::Kind::fill, bytes.size()), bytes};
}

}  // namespace laconic::test
