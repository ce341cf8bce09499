// SPDX-License-Identifier: BSD-3-Clause
// The calls on a communicator that Laconic left to MPI, by their arguments. A program repeats its calls, and looking at
// datatypes, rules and sizes takes a tenth of the time of a small call.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "calls/operation.hpp"

namespace laconic::dropin {

// What Laconic's answer depends on; buffers are not part of it.
struct CallArguments {
  Operation operation = Operation::allreduce;
  bool in_place = false;
  int root = 0;
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
  // The number that Laconic gave the call (laconic_plain_call()); 0 if it is not known.
  std::uint64_t find(const CallArguments& arguments) const {
    for (const Entry& entry : entries_)
      if (entry.number != 0 && entry.arguments == arguments) return entry.number;
    return 0;
  }

  void add(const CallArguments& arguments, std::uint64_t number) {
    Entry* entry = nullptr;
    for (Entry& known : entries_)
      if (known.number != 0 && known.arguments == arguments) entry = &known;
    if (entry == nullptr) entry = &entries_[next_++ % entries_.size()];
    *entry = {number, arguments};
  }

  // Called when the hints of the communicator change.
  void forget() { entries_ = {}; }

 private:
  struct Entry {
    std::uint64_t number = 0;  // 0: unused
    CallArguments arguments;
  };
  std::array<Entry, 8> entries_;
  std::size_t next_ = 0;
};

}  // namespace laconic::dropin
