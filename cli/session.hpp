// SPDX-License-Identifier: BSD-3-Clause
// MPI for the subcommands that need it.  The others must run where no MPI job can be started.
#pragma once

namespace laconic::cli {

class Session {
 public:
  // Begins MPI when argv names the subcommand bench or tune, and this build has an MPI.
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Whether this rank prints for all ranks.
  bool speaks() const { return rank_ == 0; }

  // Ends the job after a failure that the other ranks may not know of.  Returns if there are no other ranks.
  void give_up(int exit_code) const;

 private:
  bool begun_ = false;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace laconic::cli
