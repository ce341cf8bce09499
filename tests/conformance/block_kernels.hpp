// SPDX-License-Identifier: BSD-3-Clause
// The tests of functions for blocks share these kernels under test and this memory for bodies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "codec/quant/scaled_rules.hpp"
#include "support/blocks.hpp"
#include "support/guarded.hpp"
#include "support/page_end.hpp"
#include "support/seed.hpp"

namespace laconic::test {

using quant::block_values;
using quant::Entry;
using quant::Kernels;
using quant::Lattice;
using quant::Packed;

inline constexpr int rounds = slow_build ? 300 : 3000;
inline constexpr double allowance = 0x1p-7;

inline const Lattice& lattice() {
  static const Lattice made = Lattice::make(allowance, 4, Dtype::f32);
  return made;
}

inline std::vector<float> numbers_of(const PointList& q) {
  std::vector<float> x;
  for (const std::int32_t v : q) x.push_back(quant::dequantise<float>(v, lattice().step, 1));
  return x;
}

// An output buffer for a body; checks that it holds the expected body and that nothing was written behind its slack.
class Room {
 public:
  std::byte* out() { return memory_.data(); }
  void expect(Entry entry, const Body& body) const {
    ASSERT_EQ(entry, body.entry) << "kind " << (entry & 7) << ", not " << (body.entry & 7);
    const auto end = memory_.begin() + static_cast<std::ptrdiff_t>(body.bytes.size());
    ASSERT_TRUE(std::equal(memory_.begin(), end, body.bytes.begin())) << "other bytes than the reference";
    const auto clean = [](std::byte b) { return b == pattern; };
    ASSERT_TRUE(std::all_of(end + quant::store_slack, memory_.end(), clean)) << "written beyond the slack";
  }

 private:
  static constexpr std::byte pattern{0x77};
  Bytes memory_ = Bytes(quant::largest_packed_block + 2 * quant::store_slack, pattern);
};

// A body placed at the end of readable memory, or with other bytes behind it.
class Placed {
 public:
  Packed put(const Body& body, bool at_end) {
    Bytes bytes = body.bytes;
    if (!at_end) bytes.resize(bytes.size() + 100, std::byte{0xff});
    const std::byte* begin = memory_.put(bytes);
    return {body.entry, begin, begin + bytes.size()};
  }

 private:
  PageEnd memory_{2 * quant::largest_packed_block};
};

class BlockKernels : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Kernels& table() const { return *quant::available_kernels()[GetParam()]; }
  const Codec& codec() const { return *quant_variants()[GetParam()]; }
  const Codec& reference_codec() const { return *quant_variants()[0]; }

  // Counts how often the function of the table did the work itself; one that always falls back would go unnoticed.
  void count(bool done, Entry entry) { done_[quant::order_of(quant::kind_of(entry))] += done; }
  void expect_some(bool there) const {
    for (int order = 0; order < 3; ++order)
      if (there) {
        EXPECT_GT(done_[order], rounds / 100) << "blocks of order " << order;
      }
  }

  quant::Staged staged_;

 private:
  int done_[4] = {};
};

}  // namespace laconic::test
