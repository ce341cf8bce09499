// SPDX-License-Identifier: BSD-3-Clause
// The calls that the tuner left to MPI, to recognise the same calls again.  A program repeats its calls, and resolving
// the arguments and settings of a small call takes as long as the call itself.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "call/collective.hpp"
#include "laconic/laconic.h"
#include "tune/tuner.hpp"

namespace laconic {

// The arguments that determine what the tuner decides.  Buffers and roots do not.
struct CallArguments {
  Routine routine = Routine::allreduce;
  bool in_place = false;
  std::uint64_t counts = 0;  // a hash of the arrays of counts and displacements
  MPI_Count send_count = 0;
  MPI_Count recv_count = 0;
  MPI_Datatype send_type = MPI_DATATYPE_NULL;
  MPI_Datatype recv_type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  bool operator==(const CallArguments&) const = default;
};

class RepeatedCalls {
 public:
  struct Known {
    CallArguments arguments;
    CallClass* call_class = nullptr;
    double bytes = 0;          // size of the call
    std::size_t bytes_in = 0;  // of this rank's contribution
  };
  // Identifies a call that is known; never 0.
  using Number = std::uint64_t;

  // nullptr for a call that is not known.  options: as the application passes them.
  const Known* find(const CallArguments& arguments, const laconic_options* options, Number& number) const;
  Number add(const Known& known, const laconic_options* options);

  // nullptr if the call is no longer known.
  const Known* find(Number number) const {
    const Entry& entry = entries_[number % entries_.size()];
    return number != 0 && entry.number == number ? &entry.known : nullptr;
  }

  // Called when the settings of the communicator change.
  void forget() {
    for (Entry& entry : entries_) entry.number = 0;
  }

 private:
  struct Entry {
    Number number = 0;  // 0: unused
    Known known;
    bool has_options = false;
    laconic_options options{};
  };
  const Entry* entry_of(const CallArguments& arguments, const laconic_options* options) const;

  std::array<Entry, 8> entries_;
  Number last_ = 0;
};

}  // namespace laconic
