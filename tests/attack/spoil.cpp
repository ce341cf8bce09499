// SPDX-License-Identifier: BSD-3-Clause
// Faults that the attack plants into results, to see that it finds them.
#include <algorithm>
#include <cmath>

#include "operation.hpp"

namespace attack {

bool Operation::exact_results() const {
  const bool plain = stats_.plain_calls > 0;
  if (call_.reduces()) return !plain && !is_floating(call_.type->number) && call_.reduction != Reduction::product;
  return plain || call_.keeps_bits();
}

bool Operation::spoil() {
  if (group_.rank != static_cast<int>(call_.seed % static_cast<std::uint64_t>(group_.size)) &&
      world_.plant != Plant::bound)
    return false;
  const Place* place = nullptr;
  for (const Place& p : layout_.results)
    if (p.count > 0) place = &p;
  unsigned char* const last =
      place == nullptr ? nullptr : recv_.data() + (place->at + place->count) * width() - width();
  switch (world_.plant) {
    case Plant::bit:
      if (last == nullptr || group_.size == 1 || !common().has_value()) return false;
      last[0] ^= 1;
      return true;
    case Plant::large_bit:
      if (last == nullptr || !exact_results()) return false;
      last[width() - 1] ^= 0x40;
      return true;
    case Plant::swap: {
      if (last == nullptr || !exact_results()) return false;
      unsigned char* const first = recv_.data() + place->at * width();
      if (std::memcmp(first, last, width()) == 0) return false;
      std::swap_ranges(first, first + width(), last);
      return true;
    }
    case Plant::gap: *recv_.behind() ^= 1; return true;
    case Plant::input:
      if (layout_.input_in_place || layout_.inputs.empty() || layout_.contributes(group_.rank) == 0) return false;
      send_.data()[layout_.send.span * width() - 1] ^= 1;
      return true;
    case Plant::achieved:
      if (stats_.plain_calls > 0 || !std::isfinite(stats_.bound) || stats_.bound == 0) return false;
      stats_.achieved_bound = stats_.bound * 1.001;
      return true;
    case Plant::bound:
      // The library was asked for ten times the bound: this fault is not always detectable.
      if (stats_.plain_calls > 0 || options_.bound.mode != LACONIC_BOUND_ABS || exact_results()) return false;
      stats_.bound /= 10;
      stats_.achieved_bound /= 10;
      return call_.pattern == Pattern::noise && call_.odd_ranks == 0 && call_.count > 500 && options_.bound.value < 1;
    default: return false;
  }
}

}  // namespace attack
