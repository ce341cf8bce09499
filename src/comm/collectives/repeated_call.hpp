// SPDX-License-Identifier: BSD-3-Clause
// A blocking call that repeats one which the tuner left to MPI, and is left to MPI, too, at little cost.
#pragma once

#include "comm/collectives/call.hpp"
#include "comm/collectives/plain.hpp"
#include "comm/core/binding.hpp"
#include "laconic/laconic.h"

namespace laconic {

class RepeatedCall {
 public:
  // The arguments stay as long as this object.
  RepeatedCall(Binding& binding, const CollectiveCall& call, const laconic_options* options)
      : binding_(binding), call_(call), options_(options) {}

  // False if the call has to be resolved as any other.  The caller holds the lock, here and in end().
  bool begin();
  // Whether the caller of Laconic makes MPI's call (laconic_options.plain); else run_in_mpi() does.
  bool left_to_caller() const { return options_ != nullptr && options_->plain != nullptr; }
  int run_in_mpi();
  void end(int code);

  // Remembers a call that the tuner has left to MPI, if it can be recognised by its arguments; else returns 0.
  static RepeatedCalls::Number remember(Binding& binding, const CollectiveCall& call, const laconic_options* options,
                                        const RepeatedCalls::Known& known);

  // Counts a call that repeats the one of this number and is left to the caller of Laconic.  False, and nothing has
  // happened, if it has to be resolved as any other call.
  static bool leave_to_caller(Binding& binding, RepeatedCalls::Number number);

 private:
  Binding& binding_;
  const CollectiveCall& call_;
  const laconic_options* options_;
  const RepeatedCalls::Known* known_ = nullptr;
  RepeatedCalls::Number number_ = 0;
  int stands_for_ = 0;  // so many calls have about the time of this one; 0: it is not timed
  double began_ = 0;
};

}  // namespace laconic
