// SPDX-License-Identifier: BSD-3-Clause
// Checks that two codecs write the same bytes and read the same bits.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {

// Encodes, folds, adds and decodes two arrays.
template <class T>
void expect_same_frames(const Codec& a, const Codec& b, const std::vector<T>& x, const std::vector<T>& y,
                        const Coding& coding) {
  const std::size_t count = x.size();
  const Bytes fx = encode(a, x, coding);
  const Bytes fy = encode(a, y, coding);
  ASSERT_EQ(fx, encode(b, x, coding)) << "encode";
  const Bytes folded = fold(a, fx, y, coding);
  ASSERT_EQ(folded, fold(b, fx, y, coding)) << "fold";
  const Bytes sum = add(a, folded, fy, count, coding);
  ASSERT_EQ(sum, add(b, folded, fy, count, coding)) << "add";
  const auto da = decode<T>(a, sum, count, coding);
  const auto db = decode<T>(b, sum, count, coding);
  ASSERT_EQ(std::memcmp(da.data(), db.data(), count * sizeof(T)), 0) << "decode";
}

template <class T>
void expect_same_frames(const Codec& a, const Codec& b,
                        const std::vector<std::size_t>& counts = {1, 7, 16, 17, 1000, 1024, 1025, 3333},
                        bool scaled = false) {
  const std::vector<double> allowances{0.0, 1e-300, 1e-40, 1e-9, 1e-4, 1e-2, 1.0, 1e6, 1e300};
  const std::vector<double> shares{1e-6, 1e-3, 0.1, 0.5, 2.0};
  std::uint64_t seed = base_seed();
  for (const NamedKind& k : all_kinds)
    for (const std::size_t count : counts)
      for (const double error : scaled ? shares : allowances) {
        if (++seed % one_in != 0) continue;
        SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count) + (scaled ? ", share " : ", allowance ") +
                     std::to_string(error));
        const Op op = seed % 3 == 0 ? Op::max : seed % 3 == 1 ? Op::min : Op::sum;
        Coding coding = coding_for<T>(scaled ? 0 : error, seed % 2 == 0 ? 2 : 65536, op, seed % 5 == 0 ? 3 : 1);
        coding.relative = scaled ? error : 0;
        const auto x = make_field<T>(k.kind, count, seed, 0);
        auto y = make_field<T>(k.kind, count, seed, 1);
        // Makes the exponents of the two frames far apart, or so far that points of both do not fit in 32 bits.
        if (scaled && seed % 4 != 0)
          for (T& v : y) v = static_cast<T>(static_cast<double>(v) * (seed % 4 == 1 ? 0x1p-9 : 0x1p-40));
        ASSERT_NO_FATAL_FAILURE(expect_same_frames(a, b, x, y, coding));
      }
}

}  // namespace laconic::test
