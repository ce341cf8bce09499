// SPDX-License-Identifier: BSD-3-Clause
// Combining points; a plain loop that the compiler turns into vectors of the including file's target.

void combine_points(Op op, Points& into, const Points& other, std::size_t n) {
  std::int32_t* __restrict a = into.q;
  const std::int32_t* __restrict b = other.q;
  switch (op) {
    case Op::sum:  // wraps on hostile input; Lattice::largest keeps valid sums inside 31 bits
      for (std::size_t i = 0; i < n; ++i)
        a[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(a[i]) + static_cast<std::uint32_t>(b[i]));
      return;
    case Op::max:
      for (std::size_t i = 0; i < n; ++i) a[i] = a[i] > b[i] ? a[i] : b[i];
      return;
    case Op::min:
      for (std::size_t i = 0; i < n; ++i) a[i] = a[i] < b[i] ? a[i] : b[i];
      return;
  }
}
