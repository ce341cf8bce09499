// SPDX-License-Identifier: BSD-3-Clause
// Sums of squares, and loops over the points of scaled blocks: plain loops that the compiler turns into vectors of the
// including file's target.  It defines find_range<T> before.

// Calls f(n), with a constant for full blocks: compilers do not vectorise loops of unknown length at every level of
// optimisation.
template <class F>
LACONIC_INLINE auto with_length(std::size_t n, F&& f) {
  return n == scaled::values ? f(scaled::values) : f(n);
}

template <class T>
LACONIC_INLINE double sum_of_squares_of(const T* x, std::size_t n, double factor) {
  constexpr std::size_t lanes = scaled::sum_lanes;
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) {
      const double v = static_cast<double>(x[i + l]) * factor;
      sums[l] += v * v;
    }
  for (std::size_t l = 0; i + l < n; ++l) {
    const double v = static_cast<double>(x[i + l]) * factor;
    sums[l] += v * v;
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  return sums[0];
}
template <class T>
double sum_of_squares(const T* x, std::size_t n, double factor) {
  return with_length(n, [&](std::size_t length) { return sum_of_squares_of(x, length, factor); });
}

PointBits bits_of_points(const Points& points, std::size_t n) {
  const std::int32_t* const q = points.q;
  return with_length(n, [q](std::size_t length) {
    std::uint32_t any = 0;
    std::uint32_t magnitudes = 0;
    for (std::size_t i = 0; i < length; ++i) {
      any |= static_cast<std::uint32_t>(q[i]);
      magnitudes |= static_cast<std::uint32_t>(q[i] ^ (q[i] >> 31));
    }
    return PointBits{any, magnitudes};
  });
}

void shift_points(Points& points, std::size_t n, int by) {
  std::int32_t* const q = points.q;
  with_length(n, [q, by](std::size_t length) {
    if (by >= 0)
      for (std::size_t i = 0; i < length; ++i) q[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(q[i]) << by);
    else
      for (std::size_t i = 0; i < length; ++i) q[i] >>= -by;
  });
}

constexpr Kernels::Scales scale_kernels{find_range<float>,      find_range<double>, sum_of_squares<float>,
                                        sum_of_squares<double>, bits_of_points,     shift_points};
