// SPDX-License-Identifier: BSD-3-Clause
// Rounding, decoding and combining points of 64 bits: loops without branches, which the compiler turns into vectors of
// the including file's target.

// Most blocks without points have numbers without one from their beginning.
template <class T, class Quantise>
LACONIC_INLINE bool quantise_each(const T* x, std::size_t n, Points& low, Points& high, Quantise&& quantise) {
  constexpr std::size_t some = 64;
  for (std::size_t begin = 0; begin < n; begin += some) {
    std::uint64_t bad = 0;  // with a bool, the loop would not become vectors
    for (std::size_t i = begin; i < std::min(begin + some, n); ++i) {
      std::uint64_t q;
      bad |= quantise(x[i], q) ? 0 : 1;
      low.q[i] = low_of(q);
      high.q[i] = high_of(q);
    }
    if (bad != 0) return false;
  }
  return true;
}

template <class T>
bool quantise_far_all(const T* x, std::size_t n, const Lattice& lattice, Points& low, Points& high) {
  return quantise_each(x, n, low, high, [&](T v, std::uint64_t& q) { return quantise_far(v, lattice, q); });
}

bool quantise_scaled_all(const double* x, std::size_t n, double inverse, double limit, Points& low, Points& high) {
  return quantise_each(x, n, low, high,
                       [&](double v, std::uint64_t& q) { return quantise_scaled(v, inverse, limit, q); });
}

FarBits bits_of_far(const Points& low, const Points& high, std::size_t n) {
  FarBits bits{0, 0};
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t q = far_point(low.q[i], high.q[i]);
    bits.any |= q;
    bits.magnitudes |= q ^ (0 - (q >> 63));
  }
  return bits;
}

void shift_far(Points& low, Points& high, std::size_t n, int by) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t q = far_point(low.q[i], high.q[i]);
    const std::uint64_t shifted = by >= 0 ? q << by : static_cast<std::uint64_t>(static_cast<std::int64_t>(q) >> -by);
    low.q[i] = low_of(shifted);
    high.q[i] = high_of(shifted);
  }
}

template <class T>
void dequantise_far_all(const Points& low, const Points& high, std::size_t n, double step, double divisor, T* x) {
  if (divisor == 1) {
    for (std::size_t i = 0; i < n; ++i) x[i] = dequantise_far<T>(low.q[i], high.q[i], step, 1);
  } else {
    for (std::size_t i = 0; i < n; ++i) x[i] = dequantise_far<T>(low.q[i], high.q[i], step, divisor);
  }
}

template <class Choose>
void combine_far_with(Points& low, Points& high, const Points& other_low, const Points& other_high, std::size_t n,
                      Choose&& choose) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t q = choose(far_point(low.q[i], high.q[i]), far_point(other_low.q[i], other_high.q[i]));
    low.q[i] = low_of(q);
    high.q[i] = high_of(q);
  }
}

void combine_far(Op op, Points& low, Points& high, const Points& other_low, const Points& other_high, std::size_t n) {
  const auto greater = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a) > static_cast<std::int64_t>(b);
  };
  switch (op) {
    case Op::sum:
      return combine_far_with(low, high, other_low, other_high, n,
                              [](std::uint64_t a, std::uint64_t b) { return a + b; });
    case Op::max:
      return combine_far_with(low, high, other_low, other_high, n,
                              [&](std::uint64_t a, std::uint64_t b) { return greater(a, b) ? a : b; });
    case Op::min:
      return combine_far_with(low, high, other_low, other_high, n,
                              [&](std::uint64_t a, std::uint64_t b) { return greater(a, b) ? b : a; });
  }
}

constexpr Kernels::Far far_kernels{quantise_far_all<float>,
                                   quantise_far_all<double>,
                                   dequantise_far_all<float>,
                                   dequantise_far_all<double>,
                                   combine_far,
                                   quantise_scaled_all,
                                   bits_of_far,
                                   shift_far};
