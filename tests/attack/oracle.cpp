// SPDX-License-Identifier: BSD-3-Clause
#include "oracle.hpp"

#include <algorithm>
#include <cmath>

#include "exact.hpp"
#include "support/range_of.hpp"

namespace attack {
namespace {

using laconic::test::Extremes;
using laconic::test::RangeOfRank;

// The least step of the lattice as a share of the allowance (docs/error-model.md, "One number"); where the greatest
// number is known, the step may be half of that.
constexpr double least_step = 2 * 0.98;
// The largest number, in steps, for which the bound covers the last rounding of a float32.
constexpr double covered_steps = 99000;
// A number without a point takes the others of its block off the lattice, except where quant combines numbers.
constexpr std::size_t block_length = 1024;

template <class T>
Extremes extremes_of(const std::vector<Bytes>& inputs) {
  Extremes e;
  for (const Bytes& bytes : inputs) {
    RangeOfRank own;
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) own.take(static_cast<double>(load<T>(bytes.data(), i)));
    e.take(own.range());
  }
  return e;
}

bool adds(const Call& call) {
  return call.reduces() && (call.reduction == Reduction::sum || call.reduction == Reduction::mean);
}

// A lower limit of the error that the library allows one encode, for a codec whose frames are added.  The library may
// keep half of the bound for rounding the result once more.
double allowance_of(const Facts& f) {
  const double bound = resolved_bound(f);
  if (!adds(f.call) || f.call.options.target == LACONIC_TARGET_INPUT) return bound;
  return (f.call.reduction == Reduction::sum ? bound / f.size : bound) / 2;
}

// Whether numbers surely have lattice points, for each place in the contributions of one rank or, for reductions, of
// all ranks.
template <class T>
class Lattice {
 public:
  explicit Lattice(const Facts& f) : sum_(adds(f.call)) {
    const double allowance = allowance_of(f);
    const bool lattice = f.call.lattice();
    if (f.call.codec() == LACONIC_CODEC_QUANT && f.call.reduces() && !of_blocks(f.call.options.bound)) beside_ = 0;
    const bool greatest_known = of_range(f.call.options.bound) && !sum_;
    step_ = allowance * least_step / (greatest_known ? 2 : 1);
    const double least = sizeof(T) == 4 ? 1e-36 : 1e-290;
    const double most = sizeof(T) == 4 ? 1e36 : 1e290;
    sure_ = lattice && std::isfinite(allowance) && allowance > least && allowance < most;
    if (!sure_) return;
    // Limits the numbers so that the sum over all ranks fits 31 bits, and the type.
    const double points = std::min(step_ * (0x1p31 - 4), static_cast<double>(std::numeric_limits<T>::max()));
    const double reach = points / (sum_ ? f.size : 1) * (1 - 0x1p-20) - 3 * step_;
    const bool exact = f.call.options.denormals == LACONIC_DENORMALS_EXACT && !f.call.reduces();
    const std::size_t sources = f.call.reduces() ? 1 : f.inputs.size();
    for (std::size_t s = 0; s < sources; ++s) {
      const std::size_t n = f.inputs[s].size() / sizeof(T);
      std::vector<std::uint32_t> bad(n + 1, 0);
      for (std::size_t i = 0; i < n; ++i) {
        bool off = false;
        for (std::size_t r = f.call.reduces() ? 0 : s; r < (f.call.reduces() ? f.inputs.size() : s + 1); ++r) {
          const T x = load<T>(f.inputs[r].data(), i);
          off = off || !(std::fabs(static_cast<double>(x)) <= reach) || (exact && std::fpclassify(x) == FP_SUBNORMAL);
        }
        bad[i + 1] = bad[i] + off;
      }
      bad_.push_back(std::move(bad));
    }
  }

  bool holds(int source, std::size_t i) const {
    if (!sure_) return false;
    const auto& bad = bad_[source < 0 ? 0 : static_cast<std::size_t>(source)];
    const std::size_t begin = i < beside_ ? 0 : i - beside_;
    const std::size_t end = std::min(bad.size() - 1, i + 1 + beside_);
    return bad[end] == bad[begin];
  }

  double step() const { return step_; }

 private:
  bool sum_;
  bool sure_ = false;
  std::size_t beside_ = block_length;
  double step_ = 0;
  std::vector<std::vector<std::uint32_t>> bad_;
};

// The operands of one element, and their result.
template <class T>
struct Element {
  std::array<T, 64> operands{};
  int count = 0;
  bool nan = false;
  bool plus = false;
  bool minus = false;
  long double magnitude = 0;  // the sum of the magnitudes of the finite operands
  T chosen = 0;               // the greatest or least operand

