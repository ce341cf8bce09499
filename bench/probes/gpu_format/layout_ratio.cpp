// SPDX-License-Identifier: BSD-3-Clause
// Compression ratios of candidate layouts on fields of float32, all with the quantiser of `quant`: the cost of a layout
// in bytes, without its cost in instructions.   layout_ratio FIELD.f32...
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <vector>

namespace {

using Points = std::vector<std::int32_t>;

std::uint32_t zigzag(std::uint32_t r) { return (r << 1) ^ (0u - (r >> 31)); }

// Residual i of a block that begins at `from`. Order 1 subtracts the previous point, or a base stored separately.
std::uint32_t residual(const Points& q, std::size_t from, std::size_t i, int order) {
  const auto value = static_cast<std::uint32_t>(q[i]);
  if (order == 0) return value;
  return i == from ? 0 : value - static_cast<std::uint32_t>(q[i - 1]);
}

unsigned width(const Points& q, std::size_t from, std::size_t begin, std::size_t end, int order) {
  std::uint32_t bits = 0;
  for (std::size_t i = begin; i < end; ++i) bits |= zigzag(residual(q, from, i, order));
  return static_cast<unsigned>(std::bit_width(bits));
}

unsigned rounded(unsigned width) {
  for (unsigned w : {10u, 12u, 14u, 16u, 20u, 32u})
    if (width <= w) return width <= 10 ? width : w;
  return 32;
}

// Blocks of 1024 values, an index of 2 bytes each, sub-blocks of `sub` values with 4-bit codes in groups of four under
// a bitmap, order chosen from four sampled sub-blocks.  sub = 16 is the format.
double planes(const Points& q, std::size_t sub) {
  double bytes = 0;
  for (std::size_t from = 0; from < q.size(); from += 1024) {
    const std::size_t to = std::min(q.size(), from + 1024);
    bytes += 2;
    if (std::all_of(q.begin() + static_cast<std::ptrdiff_t>(from), q.begin() + static_cast<std::ptrdiff_t>(to),
                    [](std::int32_t p) { return p == 0; }))
      continue;
    unsigned sample[2] = {0, 0};
    for (int order = 0; order < 2; ++order)
      for (std::size_t at = from; at < to; at += 256)
        sample[order] += rounded(width(q, from, at, std::min(to, at + sub), order));
    const int order = sample[1] < sample[0] ? 1 : 0;
    bytes += (order == 1 ? 4 : 0) + std::ceil(1024.0 / static_cast<double>(sub) / 4 / 8);
    for (std::size_t group = from; group < to; group += 4 * sub) {
      unsigned planes_here = 0;
      for (std::size_t at = group; at < std::min(to, group + 4 * sub); at += sub)
        planes_here += rounded(width(q, from, at, std::min(to, at + sub), order));
      if (planes_here > 0) bytes += 2;
      bytes += planes_here * static_cast<double>(sub) / 8;
    }
  }
  return bytes;
}

// The share of blocks whose points are all 0, and of blocks whose widest residual, in the better order, has up to 8, up
// to 16, and more bits.
void count_widths(const Points& q, double (&share)[4]) {
  std::size_t blocks[4] = {};
  for (std::size_t from = 0; from < q.size(); from += 1024) {
    const std::size_t to = std::min(q.size(), from + 1024);
    const unsigned w = std::min(width(q, from, from, to, 0), width(q, from, from, to, 1));
    ++blocks[width(q, from, from, to, 0) == 0 ? 0 : w <= 8 ? 1 : w <= 16 ? 2 : 3];
  }
  for (int i = 0; i < 4; ++i)
    share[i] += static_cast<double>(blocks[i]) / std::ceil(static_cast<double>(q.size()) / 1024);
}

// Packed lanes of 32 bits: one byte for the width of each block of `block` values; chunks of 4096 values with an offset
// of 4 bytes, absent if all values are zero; segments of 1024 values with an anchor of 4 bytes.
double lanes(const Points& q, std::size_t block, bool order_per_segment) {
  double by_order[2] = {0, 0};
  double chosen = 0;
  for (std::size_t chunk = 0; chunk < q.size(); chunk += 4096) {
    const std::size_t end = std::min(q.size(), chunk + 4096);
    double of_order[2] = {0, 0};
    double of_segments = 0;
    bool zero = true;
    for (std::size_t segment = chunk; segment < end; segment += 1024) {
      const std::size_t to = std::min(end, segment + 1024);
      double payload[2] = {0, 0};
      for (int order = 0; order < 2; ++order)
        for (std::size_t at = segment; at < to; at += block)
          payload[order] += width(q, segment, at, std::min(to, at + block), order) * static_cast<double>(block) / 8;
      zero = zero && payload[0] == 0;
      of_order[0] += payload[0];
      of_order[1] += payload[1];
      of_segments += std::min(payload[0], payload[1]);
    }
    const double head = 4 * 4 + std::ceil(4096.0 / static_cast<double>(block));
    for (int order = 0; order < 2; ++order) by_order[order] += 4 + (zero ? 0 : head + of_order[order]);
    chosen += 4 + (zero ? 0 : head + of_segments);
  }
  return order_per_segment ? chosen : std::min(by_order[0], by_order[1]);
}

bool read(const char* path, std::vector<float>& x) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  float buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, sizeof(float), 4096, file)) > 0;) x.insert(x.end(), buffer, buffer + n);
  std::fclose(file);
  return !x.empty();
}

