// SPDX-License-Identifier: BSD-3-Clause
// The subcommands. Each adds itself to the application and does its work when it was named; it prints its results on
// stdout and throws Failure.
#pragma once

#include "command.hpp"

namespace laconic::cli {

void add_bench_command(Command& app);
void add_codec_command(Command& app);
void add_doctor_command(Command& app);
void add_explain_command(Command& app);
void add_info_command(Command& app);
void add_run_command(Command& app);

}  // namespace laconic::cli
