// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dense/segment.hpp"

#include "codec/dense/prediction.hpp"
#include "codec/quant/problem.hpp"

namespace laconic::dense {
namespace {

using quant::malformed;

// Moves the residuals of the numbers that are not exceptions to the front; those behind them become 0.
void leave_out(const quant::Mask& exceptions, Residuals& residuals) {
  std::size_t left = 0;
  quant::each_run_of(exceptions, block_values, false, [&](unsigned begin, unsigned end) {
    std::memmove(residuals.z + left, residuals.z + begin, (end - begin) * sizeof *residuals.z);
    left += end - begin;
  });
  std::memset(residuals.z + left, 0, (block_values - left) * sizeof *residuals.z);
}

// Undoes predict() and leave_out() for a whole block.
template <Predictor predictor>
void restore_as(const quant::Mask& exceptions, const std::uint32_t* z, std::ptrdiff_t lag, std::int32_t* q) {
  std::ptrdiff_t i = 0;
  const auto repeat = [&](std::ptrdiff_t end) {
    for (; i < end; ++i) q[i] = q[i - 1];
  };
  quant::each_run_of(exceptions, block_values, false, [&](unsigned begin, unsigned end) {
    repeat(begin);
    for (; i < static_cast<std::ptrdiff_t>(end); ++i)
      q[i] = static_cast<std::int32_t>(quant::unzigzag(*z++) + prediction(predictor, q, i, lag));
  });
  repeat(block_values);
}

void restore_beside(const quant::Mask& exceptions, const Residuals& in, Predictor predictor, std::size_t lag,
                    std::int32_t* q) {
  const auto distance = static_cast<std::ptrdiff_t>(lag);
  switch (predictor) {
    case Predictor::none: return restore_as<Predictor::none>(exceptions, in.z, distance, q);
    case Predictor::last: return restore_as<Predictor::last>(exceptions, in.z, distance, q);
    case Predictor::line: return restore_as<Predictor::line>(exceptions, in.z, distance, q);
    case Predictor::above: return restore_as<Predictor::above>(exceptions, in.z, distance, q);
    case Predictor::above_line: return restore_as<Predictor::above_line>(exceptions, in.z, distance, q);
  }
}

}  // namespace

void Segment::put_block(std::size_t b, const std::int32_t* points, const quant::Mask& mask, std::size_t n) {
  put_block(b, points, n);
  forms[b] = masked_bit;
  exceptions[b].mask = mask;
  std::int32_t* const at = block(b);
  quant::each_run_of(mask, static_cast<unsigned>(n), true, [&](unsigned begin, unsigned end) {
    std::int32_t* const first = at + begin;
    std::fill_n(first, end - begin, first[-1]);
  });
}

void Segment::put_part(std::size_t part, const std::int32_t* points, Exponent exponent, std::size_t n) {
  exponents[part] = exponent;
  std::memcpy(q + part * part_values, points, n * sizeof *q);
}

std::byte* finish_segment(const Kernels& k, std::span<const CodedBlock> blocks, std::size_t lag, Work& work,
                          std::byte* out, const std::byte* verbatim, std::byte* verbatim_end) {
  const auto verbatim_bytes = static_cast<std::uint32_t>(verbatim_end - verbatim);
  std::uint32_t coded_bytes = 0;
  if (!blocks.empty()) {
    std::byte* const end = work.coded + sizeof work.coded;
    std::uint16_t states[lanes];
    const std::byte* begin = k.encode(blocks, end, states);
    std::memcpy(verbatim_end, states, states_bytes);
    std::memcpy(verbatim_end + states_bytes, begin, static_cast<std::size_t>(end - begin));
    coded_bytes = static_cast<std::uint32_t>(states_bytes + static_cast<std::size_t>(end - begin));
  }
  const auto distance = static_cast<std::uint16_t>(lag);
  std::memcpy(out, &verbatim_bytes, 4);
  std::memcpy(out + 4, &coded_bytes, 4);
  std::memcpy(out + 8, &distance, 2);
  return verbatim_end + coded_bytes;
}

std::byte* write_segment(const Kernels& k, Frames frames, Segment& segment, std::size_t n, Work& work, std::byte* out,
                         std::byte* end_of_numbers) {
  const bool scaled = frames == Frames::scaled;
  const std::size_t blocks = blocks_of(n);
  if (n < blocks * block_values) std::memset(segment.q + n, 0, (blocks * block_values - n) * sizeof *segment.q);
  // Parts have steps of their own, so that points resemble none of other parts.
  const std::size_t lag = scaled ? 0 : k.find_lag(segment.q, n);
  std::byte* const entries = out + head_bytes;
  if (scaled) std::memcpy(entries + blocks, segment.exponents, parts_of(n) * sizeof(Exponent));
  const std::byte* const verbatim = begin_of_numbers(frames, n, out);
  std::byte* at = end_of_numbers;
  std::size_t coded = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::int32_t* q = segment.block(b);
    unsigned entry = scaled ? 0 : segment.forms[b];
    if (has_points(entry)) {
      if (all_zero(q, block_values)) {
        entry |= zero_kind;
      } else {
        Residuals residuals;
        const Predictor predictor = k.predict(q, std::min(block_values, n - b * block_values), lag, residuals);
        if (is_masked(entry)) leave_out(segment.exceptions[b].mask, residuals);
        CodedBlock& block = work.coded_blocks[coded];
        at = k.split(residuals, work.symbols[coded], block.table, at);
        block.symbols = &work.symbols[coded++];
        entry |= static_cast<unsigned>(predictor) | static_cast<unsigned>(block.table) << 3;
      }
    }
    entries[b] = static_cast<std::byte>(entry);
  }
  return finish_segment(k, {work.coded_blocks, coded}, lag, work, out, verbatim, at);
}

