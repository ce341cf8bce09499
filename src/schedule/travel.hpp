// SPDX-License-Identifier: BSD-3-Clause
// The value of a block on its way, as the audit sees it: not the numbers, but what was done to them.  The three modes
// follow the rules by which the engine turns steps into encodes and decodes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "schedule/schedule.hpp"

namespace laconic {

// A value under one way to travel.
struct Value {
  Terms errors;
  // A hash that is the same for a+b and b+a (kernels are commutative) but not for (a+b)+c and a+(b+c) (rounding is not
  // associative), nor before and after an encode.
  std::uint64_t expression = 0;
  bool frame = false;  // there is a frame, and the value is what it decodes to
};

// What `mine` becomes when it is sent (the peer gets what is returned), or meets `came`.  `result`: it is final.
Value sent(Travel travel, Value& mine, bool result);
void received(Travel travel, Value& mine, const Value& came);
void reduced(Travel travel, Value& mine, const Value& came);

// A value under all of them.  Who contributed, and how often, does not depend on the way, nor does the number of hops.
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
