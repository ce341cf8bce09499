// SPDX-License-Identifier: BSD-3-Clause
// The catalogue of what can be wrong with a call on one rank.
#pragma once

#include "operation.hpp"

namespace attack {

// The arguments of one rank, about to be spoilt.  Arrays that are changed have to be kept.
struct Spoilt {
  Arguments arguments;
  laconic_options options;
  std::vector<MPI_Count> counts;
};

struct Mistake {
  const char* name;
  bool differs;  // right alone, but not what the other ranks say
  // Whether a rank with this layout can make it in this call.
  bool (*applies)(const Call& call, const Layout& layout);
  void (*spoil)(const Call& call, const Layout& layout, Spoilt& s, Random& random);
};

const std::vector<Mistake>& all_mistakes();

}  // namespace attack
