// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dense/exact_segment.hpp"
#include "codec/dense/prediction.hpp"
#include "codec/dense/segment.hpp"
#include "codec/quant/problem.hpp"

namespace laconic::dense {
namespace {

using quant::malformed;

// Undoes predict() and leave_out() for a unit.
template <Predictor predictor>
void restore_as(const quant::Mask& exceptions, const std::uint32_t* z, std::size_t values, std::ptrdiff_t lag,
                std::int32_t* q) {
  std::ptrdiff_t i = 0;
  const auto repeat = [&](std::ptrdiff_t end) {
    for (; i < end; ++i) q[i] = q[i - 1];
  };
  quant::each_run_of(exceptions, static_cast<unsigned>(values), false, [&](unsigned begin, unsigned end) {
    repeat(begin);
    for (; i < static_cast<std::ptrdiff_t>(end); ++i)
      q[i] = static_cast<std::int32_t>(quant::unzigzag(*z++) + prediction(predictor, q, i, lag));
  });
  repeat(static_cast<std::ptrdiff_t>(values));
}

void restore_beside(const quant::Mask& exceptions, const std::uint32_t* z, std::size_t values, Predictor predictor,
                    std::size_t lag, std::int32_t* q) {
  const auto distance = static_cast<std::ptrdiff_t>(lag);
  switch (predictor) {
    case Predictor::none: return restore_as<Predictor::none>(exceptions, z, values, distance, q);
    case Predictor::last: return restore_as<Predictor::last>(exceptions, z, values, distance, q);
    case Predictor::line: return restore_as<Predictor::line>(exceptions, z, values, distance, q);
    case Predictor::above: return restore_as<Predictor::above>(exceptions, z, values, distance, q);
    case Predictor::above_line: return restore_as<Predictor::above_line>(exceptions, z, values, distance, q);
  }
}

// The fields of a unit in the frame.
struct UnitHead {
  unsigned kind = zero_kind;
  bool masked = false;
  bool new_cut = false;
  int exponent = 0;  // of one with points
};

// A segment while it is read.
class SegmentReader {
 public:
  SegmentReader(const Kernels& k, const SegmentParts& parts, const std::byte* end, std::size_t n,
                std::size_t number_bytes, Segment& segment)
      : k_(k),
        parts_(parts),
        n_(n),
        number_bytes_(number_bytes),
        segment_(segment),
        coded_(parts.coded(end)),
        verbatim_(parts.verbatim) {}

  Status read() {
    if (parts_.has_states() && !coded_.valid()) return malformed("a state of the coder that is too low");
    for (std::size_t u = 0; u * segment_.values < n_; ++u)
      if (Status s = read_unit(u); !s) return s;
    for (std::size_t b = 0; b < blocks_of(n_); ++b)
      if (Status s = read_block(b); !s) return s;
    if (verbatim_ != parts_.verbatim_end) return malformed("bytes behind the last block of a segment");
    if (parts_.has_states() && (!any_ || !coded_.finished()))
      return malformed("a coder that does not end as it should");
    return {};
  }

 private:
  bool scaled() const { return segment_.frames() == Frames::scaled; }
  std::size_t count_of(std::size_t u) const { return std::min(segment_.values, n_ - u * segment_.values); }
  std::size_t left() const { return static_cast<std::size_t>(parts_.verbatim_end - verbatim_); }
  unsigned byte_of(std::size_t b) const { return static_cast<unsigned>(parts_.fixed[b]); }

  // The heads of units.  Format 1.0 had exponents instead of words.
  Status head_of(std::size_t u, UnitHead& head) const {
    if (!scaled()) {
      const unsigned entry = byte_of(u);
      head = {kind_of(entry), is_masked(entry), (entry & cut_bit) != 0, 0};
      if (head.kind >= zero_kind && table_of(entry) != 0) return malformed("a block with a table that it does not use");
      return {};
    }
    const std::byte* const at = parts_.fixed + blocks_of(n_) + u * sizeof(PartWord);
    if (!parts_.has_words) return head_in_1_0(at, head);
    PartWord word;
    std::memcpy(&word, at, sizeof word);
    head = {kind_of(word), (word & part_masked_bit) != 0, (word & part_cut_bit) != 0,
            static_cast<int>(word >> exponent_shift) - raised};
    const bool has_exponent = head.kind < zero_kind;
    if ((head.exponent >= least_exponent) != has_exponent || head.exponent > greatest_exponent)
      return malformed("a part with an exponent that its kind does not have");
    return {};
  }
  Status head_in_1_0(const std::byte* at, UnitHead& head) const {
    Exponent x;
    std::memcpy(&x, at, sizeof x);
    if (x < least_exponent || x > fill_part) return malformed("an exponent of a part beyond those of float64");
    head = {x == zero_part ? zero_kind : x == raw_part ? raw_kind : x == fill_part ? fill_kind : 0, false, false, x};
    return {};
  }

