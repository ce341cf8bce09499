// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "codec/dense/exact_counts.hpp"
#include "codec/quant/problem.hpp"

namespace laconic::dense::exact {
namespace {

using quant::malformed;

// A segment while it is read.
template <class T>
class SegmentReader {
 public:
  SegmentReader(const Kernels& k, const SegmentParts& parts, const std::byte* end, Segment& segment,
                bool* no_decimals = nullptr)
      : k_(k),
        parts_(parts),
        segment_(segment),
        no_decimals_(no_decimals),
        coded_(parts.coded(end)),
        verbatim_(parts.verbatim) {}

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
    cut_.shift = no_decimals_ != nullptr ? 0 : static_cast<unsigned>(parts_.fixed[0]);
    cut_.rest = static_cast<unsigned>(parts_.fixed[1]);
    std::memcpy(&cut_.base, parts_.fixed + 2, sizeof cut_.base);
    if (cut_.shift >= W::bits || cut_.rest > (W::wide ? most_rest : 0))
      return malformed("a cut beyond the type's bits");
    return {};
  }

  Status read_block(std::size_t b, std::size_t n, T* x) {
    auto entry = static_cast<unsigned>(parts_.fixed[cut_bytes + b]);
    if (no_decimals_ != nullptr) {
      no_decimals_[b] = (entry & numbers_flag) != 0;
      if (no_decimals_[b] && kind_of(entry) != raw_kind) return malformed("a way of cutting numbers that there is not");
      entry &= ~numbers_flag;
    }
    const unsigned kind = kind_of(entry);
    if (kind < zero_kind) return read_coded(entry, b, n, x);
    if (sizeof(T) > 1 && entry == (raw_kind | masked_bit)) {
      if (Status s = read_others(n, x); !s) return s;
    } else if (entry != kind) {
      return malformed("a block with a table that it does not use");
    } else if (kind == zero_kind) {
      std::memset(static_cast<void*>(x), 0, n * sizeof(T));
    } else {
      const std::size_t stored = kind == fill_kind ? 1 : n;
      if (stored * sizeof(T) > left()) return malformed("a segment that ends in a block");
      std::memcpy(static_cast<void*>(x), verbatim_, stored * sizeof(T));
      verbatim_ += stored * sizeof(T);
      for (std::size_t i = stored; i < n; ++i) std::memcpy(static_cast<void*>(x + i), x, sizeof(T));
    }
    if (no_decimals_ != nullptr && no_decimals_[b])
      std::fill_n(segment_.block(b), block_values, segment_.block(b)[-1]);
    else
      points_of(x, n, cut_, segment_.block(b));
    return {};
  }

  // Reads numbers of which those that repeat the one before are left out.
  Status read_others(std::size_t n, T* x) {
    if constexpr (sizeof(T) > 1) {
      quant::Exceptions exceptions;
      if (!quant::read_exceptions(verbatim_, parts_.verbatim_end, n, sizeof(T), exceptions) || exceptions.count != n)
        return malformed("exceptions that do not fit their block or its segment");
      Word words[2 * block_values];
      exceptions.get(quant::best_kernels(), n, words);
      std::memcpy(static_cast<void*>(x), words, n * sizeof(T));
    }
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
      k_.restore(residuals.z, block_values, static_cast<Predictor>(kind), parts_.lag, q);
      for (std::size_t i = 0; i < block_values; ++i) words[i] = W::word(q[i], rests[i], cut_);
      std::memcpy(static_cast<void*>(x), words, n * sizeof(T));
    }
    return {};
  }

  const Kernels& k_;
  const SegmentParts& parts_;
  Segment& segment_;
  bool* no_decimals_;  // the blocks whose numbers are not those of integers, in a segment of decimals
  CodedPart coded_;
  const std::byte* verbatim_;
  Cut cut_;
  bool any_ = false;
};

}  // namespace

namespace {

// Reads the integers of decimals, and turns them into these.
Status read_decimals(const Kernels& k, const SegmentParts& parts, unsigned digits, const std::byte* end, std::size_t n,
                     Segment& segment, Work& work, double* x) {
  if (digits > most_digits) return malformed("a cut beyond the type's bits");
  bool no_decimals[segment_blocks];
  if (Status s = SegmentReader<std::int64_t>(k, parts, end, segment, no_decimals).read(n, work.integers); !s) return s;
  for (std::size_t b = 0; b < blocks_of(n); ++b)
    for (std::size_t i = b * block_values; i < b * block_values + size_of_block(b, n); ++i)
      x[i] = no_decimals[b] ? std::bit_cast<double>(work.integers[i]) : decimal(work.integers[i], digits);
  return {};
}

}  // namespace

template <class T>
Status read_segment(const Kernels& k, const std::byte*& at, const std::byte* end, std::size_t n, Segment& segment,
                    Work& work, T* x) {
  SegmentParts parts;
  if (Status s = find_parts(at, end, cut_bytes + blocks_of(n), parts); !s) return s;
  if constexpr (std::is_same_v<T, double>) {
    const auto cut = static_cast<unsigned>(parts.fixed[0]);
    if (cut >= decimal_cut) return read_decimals(k, parts, cut - decimal_cut, end, n, segment, work, x);
  }
  return SegmentReader<T>(k, parts, end, segment).read(n, x);
}

#define LACONIC_EXACT(T)                                                                                             \
  template Status read_segment<T>(const Kernels&, const std::byte*&, const std::byte*, std::size_t, Segment&, Work&, \
                                  T*);
LACONIC_EACH_TYPE(LACONIC_EXACT)
#undef LACONIC_EXACT

}  // namespace laconic::dense::exact
