// SPDX-License-Identifier: BSD-3-Clause
// Statistics of one call, and their sums over the calls on a communicator.
#pragma once

#include "laconic/laconic.h"
#include "tune/message_tuner.hpp"
#include "tune/tuner.hpp"

namespace laconic {

laconic_stats empty_stats();

// What is known about a class of calls, for the application.
laconic_tuning tuning_of(const CallClass& known);
laconic_tuning tuning_of(const MessageClass& known);

// Adds one call to a total.
void accumulate(laconic_stats& total, const laconic_stats& call);

}  // namespace laconic
