// SPDX-License-Identifier: BSD-3-Clause
// A collective call with everything that its arguments, options, hints and the environment determine on this rank
// alone.
#pragma once

#include <mpi.h>

#include "base/status.hpp"
#include "comm/collectives/call.hpp"
#include "comm/collectives/shape.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/binding.hpp"
#include "laconic/laconic.h"
#include "schedule/schedule.hpp"

namespace laconic {

class ResolvedCall {
 public:
  // call: stays where it is as long as this object is used; options: nullptr where the application gave none.  Starts
  // the progress thread if the settings ask for it.  blocking: the call may wait for the other ranks.
  void resolve(const Binding& binding, const CollectiveCall& call, const laconic_options* options, bool blocking);

  // For a call that begins before the nodes of the ranks are known, once they are: an algorithm that they do not fit is
  // a mistake of this call, or gives way to the library's choice if it was meant for all calls.
  Status settle_algorithm(const Binding& binding);

  const CollectiveCall& call() const { return *call_; }
  const Shape& shape() const { return shape_; }
  const laconic_options& settings() const { return settings_; }
  // The algorithm that the settings ask for, or else the library's choice.  Its first choice for a size takes a walk
  // along the plans of all ranks, so it is made only for calls that need it.
  const Algorithm& algorithm(const Binding& binding) const;

  // Takes the effort that the ranks have chosen for the call.
  void choose(Effort effort) { settings_.effort = in_api(effort); }
  // The effort before that.
  laconic_effort asked_effort() const { return asked_effort_; }

  // The first mistake of this rank.
  const Status& status() const { return status_; }

  // Whether this rank has a reason of its own not to compress (laconic_options.plain).
  bool refuses() const { return settings_.plain != nullptr && *settings_.plain != LACONIC_PLAIN_NOT; }

  // Whether the options, hints and environment of this rank are valid.
  bool settings_ok() const { return settings_ok_; }

  // The reason to send uncompressed, as far as every rank finds the same one.
  laconic_plain_reason reason() const { return reason_; }

  // Whether the progress thread, which runs, serves the call.
  bool uses_thread() const { return uses_thread_; }

 private:
  Status take_options(const Binding& binding, const laconic_options* given);
  Status find_algorithm(const Binding& binding);
  bool waits_for_nodes(const Binding& binding) const;
  laconic_plain_reason find_reason(const Binding& binding, bool options_ok);

  const CollectiveCall* call_ = nullptr;
  Shape shape_;
  laconic_options settings_{};
  laconic_effort asked_effort_ = LACONIC_EFFORT_UNSET;
  const Algorithm* algorithm_ = nullptr;  // that the settings ask for
  bool blocking_ = false;
  bool inherited_algorithm_ = false;  // it was asked for by hints or the environment
  Status status_;
  bool settings_ok_ = true;
  laconic_plain_reason reason_ = LACONIC_PLAIN_NOT;
  bool uses_thread_ = false;
};

// The reason why this rank cannot compress numbers of this signature, whatever the other ranks may do.
laconic_plain_reason reason_of_type(const Signature& signature, const laconic_options& settings);

// The shape of a call on this communicator.
Shape shape_on(const Binding& binding, const CollectiveCall& call);

}  // namespace laconic
