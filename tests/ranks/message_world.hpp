// SPDX-License-Identifier: BSD-3-Clause
// A ring of ranks that send messages on a communicator of their own, for the tests of messages.
#pragma once

#include <cmath>
#include <vector>

#include "support.hpp"

namespace ranks {

struct World {
  MPI_Comm comm = MPI_COMM_NULL;  // prepared
  int rank = 0;
  int size = 1;
  int next() const { return (rank + 1) % size; }
  int previous() const { return (rank + size - 1) % size; }
  bool alone() const { return size == 1; }
};

inline std::vector<float> wave(std::size_t count, int rank) {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(std::sin(0.001 * static_cast<double>(i) + rank)) * 10.0F;
  return x;
}

inline bool near(const std::vector<float>& x, const std::vector<float>& y, double bound) {
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i])) <= bound * 1.0001)) return false;
  return true;
}

inline MPI_Count count_of(const std::vector<float>& x) { return static_cast<MPI_Count>(x.size()); }

inline laconic_options compressing() { return options_with(LACONIC_BOUND_ABS, 1e-3); }

inline laconic_request send_on(Test& t, const World& w, const std::vector<float>& x, int tag,
                               const laconic_options& o) {
  laconic_request request = LACONIC_REQUEST_NULL;
  const int rc = laconic_isend(x.data(), count_of(x), MPI_FLOAT, w.next(), tag, w.comm, &request, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  return request;
}

inline void finish(Test& t, laconic_request& request) {
  const int rc = laconic_wait(&request, MPI_STATUS_IGNORE);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
}

// Every other number of an array.
inline MPI_Datatype comb(MPI_Datatype type, int count) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, 2, type, &made);
  MPI_Type_commit(&made);
  return made;
}

inline World make_world(Test& t) {
  World w;
  MPI_Comm_dup(MPI_COMM_WORLD, &w.comm);
  MPI_Comm_set_errhandler(w.comm, MPI_ERRORS_RETURN);
  // MPICH 4.0 gives an overlong message found by MPI_Test to this handler, whatever communicator it came on.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  w.rank = t.rank();
  w.size = t.size();
  CHECK(t, laconic_comm_set_info(w.comm, MPI_INFO_NULL) == MPI_SUCCESS);
  return w;
}

}  // namespace ranks
