// SPDX-License-Identifier: BSD-3-Clause
// Messages that repeat earlier ones, and that MPI moves at little cost beside its own.
#pragma once

#include "comm/core/binding.hpp"
#include "comm/messages/message.hpp"

namespace laconic {

// Makes a blocking send that repeats one which was left to MPI, or a receive that repeats another.  options: of this
// library's size.  False if the call has to be resolved as any other: then `call` has what is known already, which is
// the tuner's decision on a send, and of a receive the envelope that has arrived in its buffer.
bool repeats(Binding& binding, MessageCall& call, MPI_Status* status, const laconic_options* options, int& code);

// Begins a nonblocking send that repeats one which was left to MPI.  False as above; nothing is in flight then.
bool begins_again(Binding& binding, MessageCall& call, laconic_request* request, const laconic_options* options,
                  int& code);

// Remembers a call of a datatype of numbers, whose arguments and settings are valid.  message_class: nullptr where the
// tuner is not asked.
void remember(Binding& binding, const MessageCall& call, const laconic_options* options, MessageClass* message_class,
              laconic_plain_reason reason);

}  // namespace laconic