  void take(T x, bool greatest) {
    if (count == 0 || (greatest ? x > chosen : x < chosen)) chosen = x;
    operands[static_cast<std::size_t>(count++)] = x;
    nan = nan || std::isnan(x);
    if (std::isinf(x)) (x > 0 ? plus : minus) = true;
    if (std::isfinite(x)) magnitude += std::fabs(static_cast<long double>(x));
  }
};

template <class T>
class FloatOracle {
 public:
  FloatOracle(Journal& journal, const Facts& f, const laconic_stats& stats)
      : journal_(journal),
        f_(f),
        stats_(stats),
        lattice_(f),
        plain_(stats.plain_calls > 0),
        mean_(is(Reduction::mean)),
        allowance_(allowance_of(f)) {
    bound_ = plain_ ? 0 : std::min(stats.bound, stats.achieved_bound);
  }

  // True when it is right.
  bool check(const Place& p, std::size_t i, T r) {
    const std::size_t at = p.from + i;
    if (p.source >= 0) return moved(p, i, load<T>(f_.inputs[static_cast<std::size_t>(p.source)].data(), at), r);
    Element<T> e;
    for (std::size_t rank = 0; rank < f_.layout.reduced(); ++rank)
      e.take(load<T>(f_.inputs[rank].data(), at), is(Reduction::max));
    if (is(Reduction::product)) return true;
    return adds(f_.call) ? added(p, i, e, r) : chosen(p, i, e, r);
  }

 private:
  bool is(Reduction reduction) const { return f_.call.reduces() && f_.call.reduction == reduction; }

  bool wrong(const Place& p, std::size_t i, T r, const std::string& what) {
    journal_.fail(__FILE__, __LINE__,
                  ranks::text("element %zu (number %zu of %d) is %a (%.9g), ", p.at + i, p.from + i, p.source,
                              static_cast<double>(r), static_cast<double>(r)) +
                      what);
    return false;
  }

  bool moved(const Place& p, std::size_t i, T x, T r) {
    const bool same = std::memcmp(&x, &r, sizeof(T)) == 0;
    if (same) return true;
    const bool exact = f_.call.options.denormals == LACONIC_DENORMALS_EXACT;
    const bool kept = exact && (!std::isfinite(x) || std::fpclassify(x) == FP_SUBNORMAL);
    if (plain_ || f_.call.keeps_bits() || kept)
      return wrong(p, i, r, ranks::text("not to the bit %a", static_cast<double>(x)));
    if (std::isnan(x) || std::isinf(x)) {
      if (std::isnan(x) && std::isnan(r) && !f_.call.lattice()) return true;
      return wrong(p, i, r, ranks::text("not %a with the same bits", static_cast<double>(x)));
    }
    return within(p, i, r, x, slack_of_one(x, r));
  }

  bool chosen(const Place& p, std::size_t i, const Element<T>& e, T r) {
    if (e.nan) return (plain_ || std::isnan(r)) ? true : wrong(p, i, r, "not NaN");
    if (std::isinf(e.chosen)) return r == e.chosen ? true : wrong(p, i, r, "not infinite");
    return within(p, i, r, e.chosen, slack_of_one(e.chosen, r));
  }

  // The error beyond the bound that is allowed for a number not added to others.
  long double slack_of_one(T x, T r) const {
    if (plain_ || f_.call.keeps_bits() || sizeof(T) == 8 || !f_.call.lattice()) return 0;
    const bool per_hop = f_.call.per_hop();
    const int hops = per_hop ? 2 * f_.size : 1;
    const double allowance = allowance_ / hops;
    const double steps = (std::fabs(static_cast<double>(x)) + bound_) / (allowance * least_step);
    if (of_range(f_.call.options.bound) && !per_hop) return 0;
    if (steps <= covered_steps && allowance > 0x1p-126) return 0;
    return hops * half_unit(r);
  }

  bool within(const Place& p, std::size_t i, T r, T x, long double slack) {
    if (!std::isfinite(r)) return wrong(p, i, r, ranks::text("exactly %a", static_cast<double>(x)));
    ExactSum difference;
    difference.add(static_cast<Wide>(r));
    difference.add(-static_cast<Wide>(x));
    return near(p, i, r, difference, 1, slack);
  }

