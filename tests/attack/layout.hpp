// SPDX-License-Identifier: BSD-3-Clause
// Where the numbers of a call are in the buffers of a rank, and where its results come from.
#pragma once

#include <vector>

#include "call.hpp"

namespace attack {

// Numbers of a buffer: from number `from` of what rank `source` contributes, or of the reduction where source is -1.
struct Place {
  std::size_t at = 0;
  std::size_t count = 0;
  int source = 0;
  std::size_t from = 0;
};

// A buffer cut into a part for each rank.
struct Side {
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displs;  // from the address that is handed over, which is `origin` numbers into the buffer
  std::size_t origin = 0;
  std::size_t span = 0;  // numbers
};

struct Layout {
  Layout(const Call& call, int rank, int size);

  std::size_t contributes(int rank) const;  // numbers
  std::size_t block(int from, int to) const;
  std::size_t most_bytes() const;  // of the largest buffer of any rank

  bool is_root;
  bool input_in_place;   // the input is where the result will be
  bool output_in_place;  // of a root that keeps its part
  Side send;
  Side recv;
  std::vector<Place> inputs;   // of this rank, in its send buffer or, in place, in the receive buffer
  std::vector<Place> results;  // in the receive buffer
  std::size_t scratch = 0;     // numbers at the beginning of the receive buffer that may hold anything afterwards

 private:
  void lay(Side& side, bool sending);
  void find_inputs();
  void find_results();

  Call call_;
  int rank_;
  int size_;
};

}  // namespace attack
