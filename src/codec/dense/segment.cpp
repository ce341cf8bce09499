// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dense/segment.hpp"

namespace laconic::dense {

void Segment::set_points(std::size_t u, bool masked, const Cut& own, bool is_new) {
  forms[u] = masked ? masked_bit : 0;
  if (has_points && own != cut) like = u;
  cuts[u] = cut = own;
  new_cut[u] = is_new;
  like_since[u] = static_cast<std::uint8_t>(like);
  blank[u] = false;
  has_points = true;
}

void Segment::set_numbers(std::size_t u, unsigned form) {
  forms[u] = static_cast<std::uint8_t>(form);
  cuts[u] = cut;
  new_cut[u] = false;
  like_since[u] = static_cast<std::uint8_t>(like);
  blank[u] = kind_of(form) == zero_kind || !has_points;
}

std::byte* Segment::put_points(const quant::Kernels& k, std::size_t u, const quant::AnyPoints& points,
                               const quant::Mask* mask, std::size_t n, int exponent, std::uint32_t* low_bytes,
                               std::byte* at) {
  std::int32_t* const to = unit(u);
  const Cut latest = cut.with_exponent(exponent);
  if (!points.far && !latest.wide) {
    set_points(u, mask != nullptr, latest, false);
    std::memcpy(to, points.points.q, n * sizeof *to);
  } else {
    const std::int32_t* low = points.points.q;
    const std::int32_t* high = points.high.q;
    std::uint64_t wide[block_values] = {};
    for (std::size_t i = 0; i < n; ++i) wide[i] = quant::far_point(low[i], points.far ? high[i] : 0);
    std::uint64_t kept[block_values];
    std::size_t count = n;
    if (mask != nullptr) {
      const quant::Mask others = mask->others(n);
      k.masks.take(wide, sizeof *wide, others, n, kept);
      count = others.count();
    }
    const std::uint64_t* const some = mask != nullptr ? kept : wide;
    auto min = static_cast<std::int64_t>(some[0]);
    std::int64_t max = min;
    for (std::size_t i = 0; i < count; ++i) {
      min = std::min(min, static_cast<std::int64_t>(some[i]));
      max = std::max(max, static_cast<std::int64_t>(some[i]));
    }
    const auto first = static_cast<std::uint64_t>(min);
    const auto last = static_cast<std::uint64_t>(max);
    const bool is_new = !latest.wide || !fits(latest, first, last);
    const Cut own = is_new ? dense::cut_of(first, last, exponent) : latest;
    if (is_new) {
      *at = static_cast<std::byte>(own.rest);
      std::memcpy(at + 1, &own.base, sizeof own.base);
      at += unit_cut_bytes;
    }
    set_points(u, mask != nullptr, own, is_new);
    for (std::size_t i = 0; i < n; ++i) to[i] = own.kept(wide[i]);
    if (own.rest > 0)
      for (std::size_t i = 0; i < n; ++i) low_bytes[u * values + i] = own.low(wide[i]);
  }
  if (mask != nullptr) {
    exceptions[u].mask = *mask;
    quant::each_run_of(*mask, static_cast<unsigned>(n), true, [&](unsigned begin, unsigned end) {
      std::int32_t point = 0;
      if (begin > 0)
        point = to[begin - 1];
      else
        convert_points(static_cast<std::ptrdiff_t>(u * values) - 1, 1, cuts[u], &point);
      std::fill(to + begin, to + end, point);
    });
  }
  return at;
}

void Segment::convert_points(std::ptrdiff_t first, std::size_t n, const Cut& to, std::int32_t* out) const {
  const std::ptrdiff_t end = first + static_cast<std::ptrdiff_t>(n);
  while (first < end) {
    const auto u = static_cast<std::size_t>(first) / values;
    const auto end_of_unit = first < 0 ? std::ptrdiff_t{0} : static_cast<std::ptrdiff_t>((u + 1) * values);
    const auto count = static_cast<std::size_t>(std::min(end, end_of_unit) - first);
    if (first < 0 || blank[u])
      std::fill_n(out, count, 0);
    else
      convert(q + first, count, cuts[u], to, out);
    out += count;
    first += static_cast<std::ptrdiff_t>(count);
  }
}

View::View(const Segment& segment, std::size_t u, std::size_t lag) : lag_(lag) {
  const Cut& cut = segment.cuts[u];
  const auto first = static_cast<std::ptrdiff_t>(u * segment.values);
  const auto distance = static_cast<std::ptrdiff_t>(lag);
  std::size_t at = margin;
  std::fill_n(memory_, at, 0);
  if (lag >= segment.values) {  // points above the unit lie before it
    segment.convert_points(first - distance - 1, segment.values + 1, cut, memory_ + at);
    at += segment.values + 1;
    lag_ = segment.values + 2;
  }
  const std::size_t before = lag >= segment.values ? 2 : std::max<std::size_t>(lag + 1, 2);
  segment.convert_points(first - static_cast<std::ptrdiff_t>(before), before, cut, memory_ + at);
  begin_ = at + before;
}

}  // namespace laconic::dense
