// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dense/exact_segment.hpp"

#include <bit>

#include "codec/quant/problem.hpp"

namespace laconic::dense::exact {
namespace {

using quant::malformed;

// The bits that residuals would take if all of a sub-block were as wide as its largest.
std::size_t bits_of(const Residuals& residuals) {
  std::size_t bits = 0;
  for (std::size_t s = 0; s < block_values; s += sub_values) {
    std::uint32_t any = 0;
    for (std::size_t i = s; i < s + sub_values; ++i) any |= residuals.z[i];
    bits += static_cast<std::size_t>(std::bit_width(any));
  }
  return sub_values * bits;
}

// The exponents of numbers, as differences from their mean, and the noise below them.
template <class T>
struct Exponents {
  using W = Words<T>;
  typename W::Word rotated[block_values];
  Residuals residuals;
  Centre centre;

  Exponents(const Block<T>& block, const Cut& cut) {
    const unsigned below = 8 * W::noise(cut);
    for (std::size_t i = 0; i < block_values; ++i) {
      rotated[i] = W::rotated(block.words[i], cut);
      residuals.z[i] = static_cast<std::uint32_t>(rotated[i] >> below);
    }
    std::uint32_t sum = 0;     // of at most 18 bits each
    std::uint32_t others = 0;  // than 0, which is often far from all of them
    for (std::size_t i = 0; i < block.n; ++i) {
      sum += residuals.z[i];
      others += residuals.z[i] != 0 ? 1 : 0;
    }
    centre = others == 0 ? 0 : sum / others;
    for (std::uint32_t& z : residuals.z) z = lossless::zigzag(z - centre);
    std::fill(residuals.z + block.n, residuals.z + block_values, 0);
  }
};

// Writes the blocks of a segment.
template <class T>
class BlockWriter {
 public:
  BlockWriter(const Kernels& k, const Cut& cut, std::size_t lag, std::byte* verbatim)
      : k_(k), cut_(cut), lag_(lag), at_(verbatim) {}

  std::byte* end() const { return at_; }

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

}  // namespace

template <class T>
std::byte* write_segment(const Kernels& k, const T* x, std::size_t n, Segment& segment, Work& work, std::byte* out) {
  const std::size_t blocks = blocks_of(n);
  const auto size_of_block = [&](std::size_t b) { return std::min(block_values, n - b * block_values); };
  const Cut cut = cut_of(x, n);
  for (std::size_t b = 0; b < blocks; ++b) points_of(x + b * block_values, size_of_block(b), cut, segment.block(b));
  std::memset(segment.q + n, 0, (blocks * block_values - n) * sizeof *segment.q);
  const std::size_t lag = k.find_lag(segment.q, n);
  write_cut(cut, out + head_bytes);
  std::byte* const entries = out + head_bytes + cut_bytes;
  std::byte* const verbatim = entries + blocks;
  BlockWriter<T> writer(k, cut, lag, verbatim);
  std::size_t coded = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    CodedBlock& block = work.coded_blocks[coded];
    block.symbols = nullptr;
    const unsigned entry =
        writer.write(x + b * block_values, size_of_block(b), segment.block(b), block, work.symbols[coded]);
    if (block.symbols != nullptr) ++coded;
    entries[b] = static_cast<std::byte>(entry);
  }
  return finish_segment(k, {work.coded_blocks, coded}, lag, work, out, verbatim, writer.end());
}

namespace {

// A segment while it is read.
template <class T>
class SegmentReader {
 public:
  SegmentReader(const Kernels& k, const SegmentParts& parts, const std::byte* end, Segment& segment)
      : k_(k), parts_(parts), segment_(segment), coded_(parts.coded(end)), verbatim_(parts.verbatim) {}

  Status read(std::size_t n, T* x) {
    if (parts_.has_states() && !coded_.valid()) return malformed("a state of the coder that is too low");
    if (Status s = read_cut(); !s) return s;
    for (std::size_t i = 0, b = 0; i < n; i += block_values, ++b)
      if (Status s = read_block(b, std::min(block_values, n - i), x + i); !s) return s;
    if (verbatim_ != parts_.verbatim_end) return malformed("bytes behind the last block of a segment");
    if (parts_.has_states() && (!any_ || !coded_.finished()))
      return malformed("a coder that does not end as it should");
    return {};
  }

 private:
  using W = Words<T>;
  using Word = typename W::Word;

  std::size_t left() const { return static_cast<std::size_t>(parts_.verbatim_end - verbatim_); }

  Status read_cut() {
    cut_.shift = static_cast<unsigned>(parts_.fixed[0]);
    cut_.rest = static_cast<unsigned>(parts_.fixed[1]);
    std::memcpy(&cut_.base, parts_.fixed + 2, sizeof cut_.base);
    if (cut_.shift >= W::bits || cut_.rest > (W::wide ? most_rest : 0))
      return malformed("a cut beyond the type's bits");
    return {};
  }

