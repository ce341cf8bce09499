// SPDX-License-Identifier: BSD-3-Clause
// The MPI collectives that the drop-in replaces, in all forms that this MPI provides. Their definitions are in
// collectives.inl, which is included once for each width of counts.
#include <mpi.h>

#include "call/arguments.hpp"
#include "calls/call.hpp"
#include "calls/intercept.hpp"
#include "core/process.hpp"
#include "mpi/exports.hpp"

using laconic::Routine;
using laconic::set_arguments;
using namespace laconic::dropin;

#define LACONIC_DEFINITIONS "calls/collectives.inl"
#include "mpi/both_counts.inl"
