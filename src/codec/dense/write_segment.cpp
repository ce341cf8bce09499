// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dense/segment.hpp"

namespace laconic::dense {
namespace {

// Moves the residuals of the numbers that are not exceptions to the front; those behind them become 0.
void leave_out(const quant::Mask& exceptions, std::size_t values, std::uint32_t* z) {
  std::size_t left = 0;
  quant::each_run_of(exceptions, static_cast<unsigned>(values), false, [&](unsigned begin, unsigned end) {
    std::memmove(z + left, z + begin, (end - begin) * sizeof *z);
    left += end - begin;
  });
  std::memset(z + left, 0, (values - left) * sizeof *z);
}

// The lag of a segment of n points.  Where their cuts differ, they are compared with that of the coarsest.
std::size_t lag_of(const Kernels& k, const Segment& segment, std::size_t n, Work& work) {
  const std::size_t units = (n + segment.values - 1) / segment.values;
  const Cut* coarsest = nullptr;
  bool alike = true;
  for (std::size_t u = 0; u < units; ++u) {
    if (segment.blank[u]) continue;
    const auto step_of = [](const Cut& cut) { return cut.exponent + 8 * static_cast<int>(cut.rest); };
    alike = alike && (coarsest == nullptr || *coarsest == segment.cuts[u]);
    if (coarsest == nullptr || step_of(segment.cuts[u]) > step_of(*coarsest)) coarsest = &segment.cuts[u];
  }
  if (alike) return k.find_lag(segment.q, n);
  segment.convert_points(0, n, *coarsest, work.converted);
  return k.find_lag(work.converted, n);
}

// Writes the blocks of a segment behind the numbers of its units.
class BlockWriter {
 public:
  BlockWriter(const Kernels& k, const Segment& segment, std::size_t n, Work& work, std::size_t lag, std::byte* at)
      : k_(k), segment_(segment), n_(n), work_(work), lag_(lag), at_(at) {}

  std::byte* end() const { return at_; }
  std::span<const CodedBlock> blocks() const { return {work_.coded_blocks, coded_}; }

  // Writes the block of a plain frame and returns its byte.
  unsigned write_block(std::size_t b) {
    unsigned kind = segment_.forms[b];
    if (has_points(kind)) kind |= predict(b, residuals_) ? static_cast<unsigned>(predictor_) : zero_kind;
    if (segment_.new_cut[b]) kind |= cut_bit;
    return kind_of(kind) < zero_kind ? kind | code(b, 1) << 3 : kind;
  }

  // The same for a scaled frame.  Sets the words of its parts, too.
  unsigned write_parts(std::size_t b, std::byte* words) {
    const std::size_t first = b * block_parts;
    const std::size_t parts = parts_of(std::min(block_values, n_ - b * block_values));
    bool any = false;
    for (std::size_t u = first; u < first + parts; ++u) {
      const unsigned form = segment_.forms[u];
      unsigned word = kind_of(form) | (is_masked(form) ? part_masked_bit : 0);
      if (has_points(form) && kind_of(form) != zero_kind) {
        predict_part(u - first, u, any);
        word |= static_cast<unsigned>(predictor_) | (segment_.new_cut[u] ? part_cut_bit : 0) |
                static_cast<unsigned>(segment_.cuts[u].exponent + raised) << exponent_shift;
        any = true;
      }
      const auto stored = static_cast<PartWord>(word);
      std::memcpy(words + u * sizeof stored, &stored, sizeof stored);
    }
    return any ? code(first, parts) << 3 : zero_kind;
  }

 private:
  std::size_t count_of(std::size_t u) const { return std::min(segment_.values, n_ - u * segment_.values); }

  // Finds the predictor of a unit and its residuals, 0 behind them; false where all points are 0 and without low bytes,
  // which only plain frames make use of.
  bool predict(std::size_t u, Residuals& out) {
    const std::size_t values = segment_.values;
    const std::int32_t* const q = segment_.unit(u);
    const unsigned rest = segment_.cuts[u].rest;
    const std::uint32_t* const low = work_.rests + u * values;
    if (segment_.frames() == Frames::plain && all_zero(q, values) &&
        (rest == 0 || std::all_of(low, low + count_of(u), [](auto r) { return r == 0; })))
      return false;
    if (segment_.is_like(u, std::max<std::size_t>(lag_ + 1, 2))) {
      predictor_ = k_.predict(q, count_of(u), lag_, out);
    } else {
      View view(segment_, u, lag_);
      std::memcpy(view.points(), q, values * sizeof *q);
      predictor_ = k_.predict(view.points(), count_of(u), view.lag(), out);
    }
    if (is_masked(segment_.forms[u])) leave_out(segment_.exceptions[u].mask, values, out.z);
    return true;
  }

  // The same for a part of a block.  after: the block has residuals before it.
  void predict_part(std::size_t part, std::size_t u, bool after) {
    if (part == 0) {
      predict(u, residuals_);
      return;
    }
    Residuals found;
    predict(u, found);
    if (!after) std::memset(residuals_.z, 0, part_values * sizeof *found.z);
    std::memcpy(residuals_.z + part_values, found.z, part_values * sizeof *found.z);
  }

  // Codes the residuals of a block, and writes the low bytes of the points of its units; returns the table.
  unsigned code(std::size_t first, std::size_t units) {
    CodedBlock& block = work_.coded_blocks[coded_];
    at_ = k_.split(residuals_, work_.symbols[coded_], block.table, at_);
    block.symbols = &work_.symbols[coded_++];
    for (std::size_t u = first; u < first + units; ++u)
      if (kind_of(segment_.forms[u]) == 0 && segment_.cuts[u].rest > 0) put_rests(u);
    return static_cast<unsigned>(block.table);
  }

  void put_rests(std::size_t u) {
    const std::uint32_t* const low = work_.rests + u * segment_.values;
    const unsigned bytes = segment_.cuts[u].rest;
    const auto put = [&](unsigned begin, unsigned end) {
      for (unsigned i = begin; i < end; ++i, at_ += bytes) std::memcpy(at_, low + i, sizeof *low);
    };
    const auto n = static_cast<unsigned>(count_of(u));
    if (is_masked(segment_.forms[u]))
      quant::each_run_of(segment_.exceptions[u].mask, n, false, put);
    else
      put(0, n);
  }

  const Kernels& k_;
  const Segment& segment_;
  std::size_t n_;
  Work& work_;
  std::size_t lag_;
  std::byte* at_;
  std::size_t coded_ = 0;
  Predictor predictor_ = Predictor::none;
  Residuals residuals_;
};

}  // namespace

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

std::byte* write_segment(const Kernels& k, Segment& segment, std::size_t n, Work& work, std::byte* out,
                         std::byte* end_of_numbers) {
  const bool scaled = segment.frames() == Frames::scaled;
  const std::size_t blocks = blocks_of(n);
  if (n < blocks * block_values) std::memset(segment.q + n, 0, (blocks * block_values - n) * sizeof *segment.q);
  const std::size_t lag = lag_of(k, segment, n, work);
  std::byte* const entries = out + head_bytes;
  BlockWriter writer(k, segment, n, work, lag, end_of_numbers);
  for (std::size_t b = 0; b < blocks; ++b)
    entries[b] = static_cast<std::byte>(scaled ? writer.write_parts(b, entries + blocks) : writer.write_block(b));
  return finish_segment(k, writer.blocks(), lag | (scaled ? parts_bit : 0), work, out,
                        begin_of_numbers(segment.frames(), n, out), writer.end());
}

}  // namespace laconic::dense