  Status read_block(std::size_t b, std::size_t n, T* x) {
    const auto entry = static_cast<unsigned>(parts_.fixed[cut_bytes + b]);
    const unsigned kind = kind_of(entry);
    if (kind < zero_kind) return read_coded(entry, b, n, x);
    if (entry != kind) return malformed("a block with a table that it does not use");
    if (kind == zero_kind) {
      std::memset(static_cast<void*>(x), 0, n * sizeof(T));
    } else {
      const std::size_t stored = kind == fill_kind ? 1 : n;
      if (stored * sizeof(T) > left()) return malformed("a segment that ends in a block");
      std::memcpy(static_cast<void*>(x), verbatim_, stored * sizeof(T));
      verbatim_ += stored * sizeof(T);
      for (std::size_t i = stored; i < n; ++i) std::memcpy(static_cast<void*>(x + i), x, sizeof(T));
    }
    points_of(x, n, cut_, segment_.block(b));
    return {};
  }

  Status read_coded(unsigned entry, std::size_t b, std::size_t n, T* x) {
    const unsigned kind = kind_of(entry);
    const bool exponents = (entry & exponents_flag) != 0;
    if (kind >= predictors_without_lag && parts_.lag == 0) return malformed("a prediction from above without a lag");
    if (entry > (exponents_flag | 63) || (exponents && (kind != 0 || !W::floating)))
      return malformed("a way of cutting numbers that there is not");
    if (!parts_.has_states()) return malformed("a coded block in a segment without a coder");
    Centre centre = 0;
    if (exponents) {
      if (left() < sizeof centre) return malformed("a segment that ends in a block");
      std::memcpy(&centre, verbatim_, sizeof centre);
      verbatim_ += sizeof centre;
    }
    any_ = true;
    Residuals residuals;
    verbatim_ = k_.decode(coded_.next_block(), table_in(entry), verbatim_, parts_.verbatim_end, residuals);
    if (verbatim_ == nullptr || coded_.passed_end()) return malformed("a block whose widths do not fit its segment");
    const unsigned rest_bytes = exponents ? W::noise(cut_) : cut_.rest;
    if (rest_bytes * n > left()) return malformed("a segment that ends in a block");
    alignas(64) Word rests[block_values] = {};
    if (rest_bytes > 0) verbatim_ = get_rests(verbatim_, n, rest_bytes, rests);
    alignas(64) Word words[block_values];
    if (exponents) {
      for (std::size_t i = 0; i < block_values; ++i) {
        const std::uint32_t e = lossless::unzigzag(residuals.z[i]) + centre;
        const auto high = static_cast<Word>(static_cast<Word>(e) << (8 * rest_bytes));
        words[i] = W::unrotated(static_cast<Word>(high | rests[i]), cut_);
      }
      std::memcpy(static_cast<void*>(x), words, n * sizeof(T));
      points_of(x, n, cut_, segment_.block(b));
    } else {
      std::int32_t* q = segment_.block(b);
      k_.restore(residuals, static_cast<Predictor>(kind), parts_.lag, q);
      for (std::size_t i = 0; i < block_values; ++i) words[i] = W::word(q[i], rests[i], cut_);
      std::memcpy(static_cast<void*>(x), words, n * sizeof(T));
    }
    return {};
  }

  const Kernels& k_;
  const SegmentParts& parts_;
  Segment& segment_;
  CodedPart coded_;
  const std::byte* verbatim_;
  Cut cut_;
  bool any_ = false;
};

}  // namespace

template <class T>
Status read_segment(const Kernels& k, const std::byte*& at, const std::byte* end, std::size_t n, Segment& segment,
                    T* x) {
  SegmentParts parts;
  if (Status s = find_parts(at, end, cut_bytes + blocks_of(n), parts); !s) return s;
  return SegmentReader<T>(k, parts, end, segment).read(n, x);
}

#define LACONIC_EXACT(T)                                                                                    \
  template std::byte* write_segment<T>(const Kernels&, const T*, std::size_t, Segment&, Work&, std::byte*); \
  template Status read_segment<T>(const Kernels&, const std::byte*&, const std::byte*, std::size_t, Segment&, T*);
LACONIC_EXACT(float)
LACONIC_EXACT(double)
LACONIC_EXACT(Float16)
LACONIC_EXACT(Bfloat16)
LACONIC_EXACT(std::int8_t)
LACONIC_EXACT(std::uint8_t)
LACONIC_EXACT(std::int16_t)
LACONIC_EXACT(std::uint16_t)
LACONIC_EXACT(std::int32_t)
LACONIC_EXACT(std::uint32_t)
LACONIC_EXACT(std::int64_t)
LACONIC_EXACT(std::uint64_t)
#undef LACONIC_EXACT

}  // namespace laconic::dense::exact