  bool added(const Place& p, std::size_t i, const Element<T>& e, T r) {
    if (e.nan || (e.plus && e.minus)) return std::isnan(r) ? true : wrong(p, i, r, "not NaN");
    const bool lattice = !plain_ && !f_.call.per_hop() && lattice_.holds(p.source, p.from + i);
    constexpr long double most = std::numeric_limits<T>::max();
    // Plain sums may overflow on the way although the whole sum is finite; so may those of raw blocks.
    const long double n = f_.size;
    const bool overflows =
        !lattice && e.magnitude + bound_ * n >= most * (1 - 4 * n * std::numeric_limits<T>::epsilon());
    if (e.plus || e.minus)
      return (std::isinf(r) && (r > 0) == e.plus) || (overflows && !std::isfinite(r)) ? true
                                                                                      : wrong(p, i, r, "not infinite");
    if (overflows) return true;
    const int divisor = mean_ ? f_.size : 1;
    long double slack = sizeof(T) == 8 && lattice && !mean_ ? 0 : half_unit(r);
    if (!lattice) {
      constexpr long double unit = std::numeric_limits<T>::epsilon() / 2;
      const long double sums = f_.call.per_hop() ? 4 * n : 2 * n;
      slack += sums * unit * (e.magnitude / divisor + bound_) + n * half_unit(T(0));
    }
    long double sum = 0;
    for (int k = 0; k < e.count; ++k) sum += static_cast<long double>(e.operands[static_cast<std::size_t>(k)]);
    if (std::isinf(r) && std::fabs(sum) / divisor + bound_ >= most * (1 - 1e-9L)) return true;
    if (!std::isfinite(r)) return wrong(p, i, r, ranks::text("exactly %.17Lg", sum / divisor));
    // Where long double arithmetic decides clearly, the exact comparison is not needed.
    const long double off = std::fabs(static_cast<long double>(r) * divisor - sum);
    if (off + (n + 2) * 0x1p-63L * (e.magnitude + std::fabs(static_cast<long double>(r)) * divisor) <
        (bound_ + slack) * divisor * (1 - 0x1p-60L))
      return true;
    ExactSum difference;
    difference.add(static_cast<Wide>(r) * divisor);
    for (int k = 0; k < e.count; ++k) difference.add(-static_cast<Wide>(e.operands[static_cast<std::size_t>(k)]));
    return near(p, i, r, difference, divisor, slack);
  }

  // |difference| <= divisor (bound + slack), exactly.
  bool near(const Place& p, std::size_t i, T r, const ExactSum& difference, int divisor, long double slack) {
    const auto tolerance = [&](const ExactSum& d) {
      ExactSum left = d.plus(-static_cast<Wide>(bound_) * divisor);
      left.add(-static_cast<Wide>(slack) * divisor);
      return left.sign();
    };
    if (std::isinf(bound_) || (tolerance(difference) <= 0 && tolerance(difference.negative()) <= 0)) return true;
    return wrong(p, i, r,
                 ranks::text("off by %.17Lg, more than %.17g (bound %.17g) and %.9Lg of rounding",
                             difference.rounded() / divisor, bound_, stats_.bound, slack));
  }

  Journal& journal_;
  const Facts& f_;
  const laconic_stats& stats_;
  Lattice<T> lattice_;
  bool plain_;
  bool mean_;
  double allowance_;
  double bound_ = 0;
};

template <class T>
bool check_integer(Journal& journal, const Facts& f, bool plain, const Place& p, std::size_t i, T r) {
  // MPI libraries have their own results for integers: Open MPI 4.1 with AVX saturates sums of 16 bits, and takes the
  // greater of two MPI_OFFSET without their signs.
  if (plain && p.source < 0) return true;
  T expected{};
  if (p.source >= 0) {
    expected = load<T>(f.inputs[static_cast<std::size_t>(p.source)].data(), p.from + i);
  } else {
    bool first = true;
    for (std::size_t rank = 0; rank < f.layout.reduced(); ++rank) {
      const T x = load<T>(f.inputs[rank].data(), p.from + i);
      switch (f.call.reduction) {
        case Reduction::sum:
          expected = static_cast<T>(static_cast<std::uint64_t>(expected) + static_cast<std::uint64_t>(x));
          break;
        case Reduction::max: expected = first ? x : std::max(expected, x); break;
        case Reduction::min: expected = first ? x : std::min(expected, x); break;
        default: return true;
      }
      first = false;
    }
  }
  if (expected == r) return true;
  journal.fail(__FILE__, __LINE__,
               ranks::text("element %zu is %lld, not %lld", p.at + i, static_cast<long long>(r),
                           static_cast<long long>(expected)));
  return false;
}

}  // namespace