Points quantise(const std::vector<float>& x, double allowance) {
  int exponent = 0;
  const double mantissa = std::frexp(2 * allowance * (1 - 0x1p-7), &exponent);
  const double step = std::ldexp(std::floor(std::ldexp(mantissa, 21)), exponent - 21);
  Points q(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    q[i] = static_cast<std::int32_t>(std::nearbyint(static_cast<double>(x[i]) / step));
  return q;
}

}  // namespace

int main(int argc, char** argv) {
  struct Layout {
    const char* name;
    double (*bytes)(const Points&);
  };
  const Layout layouts[] = {
      {"planes of 16", [](const Points& q) { return planes(q, 16); }},
      {"planes of 32", [](const Points& q) { return planes(q, 32); }},
      {"lanes, 128", [](const Points& q) { return lanes(q, 128, false); }},
      {"lanes, 128, order per 1024", [](const Points& q) { return lanes(q, 128, true); }},
      {"lanes, 64, order per 1024", [](const Points& q) { return lanes(q, 64, true); }},
      {"lanes, 32, order per 1024", [](const Points& q) { return lanes(q, 32, true); }},
  };
  std::printf(
      "| layout | rel 1e-2 | rel 1e-3 | rel 1e-4 | least, as a share of planes of 16 | most "
      "|\n|---|---:|---:|---:|---:|---:|\n");
  const double bounds[] = {1e-2, 1e-3, 1e-4};
  constexpr int count = std::size(layouts);
  double logs[count][3] = {};
  double share[3][4] = {};
  double least[count];
  double most[count];
  std::fill_n(least, count, 1e9);
  std::fill_n(most, count, 0.0);
  for (int a = 1; a < argc; ++a) {
    std::vector<float> x;
    if (!read(argv[a], x)) {
      std::fprintf(stderr, "cannot read %s\n", argv[a]);
      return 1;
    }
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    for (int b = 0; b < 3; ++b) {
      const Points q = quantise(x, bounds[b] * (static_cast<double>(*high) - static_cast<double>(*low)));
      count_widths(q, share[b]);
      double first = 0;
      for (int l = 0; l < count; ++l) {
        const double ratio = 4.0 * static_cast<double>(x.size()) / (32 + layouts[l].bytes(q));
        if (l == 0) first = ratio;
        logs[l][b] += std::log(ratio);
        least[l] = std::min(least[l], ratio / first);
        most[l] = std::max(most[l], ratio / first);
      }
    }
  }
  for (int l = 0; l < count; ++l)
    std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f |\n", layouts[l].name, std::exp(logs[l][0] / (argc - 1)),
                std::exp(logs[l][1] / (argc - 1)), std::exp(logs[l][2] / (argc - 1)), least[l], most[l]);
  for (int b = 0; b < 3; ++b)
    std::printf("rel %.0e: blocks of zeros %.3f, up to 8 bits %.3f, up to 16 %.3f, more %.3f (means over the fields)\n",
                bounds[b], share[b][0] / (argc - 1), share[b][1] / (argc - 1), share[b][2] / (argc - 1),
                share[b][3] / (argc - 1));
}
