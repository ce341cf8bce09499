// SPDX-License-Identifier: BSD-3-Clause
#include "base/checksum.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/target.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace laconic::checksum {
namespace {

struct alignas(64) Keys {
  std::array<std::uint64_t, block_words> of{};
};

constexpr Keys keys = [] {
  Keys k;
  for (std::size_t j = 0; j < block_words; ++j) k.of[j] = key(j);
  return k;
}();

// A sum of terms is the sum of the products of halves plus 2^32 times the sum of the halves.  The halves are therefore
// shifted once per sum, not once per term.
constexpr std::uint64_t joined(std::uint64_t products, std::uint64_t halves) { return products + (halves << 32); }

std::uint64_t word_at(const std::byte* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t sum_generic(const std::byte* bytes, std::size_t blocks) {
  std::uint64_t total = 0;
  for (std::size_t b = 0; b < blocks; ++b, bytes += block_bytes) {
    std::uint64_t products = 0;
    std::uint64_t halves = 0;
    for (std::size_t j = 0; j < block_words; ++j) {
      const std::uint64_t v = word_at(bytes + j * word_bytes) ^ keys.of[j];
      const std::uint64_t high = v >> 32;
      products += (v & 0xffffffffULL) * high;
      halves += v + high;
    }
    total += weight(b) * joined(products, halves);
  }
  return total;
}

#if defined(__x86_64__)

// One step is a separate function, so that the compiler can interleave several of them.

LACONIC_TARGET_BEGIN("avx2")

struct Lanes256 {
  __m256i products;
  __m256i halves;  // low and high halves side by side, modulo 2^32
};

LACONIC_INLINE void add_words(Lanes256& lanes, const std::byte* bytes, const std::uint64_t* key_of) {
  const __m256i word = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
  const __m256i v = _mm256_xor_si256(word, _mm256_load_si256(reinterpret_cast<const __m256i*>(key_of)));
  lanes.products = _mm256_add_epi64(lanes.products, _mm256_mul_epu32(v, _mm256_srli_epi64(v, 32)));
  lanes.halves = _mm256_add_epi32(lanes.halves, v);
}

std::uint64_t sum_avx2(const std::byte* bytes, std::size_t blocks) {
  constexpr std::size_t words = 4;
  std::uint64_t total = 0;
  for (std::size_t b = 0; b < blocks; ++b, bytes += block_bytes) {
    Lanes256 even = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    Lanes256 odd = even;
    for (std::size_t j = 0; j < block_words; j += 4 * words) {
      add_words(even, bytes + j * word_bytes, &keys.of[j]);
      add_words(odd, bytes + (j + words) * word_bytes, &keys.of[j + words]);
      add_words(even, bytes + (j + 2 * words) * word_bytes, &keys.of[j + 2 * words]);
      add_words(odd, bytes + (j + 3 * words) * word_bytes, &keys.of[j + 3 * words]);
    }
    __m256i halves = _mm256_add_epi32(even.halves, odd.halves);
    halves = _mm256_add_epi64(halves, _mm256_srli_epi64(halves, 32));
    const __m256i products = _mm256_add_epi64(even.products, odd.products);
    const __m256i sums = _mm256_add_epi64(products, _mm256_slli_epi64(halves, 32));
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    total += weight(b) * (static_cast<std::uint64_t>(_mm_cvtsi128_si64(two)) +
                          static_cast<std::uint64_t>(_mm_extract_epi64(two, 1)));
  }
  return total;
}

LACONIC_TARGET_END

#endif

const Kernel& best_kernel() {
  static const Kernel& best = available_kernels().back();
  return best;
}

}  // namespace

std::span<const Kernel> available_kernels() {
  static constexpr std::array kernels {
    Kernel{"generic", sum_generic},
#if defined(__x86_64__)
        Kernel {
      "avx2", sum_avx2
    }
#endif
  };
  std::size_t usable = 1;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) usable = 2;
#endif
  return std::span(kernels).first(usable);
}

std::uint64_t sum(std::span<const std::byte> bytes, const Kernel& kernel) {
  const std::size_t blocks = bytes.size() / block_bytes;
  std::uint64_t total = kernel.sum(bytes.data(), blocks);
  std::uint64_t last = 0;
  bytes = bytes.subspan(blocks * block_bytes);
  std::size_t j = 0;
  for (; (j + 1) * word_bytes <= bytes.size(); ++j) last += term(word_at(bytes.data() + j * word_bytes) ^ keys.of[j]);
  if (const std::size_t rest = bytes.size() - j * word_bytes; rest > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + j * word_bytes, rest);
    last += term(word ^ keys.of[j]);
  }
  return total + weight(blocks) * last;
}

std::uint64_t sum(std::span<const std::byte> bytes) { return sum(bytes, best_kernel()); }

}  // namespace laconic::checksum
