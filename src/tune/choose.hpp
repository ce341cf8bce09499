// Which algorithm, chunk and depth.  Only facts that are the same on every rank may enter: ranks that decide
// differently wait for each other for ever.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/dtype.hpp"
#include "schedule/schedule.hpp"

namespace laconic {

struct Facts {
  std::size_t count = 0;
  Dtype dtype = Dtype::f32;
  int size = 1;
};

const Algorithm& choose_allreduce(const Facts& facts);

inline constexpr int default_depth = 4;

// Numbers per frame, for an algorithm that cuts the data into `blocks`.
std::size_t choose_chunk(const Facts& facts, std::int32_t blocks, int depth);

}  // namespace laconic
