// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include <algorithm>
#include <cstring>

namespace attack {
namespace {

bool has_zfp() {
  laconic_options o = ranks::options_with(LACONIC_BOUND_ABS, 1);
  o.codec = LACONIC_CODEC_ZFP;
  const float x = 1;
  unsigned char out[4096];
  std::size_t bytes = 0;
  return laconic_compress(&x, 1, MPI_FLOAT, out, sizeof out, &bytes, &o) == MPI_SUCCESS;
}

}  // namespace

World::World() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &control_);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  add("all", comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  add("all again", comm);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  add("all backwards", comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank % 3, &comm);
  add("halves", comm, rank % 2);
  MPI_Comm_split(MPI_COMM_WORLD, size > 1 && rank == size / 2 ? MPI_UNDEFINED : 0, rank, &comm);
  add("all but one", comm);
  offer.zfp = has_zfp();
}

World::~World() {
  for (Group& g : groups) {
    if (g.comm == MPI_COMM_NULL) continue;
    MPI_Comm_free(&g.comm);
  }
  MPI_Comm_free(&control_);
}

void World::add(const char* name, MPI_Comm comm, int colour) {
  Group g;
  g.name = name;
  g.comm = comm;
  g.colour = colour;
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_rank(comm, &g.rank);
    MPI_Comm_size(comm, &g.size);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    laconic_comm_set_info(comm, MPI_INFO_NULL);  // so that messages are compressed on it
  }
  const int mine[2] = {comm == MPI_COMM_NULL ? -size : -g.size, g.size};
  int most[2] = {0, 0};
  MPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, control_);
  g.least_size = -most[0];
  g.most_size = most[1];
  groups.push_back(g);
}

void World::greatest(std::vector<std::uint64_t>& numbers) const {
  // MPICH 4.0 compares unsigned numbers of 64 bits as if they were signed: these are mapped to signed order first.
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  for (std::uint64_t& n : numbers) n ^= sign;
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_MAX, control_);
  for (std::uint64_t& n : numbers) n ^= sign;
}

bool World::any(bool mine) const {
  std::vector<std::uint64_t> one{mine};
  greatest(one);
  return one[0] != 0;
}

}  // namespace attack
