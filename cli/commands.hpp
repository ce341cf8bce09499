// SPDX-License-Identifier: BSD-3-Clause
// The subcommands. Each function adds a subcommand to the application. A subcommand runs if the command line names it,
// prints its results on stdout and throws Failure on an error.
#pragma once

#include "command.hpp"

namespace laconic::cli {

void add_advise_command(Command& app);
void add_bench_command(Command& app);
void add_codec_command(Command& app);
void add_doctor_command(Command& app);
void add_explain_command(Command& app);
void add_info_command(Command& app);
void add_profile_command(Command& app);
void add_run_command(Command& app);
void add_tune_command(Command& app);

}  // namespace laconic::cli
