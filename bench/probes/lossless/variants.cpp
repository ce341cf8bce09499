// SPDX-License-Identifier: BSD-3-Clause
// Compression ratios of candidates for the codec lossless on fields of float32, counted in bits; no output is encoded.
// variants FIELD.f32...
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::uint32_t>;
using Widths = std::function<int(int width, int widest)>;

constexpr std::size_t block_values = 1024;
constexpr double index_bits = 16;

std::uint32_t sign_of(std::uint32_t x) { return 0u - (x >> 31); }
std::uint32_t zigzag(std::uint32_t r) { return (r << 1) ^ sign_of(r); }

int in_table(int width, const std::vector<int>& table) { return *std::lower_bound(table.begin(), table.end(), width); }
int of_points(int width, int) { return in_table(width, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 32}); }
int of_floats(int width, int) { return in_table(width, {0, 4, 8, 12, 14, 16, 18, 20, 21, 22, 23, 24, 25, 26, 28, 32}); }
int consecutive(int width, int widest) { return width == 0 ? 0 : std::max(width, std::max(widest, 15) - 14); }

// Bits of residuals in bit planes: sub-blocks of `sub` values, with 4 bits for the width of each.
double planes(const Words& z, const Widths& widths, std::size_t sub = 16) {
  std::vector<int> width;
  for (std::size_t i = 0; i < z.size(); i += sub) {
    std::uint32_t any = 0;
    for (std::size_t j = i; j < std::min(z.size(), i + sub); ++j) any |= z[j];
    width.push_back(static_cast<int>(std::bit_width(any)));
  }
  const int widest = *std::max_element(width.begin(), width.end());
  double bits = 0;
  for (const int w : width) bits += 4 + static_cast<double>(widths(w, widest)) * static_cast<double>(sub);
  return bits;
}

Words ordered(const Words& x, bool drop_zeros) {
  std::uint32_t any = 0;
  for (const std::uint32_t v : x) any |= v & 0x7fffffff;
  const int shift = drop_zeros && any != 0 ? std::countr_zero(any) : 0;
  Words v;
  for (const std::uint32_t bits : x) v.push_back(((bits & 0x7fffffff) >> shift) ^ sign_of(bits));
  return v;
}

Words differences(Words v, int order) {
  for (int k = 0; k < order; ++k)
    for (std::size_t i = v.size() - 1; i > 0; --i) v[i] = i > static_cast<std::size_t>(k) ? v[i] - v[i - 1] : v[i];
  for (std::size_t i = 0; i < std::min<std::size_t>(v.size(), static_cast<std::size_t>(order)); ++i) v[i] = 0;
  for (std::uint32_t& r : v) r = zigzag(r);
  return v;
}

// Order 0, minus the least value; with `keep_zero`, minus the least value that is not 0.
Words based(const Words& v, bool keep_zero) {
  Words z;
  for (const std::uint32_t r : v) z.push_back(zigzag(r));
  std::uint32_t least = ~0u;
  for (const std::uint32_t r : z) least = std::min(least, keep_zero ? r - 1 : r);
  for (std::uint32_t& r : z) r -= keep_zero && r == 0 ? 0 : least;
  return z;
}

// Each byte of the words separately, as differences of eight bits.
double byte_planes(const Words& x) {
  double bits = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    Words bytes;
    std::uint32_t last = 0;
    for (const std::uint32_t v : x) {
      const std::uint32_t byte = v >> shift & 255;
      bytes.push_back(zigzag(static_cast<std::uint32_t>(static_cast<std::int8_t>(byte - last))));
      last = byte;
    }
    bits += planes(bytes, consecutive);
  }
  return bits;
}

struct Variant {
  const char* name;
  std::function<double(const Words&)> bits;
};

const std::vector<Variant>& variants() {
  static const auto xor_previous = [](const Words& x) {
    Words z(x.size(), 0);
    for (std::size_t i = 1; i < x.size(); ++i) z[i] = x[i] ^ x[i - 1];
    return planes(z, consecutive);
  };
  static const auto either = [](const Words& v, const Widths& widths) {
    return std::min(planes(differences(v, 0), widths), planes(differences(v, 1), widths));
  };
  static const auto format = [](const Words& x, std::size_t sub) {
    const Words v = ordered(x, true);
    return std::min(planes(based(v, true), consecutive, sub), planes(differences(v, 1), consecutive, sub));
  };
  static const std::vector<Variant> v{
      {"byte planes", byte_planes},
      {"xor", xor_previous},
      {"order 1", [](const Words& x) { return planes(differences(ordered(x, false), 1), consecutive); }},
      {"order 0 or 1, widths to 10, 12, 14, 16, 20, 32",
       [](const Words& x) { return either(ordered(x, false), of_points); }},
      {"..., 16 widths for floats", [](const Words& x) { return either(ordered(x, false), of_floats); }},
      {"..., 15 widths that follow each other", [](const Words& x) { return either(ordered(x, false), consecutive); }},
      {"... and shift", [](const Words& x) { return either(ordered(x, true), consecutive); }},
      {"... and base",
       [](const Words& x) {
         const Words w = ordered(x, true);
         return std::min(planes(based(w, false), consecutive), planes(differences(w, 1), consecutive));
       }},
      {"... but for zeros: the format", [](const Words& x) { return format(x, 16); }},
      {"with order 2 too",
       [](const Words& x) { return std::min(format(x, 16), planes(differences(ordered(x, true), 2), consecutive)); }},
      {"with sub-blocks of 8", [](const Words& x) { return format(x, 8); }},
  };
  return v;
}

}  // namespace

int main(int count, char** files) {
  std::printf("| field |");
  for (const Variant& v : variants()) std::printf(" %s |", v.name);
  std::printf("\n|---|");
  for (std::size_t k = 0; k < variants().size(); ++k) std::printf("---:|");
  std::printf("\n");
  std::vector<double> logs(variants().size());
  for (int f = 1; f < count; ++f) {
    std::ifstream in(files[f], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    Words x(bytes.size() / 4);
    std::copy_n(bytes.data(), x.size() * 4, reinterpret_cast<char*>(x.data()));
    std::vector<double> total(variants().size());
    for (std::size_t at = 0; at < x.size(); at += block_values) {
      const auto from = x.begin() + static_cast<std::ptrdiff_t>(at);
      const Words block(from, from + static_cast<std::ptrdiff_t>(std::min(block_values, x.size() - at)));
      const double raw = 32 * static_cast<double>(block.size());
      const bool equal = std::all_of(block.begin(), block.end(), [&](std::uint32_t v) { return v == block[0]; });
      for (std::size_t k = 0; k < variants().size(); ++k)  // 64 bits for head, base and bitmap
        total[k] += index_bits + (equal ? 32 : std::min(raw, 64 + variants()[k].bits(block)));
    }
    const std::string name = files[f];
    std::printf("| %s |", name.substr(name.rfind('/') + 1).c_str());
    for (std::size_t k = 0; k < total.size(); ++k) {
      const double ratio = 32 * static_cast<double>(x.size()) / total[k];
      logs[k] += std::log(ratio);
      std::printf(" %.3f |", ratio);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf("| geometric mean |");
  for (const double log : logs) std::printf(" %.3f |", std::exp(log / std::max(1, count - 1)));
  std::printf("\n");
}
