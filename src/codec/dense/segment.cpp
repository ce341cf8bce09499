// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dense/segment.hpp"

#include "codec/quant/problem.hpp"

namespace laconic::dense {
namespace {

using quant::malformed;

// The bytes of the coder, and room for what kernels read beyond them.
class CodedPart {
 public:
  // `end` is the end of the part, beyond_end that of the frame, up to which memory can be read.
  CodedPart(const std::byte* at, const std::byte* end, const std::byte* beyond_end)
      : end_(end), beyond_end_(beyond_end) {
    std::memcpy(decoder_.states, at, states_bytes);
    decoder_.at = at + states_bytes;
  }

  // False when an encoder cannot have ended with these states: kernels count on it that none is lower.
  bool valid() const {
    return std::all_of(decoder_.states, decoder_.states + lanes, [](std::uint16_t x) { return x >= least_state; });
  }

  Decoder& next_block() {
    if (static_cast<std::size_t>(beyond_end_ - decoder_.at) < decoder_reach) move_to_tail();
    return decoder_;
  }
  bool passed_end() const { return decoder_.at > end_; }

  // The states with which encoders begin.
  bool finished() const {
    return decoder_.at == end_ &&
           std::all_of(decoder_.states, decoder_.states + lanes, [](std::uint16_t x) { return x == least_state; });
  }

 private:
  void move_to_tail() {
    const auto left = static_cast<std::size_t>(end_ - decoder_.at);
    std::memmove(tail_, decoder_.at, left);
    std::memset(tail_ + left, 0, sizeof tail_ - left);
    decoder_.at = tail_;
    end_ = tail_ + left;
    beyond_end_ = tail_ + sizeof tail_;
  }

  Decoder decoder_;
  const std::byte* end_;
  const std::byte* beyond_end_;
  std::byte tail_[2 * decoder_reach];
};

}  // namespace

Status Reader::find_numbers(std::size_t unit, std::size_t n, bool fill, const std::byte*& verbatim,
                            const std::byte* verbatim_end, Segment& segment) const {
  segment.lattice[unit] = false;
  segment.fill[unit] = fill;
  segment.numbers[unit] = verbatim;
  const std::size_t bytes = (fill ? 1 : n) * number_bytes_;
  if (bytes > static_cast<std::size_t>(verbatim_end - verbatim)) return malformed("a segment that ends in a block");
  verbatim += bytes;
  return {};
}

Status Reader::read_parts(const std::byte* exponents, std::size_t b, std::size_t n, const std::byte*& verbatim,
                          const std::byte* verbatim_end, Segment& segment) const {
  for (std::size_t p = 0; p < parts_of(n); ++p) {
    const std::size_t unit = b * block_parts + p;
    Exponent x;
    std::memcpy(&x, exponents + unit * sizeof x, sizeof x);
    if (x < least_exponent || x > fill_part) return malformed("an exponent of a part beyond those of float64");
    segment.lattice[unit] = true;
    segment.exponents[unit] = x;
    if (x < raw_part) continue;
    const std::size_t here = std::min(part_values, n - p * part_values);
    if (Status s = find_numbers(unit, here, x == fill_part, verbatim, verbatim_end, segment); !s) return s;
  }
  return {};
}

namespace {

// Whether the parts of a block of n numbers that have no exponent have no other points than 0.
bool parts_are_zero(const Segment& segment, std::size_t b, std::size_t n) {
  for (std::size_t p = 0; p < parts_of(n); ++p)
    if (segment.exponents[b * block_parts + p] >= zero_part &&
        !all_zero(segment.block(b) + p * part_values, std::min(part_values, n - p * part_values)))
      return false;
  return true;
}

}  // namespace

Status Reader::next(const Kernels& k, std::size_t n, Segment& segment) {
  const std::size_t blocks = blocks_of(n);
  const std::size_t bytes_of_exponents = scaled_ ? parts_of(n) * sizeof(Exponent) : 0;
  if (left() < head_bytes + blocks + bytes_of_exponents) return malformed("the payload ends in the head of a segment");
  std::uint32_t verbatim_bytes;
  std::uint32_t coded_bytes;
  std::uint16_t distance;
  std::memcpy(&verbatim_bytes, at_, 4);
  std::memcpy(&coded_bytes, at_ + 4, 4);
  std::memcpy(&distance, at_ + 8, 2);
  const std::size_t lag = distance;
  if (lag != 0 && (scaled_ || lag < least_lag || lag > most_lag)) return malformed("a lag out of range");
  const std::byte* entries = at_ + head_bytes;
  const std::byte* exponents = entries + blocks;
  const std::byte* verbatim = exponents + bytes_of_exponents;
  at_ = verbatim;
  if (verbatim_bytes > left() || coded_bytes > left() - verbatim_bytes)
    return malformed("the payload ends in a segment");
  const std::byte* verbatim_end = verbatim + verbatim_bytes;
  at_ = verbatim_end + coded_bytes;
  // Kernels may read behind the verbatim bits of a block: there are always the states of the coder.
  const bool has_states = coded_bytes >= states_bytes;
  if (!has_states && coded_bytes != 0) return malformed("a segment that ends in the states of its coder");
  alignas(64) static constexpr std::byte no_states[states_bytes] = {};
  CodedPart coded(has_states ? verbatim_end : no_states, has_states ? at_ : no_states + states_bytes,
                  has_states ? end_ : no_states + states_bytes);
  if (has_states && !coded.valid()) return malformed("a state of the coder that is too low");
  bool any = false;
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto entry = static_cast<unsigned>(entries[b]);
    const unsigned kind = kind_of(entry);
    const std::size_t here = std::min(block_values, n - b * block_values);
    const bool on_lattice = kind != raw_kind && kind != fill_kind;
    if (on_lattice && !has_lattice_) return malformed("a block of lattice points in a frame without a lattice");
    if (!on_lattice && scaled_) return malformed("a block without exponents in a scaled frame");
    if (scaled_) {
      if (Status s = read_parts(exponents, b, here, verbatim, verbatim_end, segment); !s) return s;
    } else {
      segment.lattice[b] = on_lattice;
    }
    if (kind >= zero_kind) {
      if (table_of(entry) != 0) return malformed("a block with a table that it does not use");
      segment.set_zero(b);
      if (kind == zero_kind) continue;
      if (Status s = find_numbers(b, here, kind == fill_kind, verbatim, verbatim_end, segment); !s) return s;
      continue;
    }
    if (kind >= predictors_without_lag && lag == 0) return malformed("a prediction from above without a lag");
    if (table_of(entry) >= width_tables) return malformed("a table of widths that there is not");
    if (!has_states) return malformed("a coded block in a segment without a coder");
    any = true;
    Residuals residuals;
    verbatim = k.decode(coded.next_block(), table_of(entry), verbatim, verbatim_end, residuals);
    if (verbatim == nullptr || coded.passed_end()) return malformed("a block whose widths do not fit its segment");
    k.restore(residuals, static_cast<Predictor>(kind), lag, segment.block(b));
    if (scaled_ && !parts_are_zero(segment, b, here)) return malformed("points in a part that has no exponent");
  }
  if (verbatim != verbatim_end) return malformed("bytes behind the last block of a segment");
  if (has_states && (!any || !coded.finished())) return malformed("a coder that does not end as it should");
  return {};
}

Status Reader::finish() const { return left() == 0 ? Status{} : malformed("bytes behind the last segment"); }

}  // namespace laconic::dense
