// SPDX-License-Identifier: BSD-3-Clause
// The reference kernels: they are short and simple, and every other table is compared with them.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/target.hpp"
#include "codec/quant/block_range.hpp"
#include "codec/quant/far.hpp"
#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"
#include "codec/quant/scaled_rules.hpp"

namespace laconic::quant {
namespace {

template <class T>
bool quantise_all(const T* x, std::size_t n, const Lattice& lattice, Points& points) {
  for (std::size_t i = 0; i < n; ++i)
    if (!quantise(x[i], lattice, points.q[i])) return false;
  return true;
}

template <class T>
void dequantise_all(const Points& points, std::size_t n, double step, double divisor, T* x) {
  for (std::size_t i = 0; i < n; ++i) x[i] = dequantise<T>(points.q[i], step, divisor);
}

std::uint32_t residual(const std::int32_t* q, std::size_t i, int order) {
  if (order == 0) return static_cast<std::uint32_t>(q[i]);
  if (i == 0) return 0;
  const std::uint32_t difference = residual(q, i, 0) - residual(q, i - 1, 0);
  return order == 1 ? difference : difference - residual(q, i - 1, 1);
}

// Zigzagged residuals of sub-block s, 0 beyond n; returns the bits that any of them has.
std::uint32_t sub_block(const std::int32_t* q, std::size_t n, std::size_t s, int order, std::uint32_t* z) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < sub_values; ++i) {
    const std::size_t at = s * sub_values + i;
    z[i] = at < n ? zigzag(residual(q, at, order)) : 0;
    bits |= z[i];
  }
  return bits;
}

int best_order(const std::int32_t* q, std::size_t n) {
  std::uint32_t z[sub_values];
  int best = 0;
  int least = std::numeric_limits<int>::max();
  for (int order = 0; order < 3; ++order) {
    int width = 0;
    for (const std::size_t s : sampled_subs) width += std::bit_width(sub_block(q, n, s, order, z));
    if (width < least) best = order;
    least = std::min(least, width);
  }
  return best;
}

Entry pack(Points& points, std::size_t n, std::byte* out) {
  const std::int32_t* q = points.q;
  const int order = best_order(q, n);
  std::uint32_t z[sub_values];
  std::uint32_t bits[block_subs];
  for (std::size_t s = 0; s < block_subs; ++s) bits[s] = sub_block(q, n, s, order, z);
  const Head head = write_head(order, q[0], bits, out);
  std::byte* at = out + head.bytes;
  for (std::size_t g = 0; g < block_groups; ++g)
    for (unsigned byte = 0; byte < 4; ++byte)
      for (std::size_t s = g * group_subs; s < (g + 1) * group_subs; ++s) {
        const Planes part = part_of(head.planes[s], byte);
        if (part.count == 0) continue;
        sub_block(q, n, s, order, z);
        for (unsigned k = part.first; k < part.first + part.count; ++k) {
          std::uint16_t plane = 0;
          for (std::size_t i = 0; i < sub_values; ++i)
            plane = static_cast<std::uint16_t>(plane | (z[i] >> k & 1u) << i);
          std::memcpy(at, &plane, 2);
          at += 2;
        }
      }
  return make_entry(head.kind, static_cast<std::size_t>(at - out));
}

bool unpack(const Packed& in, std::size_t n, Points& points) {
  Head head;
  if (!read_head(in.entry, in.body, n, head)) return false;
  const int order = order_of(head.kind);
  const std::byte* at = in.body + head.bytes;
  std::uint32_t z[block_values] = {};
  for (std::size_t g = 0; g < block_groups; ++g)
    for (unsigned byte = 0; byte < 4; ++byte)
      for (std::size_t s = g * group_subs; s < (g + 1) * group_subs; ++s) {
        const Planes part = part_of(head.planes[s], byte);
        for (unsigned k = part.first; k < part.first + part.count; ++k) {
          std::uint16_t plane;
          std::memcpy(&plane, at, 2);
          at += 2;
          for (std::size_t i = 0; i < sub_values; ++i)
            z[s * sub_values + i] |= (static_cast<std::uint32_t>(plane) >> i & 1u) << k;
        }
      }
  auto last = static_cast<std::uint32_t>(head.base);
  std::uint32_t difference = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t r = unzigzag(z[i]);
    difference = order == 2 ? difference + r : r;
    last = order == 0 ? r : last + difference;
    points.q[i] = static_cast<std::int32_t>(last);
  }
  return true;
}

#include "codec/quant/combine.inl"
#include "codec/quant/far.inl"
#include "codec/quant/masks.inl"

template <class T>
constexpr auto find_range = block_range<T>;
#include "codec/quant/scales.inl"

}  // namespace

const Kernels& reference_kernels() {
  static const Kernels table{
      "baseline", quantise_all<float>, quantise_all<double>, dequantise_all<float>, dequantise_all<double>, pack,
      unpack,     combine_points,      far_kernels,          mask_kernels,          scale_kernels,          {}};
  return table;
}

}  // namespace laconic::quant
