// SPDX-License-Identifier: BSD-3-Clause
// The findings of `laconic doctor`.
#pragma once

#include <string>
#include <vector>

namespace laconic::cli::doctor {

enum class State { ok, note, warning, broken };

struct Finding {
  std::string check;  // "mpi", "launcher", ...
  State state = State::ok;
  std::string found;
  std::string advice;  // empty if there is nothing to do
};

using Findings = std::vector<Finding>;

const char* name_of(State state);

// Checks that look only at this build and this environment.
void check_build(Findings& findings);
void check_environment(Findings& findings);
void check_dropin(Findings& findings, const std::string& library);
void check_machine(Findings& findings);

// Checks for settings of an MPI library with known faults. library: the version text of MPI, all lines.
void check_known_faults(Findings& findings, const std::string& library);

// Checks the launcher, and whether a job of two ranks keeps a bound. mpiexec: empty for the one in PATH.
void check_job(Findings& findings, const std::string& library, const std::string& mpiexec, bool start);

// The version text of the MPI library, all lines; empty in a build without MPI.
std::string mpi_library();

// Runs on each rank of the job. Rank 0 prints the lines that check_job() reads. Returns the exit code.
int be_a_rank();

}  // namespace laconic::cli::doctor