Status find_parts(const std::byte*& at, const std::byte* end, std::size_t fixed, SegmentParts& parts) {
  const auto left = [&] { return static_cast<std::size_t>(end - at); };
  if (left() < head_bytes + fixed) return malformed("the payload ends in the head of a segment");
  std::uint32_t verbatim_bytes;
  std::uint32_t coded_bytes;
  std::uint16_t distance;
  std::memcpy(&verbatim_bytes, at, 4);
  std::memcpy(&coded_bytes, at + 4, 4);
  std::memcpy(&distance, at + 8, 2);
  parts.lag = distance;
  if (distance != 0 && (distance < least_lag || distance > most_lag)) return malformed("a lag out of range");
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

Status Reader::find_numbers(std::size_t unit, std::size_t count, Parts& parts, Segment& segment) const {
  segment.numbers[unit] = parts.verbatim;
  const std::size_t bytes = count * number_bytes_;
  if (bytes > static_cast<std::size_t>(parts.verbatim_end - parts.verbatim))
    return malformed("a segment that ends in a block");
  parts.verbatim += bytes;
  return {};
}

Status Reader::read_parts(std::size_t b, std::size_t n, Parts& parts, Segment& segment) const {
  for (std::size_t p = 0; p < parts_of(n); ++p) {
    const std::size_t unit = b * block_parts + p;
    Exponent& x = segment.exponents[unit];
    std::memcpy(&x, parts.exponents + unit * sizeof x, sizeof x);
    if (x < least_exponent || x > fill_part) return malformed("an exponent of a part beyond those of float64");
    if (x < raw_part) continue;
    const std::size_t here = x == fill_part ? 1 : std::min(part_values, n - p * part_values);
    if (Status s = find_numbers(unit, here, parts, segment); !s) return s;
  }
  return {};
}

Status Reader::read_form(std::size_t b, std::size_t n, bool has_lag, Parts& parts, Segment& segment) const {
  const auto entry = static_cast<unsigned>(parts.entries[b]);
  const unsigned kind = kind_of(entry);
  if (entry > largest_entry) return malformed("a block of an unknown form");
  if (scaled_ && !has_points(entry)) return malformed("a block without exponents in a scaled frame");
  if (scaled_ && is_masked(entry)) return malformed("a block with exceptions in a scaled frame");
  if (kind >= zero_kind && table_of(entry) != 0) return malformed("a block with a table that it does not use");
  if (kind < zero_kind && kind >= predictors_without_lag && !has_lag)
    return malformed("a prediction from above without a lag");
  if (scaled_) return read_parts(b, n, parts, segment);
  segment.forms[b] = static_cast<std::uint8_t>(has_points(entry) ? entry & masked_bit : entry);
  if (!is_masked(entry))
    return has_points(entry) ? Status{} : find_numbers(b, kind == fill_kind ? 1 : n, parts, segment);
  quant::Exceptions& exceptions = segment.exceptions[b];
  if (kind == fill_kind || !quant::read_exceptions(parts.verbatim, parts.verbatim_end, n, number_bytes_, exceptions) ||
      (exceptions.count == n) == has_points(entry))
    return malformed("exceptions that do not fit their block or its segment");
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
  SegmentParts found;
  if (Status s = find_parts(at_, end_, blocks + bytes_of_exponents, found); !s) return s;
  const std::size_t lag = found.lag;
  if (lag != 0 && scaled_) return malformed("a lag out of range");
  const std::byte* const entries = found.fixed;
  Parts parts{entries, entries + blocks, found.verbatim, found.verbatim_end};
  for (std::size_t b = 0; b < blocks; ++b)
    if (Status s = read_form(b, std::min(block_values, n - b * block_values), lag > 0, parts, segment); !s) return s;
  const bool has_states = found.has_states();
  CodedPart coded = found.coded(end_);
  if (has_states && !coded.valid()) return malformed("a state of the coder that is too low");
  bool any = false;
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto entry = static_cast<unsigned>(entries[b]);
    const unsigned kind = kind_of(entry);
    if (!has_points(entry)) {
      segment.repeat_point(b);
      continue;
    }
    if (kind == zero_kind) {
      segment.set_zero(b);
      continue;
    }
    if (!has_states) return malformed("a coded block in a segment without a coder");
    any = true;
    Residuals residuals;
    parts.verbatim = k.decode(coded.next_block(), table_of(entry), parts.verbatim, parts.verbatim_end, residuals);
    if (parts.verbatim == nullptr || coded.passed_end())
      return malformed("a block whose widths do not fit its segment");
    if (is_masked(entry))
      restore_beside(segment.exceptions[b].mask, residuals, static_cast<Predictor>(kind), lag, segment.block(b));
    else
      k.restore(residuals, static_cast<Predictor>(kind), lag, segment.block(b));
    if (scaled_ && !parts_are_zero(segment, b, std::min(block_values, n - b * block_values)))
      return malformed("points in a part that has no exponent");
  }
  if (parts.verbatim != parts.verbatim_end) return malformed("bytes behind the last block of a segment");
  if (has_states && (!any || !coded.finished())) return malformed("a coder that does not end as it should");
  return {};
}

Status Reader::finish() const { return left() == 0 ? Status{} : malformed("bytes behind the last segment"); }

}  // namespace laconic::dense
