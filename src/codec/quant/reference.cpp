// The reference kernels: short, obviously right, and what every other table is compared with.
#include <cstring>

#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"

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
  const auto value = static_cast<std::uint32_t>(q[i]);
  if (order == 0) return value;
  return i == 0 ? 0 : value - static_cast<std::uint32_t>(q[i - 1]);
}

// Zigzagged residuals of sub-block s, 0 beyond n; returns the code of their width.
std::uint8_t sub_block(const std::int32_t* q, std::size_t n, std::size_t s, int order, std::uint32_t* z) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < sub_values; ++i) {
    const std::size_t at = s * sub_values + i;
    z[i] = at < n ? zigzag(residual(q, at, order)) : 0;
    bits |= z[i];
  }
  return code_of(bits);
}

std::size_t pack(Points& points, std::size_t n, std::byte* out) {
  const std::int32_t* q = points.q;
  std::uint32_t z[sub_values];
  std::uint8_t codes[block_subs] = {};
  std::size_t width[2] = {0, 0};
  for (int order = 0; order < 2; ++order)
    for (std::size_t s = 0; s < subs_of(n); s += sample_stride)
      width[order] += width_of_code[sub_block(q, n, s, order, z)];
  const int order = width[1] < width[0] ? 1 : 0;

  bool all_zero = order == 0;
  for (std::size_t s = 0; s < subs_of(n); ++s) {
    codes[s] = sub_block(q, n, s, order, z);
    all_zero = all_zero && codes[s] == 0;
  }
  if (all_zero) {
    *out = static_cast<std::byte>(Kind::zero);
    return 1;
  }
  std::byte* at = write_block_head(order == 0 ? Kind::order0 : Kind::order1, q[0], codes, out);
  for (std::size_t s = 0; s < subs_of(n); ++s) {
    sub_block(q, n, s, order, z);
    for (unsigned k = 0; k < width_of_code[codes[s]]; ++k) {
      std::uint16_t plane = 0;
      for (std::size_t i = 0; i < sub_values; ++i) plane = static_cast<std::uint16_t>(plane | (z[i] >> k & 1u) << i);
      std::memcpy(at, &plane, 2);
      at += 2;
    }
  }
  return static_cast<std::size_t>(at - out);
}

std::size_t unpack(const std::byte* in, std::size_t available, std::size_t n, Points& points) {
  const BlockHead head = read_block_head(in, available, n);
  if (head.head == 0) return 0;
  if (head.kind == Kind::zero) {
    std::memset(points.q, 0, sizeof points.q);
    return head.total;
  }
  const std::byte* at = in + head.head;
  auto last = static_cast<std::uint32_t>(head.base);
  for (std::size_t s = 0; s < subs_of(n); ++s) {
    std::uint32_t z[sub_values] = {};
    for (unsigned k = 0; k < width_of_code[head.codes[s]]; ++k) {
      std::uint16_t plane;
      std::memcpy(&plane, at, 2);
      at += 2;
      for (std::size_t i = 0; i < sub_values; ++i) z[i] |= (static_cast<std::uint32_t>(plane) >> i & 1u) << k;
    }
    for (std::size_t i = 0; i < sub_values; ++i) {
      const std::uint32_t r = unzigzag(z[i]);
      last = head.kind == Kind::order1 ? last + r : r;
      points.q[s * sub_values + i] = static_cast<std::int32_t>(last);
    }
  }
  return head.total;
}

#include "codec/quant/combine.inl"

}  // namespace

const Kernels& reference_kernels() {
  static const Kernels table{
      "baseline", quantise_all<float>, quantise_all<double>, dequantise_all<float>, dequantise_all<double>, pack,
      unpack,     combine_points};
  return table;
}

}  // namespace laconic::quant