double resolved_bound(const Facts& f) {
  const laconic_bound& b = f.call.options.bound;
  if (b.mode == LACONIC_BOUND_ABS) return b.value;
  if (of_blocks(b) || b.mode == LACONIC_BOUND_RATE) return std::numeric_limits<double>::infinity();
  if (!of_range(b)) return 0;
  const Extremes e = with_number(f.call.type->number, [&](auto zero) { return extremes_of<decltype(zero)>(f.inputs); });
  const double bound = b.value * (e.greatest - e.least);
  return std::isfinite(bound) ? bound : 0;
}

std::size_t check_results(Journal& journal, const Facts& f, const laconic_stats& stats, const unsigned char* recv,
                          bool share) {
  return with_number(f.call.type->number, [&](auto zero) {
    using T = decltype(zero);
    std::size_t looked_at = 0;
    int faults = 0;
    const auto all = [&](auto&& right) {
      for (const Place& p : f.layout.results) {
        const auto rank = static_cast<std::size_t>(f.rank);
        const auto size = static_cast<std::size_t>(f.size);
        const std::size_t begin = share ? p.count * rank / size : 0;
        const std::size_t end = share ? p.count * (rank + 1) / size : p.count;
        for (std::size_t i = begin; i < end && faults < 2; ++i, ++looked_at)
          faults += !right(p, i, load<T>(recv, p.at + i));
      }
    };
    if constexpr (std::is_floating_point_v<T>) {
      FloatOracle<T> oracle(journal, f, stats);
      all([&](const Place& p, std::size_t i, T r) { return oracle.check(p, i, r); });
    } else {
      all([&](const Place& p, std::size_t i, T r) {
        return check_integer(journal, f, stats.plain_calls > 0, p, i, r);
      });
    }
    return looked_at;
  });
}

void check_stats(Journal& journal, const Facts& f, const laconic_stats& s) {
  const Call& c = f.call;
  CHECK(journal, s.calls == 1, "%d calls", static_cast<int>(s.calls));
  CHECK(journal, s.bytes_in == f.layout.contributes(f.rank) * width_of(c.type->number), "bytes_in %llu",
        static_cast<unsigned long long>(s.bytes_in));
  if (s.plain_calls > 0) {
    CHECK(journal, s.bytes_sent == 0 && s.ratio == 1 && s.algorithm == LACONIC_ALGORITHM_PLAIN);
    return;
  }
  CHECK(journal, s.codec == c.codec(), "codec %d", static_cast<int>(s.codec));
  CHECK(journal, c.options.depth == 0 || s.most_chunks <= static_cast<std::uint64_t>(c.options.depth), "%llu chunks",
        static_cast<unsigned long long>(s.most_chunks));
  CHECK(journal, s.achieved_bound >= 0 && s.achieved_bound <= s.bound, "achieved %.17g, bound %.17g", s.achieved_bound,
        s.bound);
  if (c.keeps_bits()) CHECK(journal, s.achieved_bound == 0, "achieved %.17g", s.achieved_bound);
  const double asked = resolved_bound(f);
  if (c.options.target != LACONIC_TARGET_INPUT || std::isinf(asked)) {
    CHECK(journal, s.bound == asked, "bound %.17g, asked for %.17g", s.bound, asked);
    return;
  }
  // The bound applies to every contribution, so errors add up.  For codecs that encode again, the number of encodes
  // depends on the algorithm.
  const bool once = !c.per_hop() && (c.lattice() || c.keeps_bits() || !c.reduces());
  const bool sum = c.reduces() && c.reduction == Reduction::sum;
  const double expected = asked * (sum ? f.size : 1);
  if (once)
    CHECK(journal, std::fabs(s.bound - expected) <= 1e-12 * expected, "bound %.17g, expected %.17g", s.bound, expected);
  else
    CHECK(journal, s.bound <= asked * 2 * f.size, "bound %.17g, %.17g for one encode", s.bound, asked);
}

std::vector<bool> pinned_results(const Facts& f) {
  std::vector<bool> pinned;
  with_number(f.call.type->number, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      const Lattice<T> lattice(f);
      for (const Place& p : f.layout.results)
        for (std::size_t i = 0; i < p.count; ++i) pinned.push_back(lattice.holds(p.source, p.from + i));
    }
  });
  return pinned;
}

}  // namespace attack
