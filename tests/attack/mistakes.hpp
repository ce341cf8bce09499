// SPDX-License-Identifier: BSD-3-Clause
// The catalogue of possible mistakes in a call on one rank.
#pragma once

#include "operation.hpp"

namespace attack {

// The arguments of one rank, to be spoilt.  Arrays that are changed must stay alive.
struct Spoilt {
  Arguments arguments;
  laconic_options options;
  std::vector<MPI_Count> counts;
};

struct Mistake {
  const char* name;
  bool differs;  // valid alone, but different from the other ranks
  // Whether a rank with this layout can make the mistake in this call.
  bool (*applies)(const Call& call, const Layout& layout);
  void (*spoil)(const Call& call, const Layout& layout, Spoilt& s, Random& random);
};

const std::vector<Mistake>& all_mistakes();

}  // namespace attack
