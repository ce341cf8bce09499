// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dense/exact_counts.hpp"

namespace laconic::dense::exact {
namespace {

// Writes the blocks of a segment.
template <class T>
class BlockWriter {
 public:
  BlockWriter(const Kernels& k, const Cut& cut, std::size_t lag, std::byte* verbatim)
      : k_(k), cut_(cut), lag_(lag), at_(verbatim) {}

  std::byte* end() const { return at_; }

  // Writes n numbers that are no decimals.
  unsigned write_numbers(const double* x, std::size_t n) {
    const Block<double> block(x, n);
    if (8 * (changes_of(block) * sizeof *x + quant::largest_masks) < 64 * n) {
      put_others(x, n);
      return raw_kind | masked_bit;
    }
    std::memcpy(at_, x, n * sizeof *x);
    at_ += n * sizeof *x;
    return raw_kind;
  }

  // Writes n numbers, whose points are at q, as they are smallest, about, and returns the entry of the block.  Sets
  // coded.symbols if the block is coded.
  unsigned write(const T* x, std::size_t n, const std::int32_t* q, CodedBlock& coded, Symbols& symbols) {
    const Block<T> block(x, n);
    if (const unsigned kind = kind_of_equal(block); kind != 0) {
      if (kind == fill_kind) put(x, 1);
      return kind;
    }
    Residuals residuals;
    const Predictor predictor = k_.predict(q, n, lag_, residuals);
    const std::size_t bits = bits_of(residuals) + 8 * cut_.rest * n;
    const std::size_t noise = 8 * W::noise(cut_) * n;
    // The coder takes up to half a bit more than this for a number whose bits are all equally likely.
    const std::size_t most = W::bits * n - n / 2;
    if constexpr (sizeof(T) > 1)
      if (8 * (changes_of(block) * sizeof(T) + quant::largest_masks) <
          std::min({bits, most, noise > 0 ? noise : most})) {
        put_others(x, n);
        return raw_kind | masked_bit;
      }
    if (noise > 0 && noise < bits) {
      const Exponents<T> exponents(block, cut_);
      if (const std::size_t other = bits_of(exponents.residuals) + noise; other < bits && other < most) {
        std::memcpy(at_, &exponents.centre, sizeof exponents.centre);
        at_ += sizeof exponents.centre;
        const unsigned entry = exponents_flag | static_cast<unsigned>(Predictor::none);
        return entry | code(exponents.residuals, coded, symbols, exponents.rotated, n, W::noise(cut_));
      }
    }
    if (bits >= most) {
      put(x, n);
      return raw_kind;
    }
    Word integers[block_values];
    if (cut_.rest > 0)
      for (std::size_t i = 0; i < n; ++i)
        integers[i] = static_cast<Word>(W::integer(block.words[i], cut_) - static_cast<Word>(cut_.base));
    return static_cast<unsigned>(predictor) | code(residuals, coded, symbols, integers, n, cut_.rest);
  }

 private:
  using W = Words<T>;
  using Word = typename W::Word;

  // zero_kind or fill_kind where all numbers are equal, else 0.
  static unsigned kind_of_equal(const Block<T>& block) {
    Word other = 0;
    for (const Word w : block.words) other = static_cast<Word>(other | (w ^ block.words[0]));
    if (other != 0) return 0;
    return block.words[0] == 0 ? zero_kind : fill_kind;
  }

  void put(const T* x, std::size_t n) {
    std::memcpy(at_, x, n * sizeof(T));
    at_ += n * sizeof(T);
  }

  // Writes the numbers that differ from the one before.
  template <class U>
  void put_others(const U* x, std::size_t n) {
    quant::Mask all;
    all.clear();
    all.add(0, static_cast<unsigned>(n));
    lossless::WordOf<U> words[block_values];
    std::memcpy(words, x, n * sizeof(U));
    at_ += quant::write_exceptions(quant::best_kernels(), all, words, n, at_);
  }

  // Returns the table's part of the entry.
  unsigned code(const Residuals& residuals, CodedBlock& coded, Symbols& symbols, const Word* words, std::size_t n,
                unsigned rest) {
    at_ = k_.split(residuals, symbols, coded.table, at_);
    if (rest > 0) at_ = put_rests(words, n, rest, at_);
    coded.symbols = &symbols;
    return static_cast<unsigned>(coded.table) << 3;
  }

  const Kernels& k_;
  const Cut& cut_;
  std::size_t lag_;
  std::byte* at_;
};

void write_cut(const Cut& cut, std::byte* at) {
  at[0] = static_cast<std::byte>(cut.shift);
  at[1] = static_cast<std::byte>(cut.rest);
  std::memcpy(at + 2, &cut.base, sizeof cut.base);
}

template <class T>
void set_points(const T* x, std::size_t n, const Cut& cut, Segment& segment) {
  const std::size_t blocks = blocks_of(n);
  for (std::size_t b = 0; b < blocks; ++b) points_of(x + b * block_values, size_of_block(b, n), cut, segment.block(b));
  std::memset(segment.q + n, 0, (blocks * block_values - n) * sizeof *segment.q);
}

// Writes n numbers, or the integers of decimals.  numbers: those, of which the blocks in no_decimals are written.
template <class T>
std::byte* write_blocks(const Kernels& k, const T* x, std::size_t n, Segment& segment, Work& work, std::byte* out,
                        const double* numbers = nullptr, const bool* no_decimals = nullptr) {
  const std::size_t blocks = blocks_of(n);
  const Cut cut = cut_of(x, n, numbers == nullptr);
  set_points(x, n, cut, segment);
  const std::size_t lag = k.find_lag(segment.q, n);
  write_cut(cut, out + head_bytes);
  std::byte* const entries = out + head_bytes + cut_bytes;
  std::byte* const verbatim = entries + blocks;
  BlockWriter<T> writer(k, cut, lag, verbatim);
  std::size_t coded = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t count = size_of_block(b, n);
    CodedBlock& block = work.coded_blocks[coded];
    block.symbols = nullptr;
    unsigned entry = 0;
    if (no_decimals != nullptr && no_decimals[b])
      entry = numbers_flag | writer.write_numbers(numbers + b * block_values, count);
    else
      entry = writer.write(x + b * block_values, count, segment.block(b), block, work.symbols[coded]);
    if (block.symbols != nullptr) ++coded;
    entries[b] = static_cast<std::byte>(entry);
  }
  return finish_segment(k, {work.coded_blocks, coded}, lag, work, out, verbatim, writer.end());
}

}  // namespace

template <class T>
std::byte* write_segment(const Kernels& k, const T* x, std::size_t n, Segment& segment, Work& work, std::byte* out) {
  if constexpr (std::is_same_v<T, double>) {
    unsigned digits = 0;
    bool no_decimals[segment_blocks];
    if (find_digits(x, n, digits) && 4 * integers_of(x, n, digits, work.integers, no_decimals) <= blocks_of(n)) {
      std::byte* const end = write_blocks(k, work.integers, n, segment, work, out, x, no_decimals);
      out[head_bytes] = static_cast<std::byte>(decimal_cut | digits);
      return end;
    }
  }
  return write_blocks(k, x, n, segment, work, out);
}

#define LACONIC_EXACT(T) \
  template std::byte* write_segment<T>(const Kernels&, const T*, std::size_t, Segment&, Work&, std::byte*);
LACONIC_EACH_TYPE(LACONIC_EXACT)
#undef LACONIC_EXACT

}  // namespace laconic::dense::exact
