// SPDX-License-Identifier: BSD-3-Clause
// LACONIC_AUDIT: a call is also done plainly, and the results are compared.
#pragma once

#include <cstddef>
#include <vector>

#include "calls/call.hpp"
#include "calls/numbers.hpp"
#include "core/communicator.hpp"

namespace laconic::dropin {

class Audit {
 public:
  // Whether this call is audited is the same on all ranks, for they count the same calls.
  Audit(const Call& call, Communicator& communicator, NumberSides& numbers);

  // Does the plain call and keeps its result; memory that is both input and output is as before afterwards.
  int before(Plain plain);
  // Compares. With LACONIC_AUDIT=N:plain the program is left with the plain result.
  void after();

 private:
  double largest_difference(const std::vector<std::byte>& found) const;

  const Call& call_;
  Communicator& communicator_;
  NumberSides& numbers_;
  bool on_ = false;
  NumberSide result_;  // what the operation leaves on this rank
  std::vector<std::byte> plain_;
  double seconds_ = 0;
};

}  // namespace laconic::dropin
