// SPDX-License-Identifier: BSD-3-Clause
// What `laconic doctor` finds.
#pragma once

#include <string>
#include <vector>

namespace laconic::cli::doctor {

enum class State { ok, note, warning, broken };

struct Finding {
  std::string check;  // "mpi", "launcher", ...
  State state = State::ok;
  std::string found;
  std::string advice;  // empty where there is nothing to do
};

using Findings = std::vector<Finding>;

const char* name_of(State state);

// Parts that look at this build and this environment alone.
void check_build(Findings& findings);
void check_environment(Findings& findings);
void check_dropin(Findings& findings, const std::string& library);
void check_machine(Findings& findings);

// Settings of an MPI that are known to go wrong. library: what MPI says of itself, all lines.
void check_known_faults(Findings& findings, const std::string& library);

// The launcher, and whether a job of two ranks keeps a bound. mpiexec: empty for the one in PATH.
void check_job(Findings& findings, const std::string& library, const std::string& mpiexec, bool start);

// All lines; empty in a build without MPI.
std::string mpi_library();

// Runs on each rank of the job. Rank 0 prints the lines that check_job() reads. Returns the exit code.
int be_a_rank();

}  // namespace laconic::cli::doctor
