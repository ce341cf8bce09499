// SPDX-License-Identifier: BSD-3-Clause
// A user's program in C++, outside of the source tree: it compiles without a warning and runs.
#include <laconic/laconic.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  namespace lac = laconic::mpi;
  const std::vector<double> in{1.0, -2.5, 1e9};
  std::vector<double> out(3);
  lac::Request request = lac::iallreduce(in, out, MPI_SUM, MPI_COMM_SELF, lac::Options().bound("abs:1e-3"));
  request.wait();
  bool refused = false;
  try {
    lac::bcast(out, 7, MPI_COMM_SELF, lac::Options().bound("abs:1e-3"));
  } catch (const lac::Error& e) {
    refused = e.error_class() == MPI_ERR_ROOT;
  }
  const bool right = out == in && refused;
  std::printf("allreduce and error of one rank: %s\n", right ? "right" : "wrong");
  MPI_Finalize();
  return right ? 0 : 1;
}
