// SPDX-License-Identifier: BSD-3-Clause
// A message and the tuner: whether it is left to MPI.
#pragma once

#include <cstddef>
#include <optional>

#include "base/dtype.hpp"
#include "comm/core/binding.hpp"
#include "comm/messages/packet.hpp"
#include "laconic/laconic.h"
#include "tune/message_tuner.hpp"

namespace laconic {

// The class of a message of so many bytes.
MessageClass& message_class(Binding& binding, std::size_t bytes, const laconic_options& settings);

// Counts a message of the class that begins now, and decides on it.
Decision begin_message_of(MessageClass& known, Binding& binding, std::size_t bytes);

// Decides on a message of the class that begins now, and samples it if need be; sets the effort of one that is
// compressed.  numbers: on the host, an array of `dtype`.  decision: where begin_message_of() has been called already.
bool left_to_mpi(MessageClass& known, Binding& binding, const Data& numbers, Dtype dtype, laconic_options& settings,
                 std::optional<Decision> decision);

}  // namespace laconic
