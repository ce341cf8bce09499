// SPDX-License-Identifier: BSD-3-Clause
// The places of the numbers of a call in the buffers of a rank, and the sources of its results.
#pragma once

#include <vector>

#include "call.hpp"

namespace attack {

// A run of numbers in a buffer: from number `from` of the contribution of rank `source`, or of the reduction where
// source is -1.
struct Place {
  std::size_t at = 0;
  std::size_t count = 0;
  int source = 0;
  std::size_t from = 0;
};

// A buffer cut into a part for each rank.
struct Side {
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displs;  // from the address that is passed, which is `origin` numbers into the buffer
  std::size_t origin = 0;
  std::size_t span = 0;  // in numbers
};

struct Layout {
  Layout(const Call& call, int rank, int size);

  std::size_t contributes(int rank) const;  // in numbers
  std::size_t block(int from, int to) const;
  // The number of ranks, from the first, whose contributions a reduction on this rank holds.
  std::size_t reduced() const;
  std::size_t most_bytes() const;  // the size of the largest buffer of any rank

  bool is_root;
  bool input_in_place;   // the input is in the receive buffer
  bool output_in_place;  // on a root that keeps its part
  Side send;
  Side recv;
  std::vector<Place> inputs;   // on this rank, in its send buffer or, in place, in the receive buffer
  std::vector<Place> results;  // in the receive buffer
  std::size_t scratch = 0;     // numbers at the beginning of the receive buffer whose content is undefined afterwards

 private:
  void lay(Side& side, bool sending);
  void find_inputs();
  void find_results();

  Call call_;
  int rank_;
  int size_;
};

}  // namespace attack
