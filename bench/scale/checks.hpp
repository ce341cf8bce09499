// SPDX-License-Identifier: BSD-3-Clause
// Checks of the results of one rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codec/codec.hpp"
#include "data.hpp"

namespace laconic::scale {

constexpr std::size_t checked_numbers = 4096;  // of a rank, in places that differ between ranks

struct Checked {
  double error = 0;  // the greatest of the checked numbers
  bool kept = true;
};

inline std::vector<std::int32_t> wanted_blocks(Collective collective, const Place& at, std::int32_t cut) {
  std::vector<std::int32_t> wanted;
  for (std::int32_t b = 0; b < cut; ++b)
    if (ownership_of(collective, at, b).wants) wanted.push_back(b);
  return wanted;
}

// Compares a sample of a rank's results with exact ones.  bound_of: of a block.
template <class BoundOf>
Checked compare(Collective collective, int rank, const std::vector<std::int32_t>& wanted, const BoundOf& bound_of,
                const Data& data) {
  Checked found;
  for (const std::int32_t b : wanted) {
    const double bound = bound_of(b);
    const std::size_t n = data.count_of(b);
    const std::size_t step = std::max<std::size_t>(n * wanted.size() / checked_numbers, 1);
    for (std::size_t i = static_cast<std::size_t>(rank) % step; i < n; i += step) {
      const double exact = data.exactly(b, i);
      const double error = std::fabs(data.found(b, i) - exact);
      const double rounding = std::fabs(exact) * (reduces(collective) ? 0x1p-23 : 0x1p-24);
      found.error = std::max(found.error, error);
      found.kept = found.kept && error <= bound * (1 + 1e-12) + rounding;
    }
  }
  return found;
}

// Whether one block of the rank has the numbers that the codec makes of the exact ones, for a rate, which bounds no
// error.  Other blocks are taken on other ranks.
inline bool decoded_as_coded(const std::vector<std::int32_t>& wanted, int rank, const Codec& codec,
                             const Coding& coding, std::size_t chunk, const Data& data) {
  if (wanted.empty()) return true;
  const std::int32_t block = wanted[static_cast<std::size_t>(rank) % wanted.size()];
  const std::size_t count = data.count_of(block);
  std::vector<std::byte> frame(codec.capacity(std::min(chunk, count), coding.dtype));
  std::vector<float> expected(std::min(chunk, count));
  for (std::size_t begin = 0; begin < count; begin += chunk) {
    const std::size_t n = std::min(chunk, count - begin);
    const Coded coded = codec.encode(data.moved(block) + begin, n, coding, frame);
    if (!coded.status.ok() || !codec.decode({frame.data(), coded.bytes}, expected.data(), n, coding).ok()) return false;
    if (std::memcmp(expected.data(), data.found(block) + begin, n * sizeof(float)) != 0) return false;
  }
  return true;
}

}  // namespace laconic::scale
