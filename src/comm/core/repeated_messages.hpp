// SPDX-License-Identifier: BSD-3-Clause
// The sends and blocking receives that were left to MPI, to recognise the same calls again: each function that resolves
// the settings of a message has to be fetched into the caches anew after a message that has emptied them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

#include "laconic/laconic.h"
#include "tune/message_tuner.hpp"

namespace laconic {

struct KnownMessage {
  MPI_Datatype type = MPI_DATATYPE_NULL;  // MPI_DATATYPE_NULL: unused
  MPI_Count count = 0;
  std::size_t bytes = 0;
  bool has_options = false;
  laconic_options options{};  // as the application passes them
  int greatest_tag = 0;
  // These two describe sends only.
  MessageClass* message_class = nullptr;  // nullptr: left to MPI whatever the tuner says
  laconic_plain_reason reason = LACONIC_PLAIN_NOT;
};

// The known sends, or the known receives, of one communicator.
class RepeatedMessages {
 public:
  // nullptr for a message that is not known.
  const KnownMessage* find(MPI_Datatype type, MPI_Count count, const laconic_options* options) const;
  void add(const KnownMessage& known) { entries_[last_++ % entries_.size()] = known; }
  // Called when the settings of the communicator change.
  void forget() { entries_.fill({}); }

 private:
  std::array<KnownMessage, 4> entries_;
  std::size_t last_ = 0;
};

}  // namespace laconic
