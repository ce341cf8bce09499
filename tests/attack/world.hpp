// SPDX-License-Identifier: BSD-3-Clause
// The ranks, their communicators, and the exchanges of the attack itself.
#pragma once

#include <string>
#include <vector>

#include "call.hpp"
#include "journal.hpp"

namespace attack {

struct Group {
  const char* name;
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = -1;   // -1: not a member
  int colour = 0;  // which of the communicators that were made together
  int size = 0;
  int least_size = 0;  // the least size of the communicators made together
  int most_size = 0;
};

// Faults that the attack plants on purpose, to check that it detects them.
enum class Plant { none, bound, swap, bit, large_bit, gap, input, achieved, quiet_error, hang };

class World {
 public:
  World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // Replaces each number by its maximum over all ranks.
  void greatest(std::vector<std::uint64_t>& numbers) const;
  bool any(bool mine) const;

  int rank = 0;
  int size = 1;
  Offer offer;
  Journal journal;
  Plant plant = Plant::none;
  bool planted = false;       // by this rank, in this case
  std::vector<Group> groups;  // the first two contain all ranks

 private:
  void add(const char* name, MPI_Comm comm, int colour = 0);

  MPI_Comm control_ = MPI_COMM_NULL;
};

}  // namespace attack