  // Reads what is before the residuals of a unit: its cut, and its numbers that have no points.
  Status read_unit(std::size_t u) {
    UnitHead head;
    if (Status s = head_of(u, head); !s) return s;
    const std::size_t n = count_of(u);
    if (head.kind >= predictors_without_lag && head.kind < zero_kind && parts_.lag == 0)
      return malformed("a prediction from above without a lag");
    const bool points = has_points(head.kind) && !(scaled() && head.kind == zero_kind);
    if (points) {
      Cut cut = segment_.cut.with_exponent(head.exponent);
      if (head.new_cut)
        if (Status s = read_cut(head.exponent, cut); !s) return s;
      segment_.set_points(u, head.masked, cut, head.new_cut);
    } else if (head.new_cut) {
      return malformed("a cut of a unit without points");
    }
    kinds_[u] = static_cast<std::uint8_t>(head.kind);
    const unsigned form = head.kind | (head.masked ? masked_bit : 0);
    if (!points) segment_.set_numbers(u, form);
    if (!head.masked) return has_points(head.kind) ? Status{} : find_numbers(u, head.kind == fill_kind ? 1 : n);
    quant::Exceptions& exceptions = segment_.exceptions[u];
    if (head.kind == fill_kind ||
        !quant::read_exceptions(verbatim_, parts_.verbatim_end, n, number_bytes_, exceptions) ||
        (exceptions.count == n) == has_points(head.kind))
      return malformed("exceptions that do not fit their block or its segment");
    return {};
  }

  Status read_cut(int exponent, Cut& cut) {
    if (left() < unit_cut_bytes) return malformed("a segment that ends in a cut");
    cut.exponent = exponent;
    cut.wide = true;
    cut.rest = static_cast<unsigned>(*verbatim_);
    std::memcpy(&cut.base, verbatim_ + 1, sizeof cut.base);
    verbatim_ += unit_cut_bytes;
    return cut.rest <= most_rest ? Status{} : malformed("a cut that leaves no points");
  }

  // Finds the numbers of a unit without points: `count` of them.
  Status find_numbers(std::size_t u, std::size_t count) {
    segment_.numbers[u] = verbatim_;
    const std::size_t bytes = count * number_bytes_;
    if (bytes > left()) return malformed("a segment that ends in a block");
    verbatim_ += bytes;
    return {};
  }

  Status read_block(std::size_t b) {
    const std::size_t units = scaled() ? parts_of(std::min(block_values, n_ - b * block_values)) : 1;
    const std::size_t first = b * (block_values / segment_.values);
    const unsigned entry = byte_of(b);
    const bool old = scaled() && !parts_.has_words;
    bool coded = kind_of(entry) < zero_kind;
    if (scaled() && !old) {
      const bool any = std::any_of(kinds_ + first, kinds_ + first + units, [](auto kind) { return kind < zero_kind; });
      if (entry != (any ? table_of(entry) << 3 : zero_kind)) return malformed("a block of an unknown form");
      coded = any;
    } else if (scaled() && (entry > 63 || !has_points(entry))) {
      return malformed("a block without exponents in a scaled frame");
    }
    Residuals residuals;
    if (coded) {
      if (!parts_.has_states()) return malformed("a coded block in a segment without a coder");
      any_ = true;
      verbatim_ = k_.decode(coded_.next_block(), table_of(entry), verbatim_, parts_.verbatim_end, residuals);
      if (verbatim_ == nullptr || coded_.passed_end()) return malformed("a block whose widths do not fit its segment");
    }
    if (old) return restore_in_1_0(b, kind_of(entry), residuals);
    for (std::size_t u = first; u < first + units; ++u)
      if (Status s = restore(u, residuals.z + (u - first) * segment_.values); !s) return s;
    return {};
  }

  // Sets the points of a unit, and finds their low bytes.
  Status restore(std::size_t u, const std::uint32_t* z) {
    const std::size_t values = segment_.values;
    const unsigned kind = kinds_[u];
    const unsigned form = segment_.forms[u];
    if (kind >= zero_kind) {
      segment_.rests[u] = nullptr;
      if (has_points(kind))
        std::fill_n(segment_.unit(u), values, 0);
      else
        segment_.fill(u);
      return {};
    }
    const quant::Mask* mask = is_masked(form) ? &segment_.exceptions[u].mask : nullptr;
    const auto predictor = static_cast<Predictor>(kind);
    if (segment_.is_like(u, std::max<std::size_t>(parts_.lag + 1, 2))) {
      restore_at(z, mask, predictor, parts_.lag, segment_.unit(u));
    } else {
      View view(segment_, u, parts_.lag);
      restore_at(z, mask, predictor, view.lag(), view.points());
      std::memcpy(segment_.unit(u), view.points(), values * sizeof(std::int32_t));
    }
    segment_.rests[u] = verbatim_;
    const std::size_t numbers = count_of(u) - (mask != nullptr ? segment_.exceptions[u].count : 0);
    if (numbers * segment_.cuts[u].rest > left()) return malformed("a segment that ends in a block");
    verbatim_ += numbers * segment_.cuts[u].rest;
    return {};
  }
  void restore_at(const std::uint32_t* z, const quant::Mask* mask, Predictor predictor, std::size_t lag,
                  std::int32_t* q) const {
    if (mask != nullptr)
      restore_beside(*mask, z, segment_.values, predictor, lag, q);
    else
      k_.restore(z, segment_.values, predictor, lag, q);
  }

