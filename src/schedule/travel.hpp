// SPDX-License-Identifier: BSD-3-Clause
// The value of a travelling block, as the audit models it: the operations applied to the numbers, not the numbers
// themselves.  The three travel modes follow the rules by which the engine turns steps into encodes and decodes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "schedule/schedule.hpp"

namespace laconic {

// A value under one travel mode.
struct Value {
  Terms errors;
  // A hash that is the same for a+b and b+a (kernels are commutative) but not for (a+b)+c and a+(b+c) (rounding is not
  // associative), nor before and after an encode.
  std::uint64_t expression = 0;
  bool frame = false;  // there is a frame, and the value is the one decoded from it
};

// The effect on `mine` of a send (the return value is the peer's copy), a receive of `came`, or a reduction with
// `came`.  `result`: the value is final.
Value sent(Travel travel, Value& mine, bool result);
void received(Travel travel, Value& mine, const Value& came);
void reduced(Travel travel, Value& mine, const Value& came);

// A value under all travel modes.  The contributing ranks, their multiplicity and the number of hops do not depend on
// the mode.
struct Holding {
  using Sources = std::vector<std::int32_t>;  // sorted

  std::shared_ptr<const Sources> sources;  // null: the rank has nothing
  int hops = 0;
  std::array<Value, 3> under;

  static Holding of(std::int32_t rank);
  Holding send(bool result);
  void receive(const Holding& came);
  void reduce(const Holding& came);
};

}  // namespace laconic
