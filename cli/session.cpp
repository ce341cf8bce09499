// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <string_view>

#ifdef LACONIC_CLI_MPI

#include <mpi.h>

namespace laconic::cli {

Session::Session(int& argc, char**& argv) {
  const std::string_view command = argc < 2 ? "" : argv[1];
  if (command != "bench" && command != "tune") return;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  begun_ = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Session::~Session() {
  if (begun_) MPI_Finalize();
}

void Session::give_up(int exit_code) const {
  if (begun_ && size_ > 1) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace laconic::cli

#else

namespace laconic::cli {

Session::Session(int&, char**&) {}
Session::~Session() = default;
void Session::give_up(int) const {}

}  // namespace laconic::cli

#endif