  // Format 1.0 had residuals for parts without an exponent, too, and predicted points as if all exponents were equal.
  Status restore_in_1_0(std::size_t b, unsigned kind, const Residuals& residuals) {
    if (kind >= predictors_without_lag && kind != zero_kind) return malformed("a prediction from above without a lag");
    std::int32_t* const q = segment_.block(b);
    if (kind == zero_kind)
      std::fill_n(q, block_values, 0);
    else
      k_.restore(residuals.z, block_values, static_cast<Predictor>(kind), 0, q);
    const std::size_t first = b * block_parts;
    for (std::size_t u = first; u < first + parts_of(std::min(block_values, n_ - b * block_values)); ++u) {
      segment_.rests[u] = verbatim_;
      if (kinds_[u] != 0 && !all_zero(segment_.unit(u), count_of(u)))
        return malformed("points in a part that has no exponent");
    }
    return {};
  }

  const Kernels& k_;
  const SegmentParts& parts_;
  std::size_t n_;
  std::size_t number_bytes_;
  Segment& segment_;
  CodedPart coded_;
  const std::byte* verbatim_;
  bool any_ = false;
  std::uint8_t kinds_[most_units];
};

}  // namespace

Status find_parts(const std::byte*& at, const std::byte* end, std::size_t fixed, SegmentParts& parts) {
  const auto left = [&] { return static_cast<std::size_t>(end - at); };
  if (left() < head_bytes + fixed) return malformed("the payload ends in the head of a segment");
  std::uint32_t verbatim_bytes;
  std::uint32_t coded_bytes;
  std::uint16_t distance;
  std::memcpy(&verbatim_bytes, at, 4);
  std::memcpy(&coded_bytes, at + 4, 4);
  std::memcpy(&distance, at + 8, 2);
  parts.has_words = (distance & parts_bit) != 0;
  parts.exact = (distance & exact_bit) != 0;
  parts.lag = distance & (exact_bit - 1);
  if (parts.lag != 0 && (parts.lag < least_lag || parts.lag > most_lag)) return malformed("a lag out of range");
  parts.fixed = at + head_bytes;
  parts.verbatim = at = parts.fixed + fixed;
  if (verbatim_bytes > left() || coded_bytes > left() - verbatim_bytes)
    return malformed("the payload ends in a segment");
  parts.verbatim_end = at + verbatim_bytes;
  at = parts.coded_end = parts.verbatim_end + coded_bytes;
  if (coded_bytes != 0 && coded_bytes < states_bytes)
    return malformed("a segment that ends in the states of its coder");
  return {};
}

template <class T>
Status Reader::next(const Kernels& k, std::size_t n, Segment& segment, Work& work, T* numbers) {
  const bool scaled = frames_ == Frames::scaled;
  SegmentParts parts;
  const std::byte* at = at_;
  if (Status s = find_parts(at, end_, 0, parts); !s) return s;
  if (parts.exact) {
    if (Status s = exact::read_segment(k, at_, end_, n, segment, work, numbers); !s) return s;
    segment.begin(frames_);
    for (std::size_t u = 0; u * segment.values < n; ++u) {
      segment.set_numbers(u, raw_kind);
      segment.numbers[u] = reinterpret_cast<const std::byte*>(numbers + u * segment.values);
    }
    return {};
  }
  if (Status s = find_parts(at_, end_, blocks_of(n) + (scaled ? parts_of(n) * sizeof(PartWord) : 0), parts); !s)
    return s;
  if (scaled ? !parts.has_words && parts.lag != 0 : parts.has_words) return malformed("a lag out of range");
  segment.begin(frames_);
  return SegmentReader(k, parts, end_, n, sizeof(T), segment).read();
}

Status Reader::finish() const { return at_ == end_ ? Status{} : malformed("bytes behind the last segment"); }

template Status Reader::next(const Kernels&, std::size_t, Segment&, Work&, float*);
template Status Reader::next(const Kernels&, std::size_t, Segment&, Work&, double*);
template Status Reader::next(const Kernels&, std::size_t, Segment&, Work&, Float16*);
template Status Reader::next(const Kernels&, std::size_t, Segment&, Work&, Bfloat16*);

}  // namespace laconic::dense
