// SPDX-License-Identifier: BSD-3-Clause
// LACONIC_AUDIT: a call is also executed uncompressed, by MPI itself, and the results are compared.
#pragma once

#include <cstddef>
#include <vector>

#include "calls/call.hpp"
#include "calls/numbers.hpp"
#include "core/communicator.hpp"

namespace laconic::dropin {

// The largest difference between numbers at `a` and at `b`, as a double: infinite if one of two is a NaN or an infinity
// and the other is not, or if the numbers are integers and differ.
double largest_difference(const Numbers& numbers, const std::byte* a, const std::byte* b, std::size_t bytes);

// The audit of a blocking collective. Messages are audited where they are compressed (messages/outgoing.cpp).
class Audit {
 public:
  // Decides whether this call is audited. All ranks decide alike, because they count the same calls.
  Audit(const Call& call, Communicator& communicator, NumberSides& numbers);

  // Executes the plain call and saves its result. Memory that is both input and output is restored afterwards.
  int before(Plain plain);
  // Compares the results. With LACONIC_AUDIT=N:plain, the program receives the plain result.
  void after();

 private:
  const Call& call_;
  Communicator& communicator_;
  NumberSides& numbers_;
  bool on_ = false;
  NumberSide result_;  // the result of the operation on this rank
  std::vector<std::byte> plain_;
  double seconds_ = 0;
};

}  // namespace laconic::dropin
