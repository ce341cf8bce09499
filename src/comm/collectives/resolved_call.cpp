// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives/resolved_call.hpp"

#include "comm/core/asked.hpp"
#include "comm/core/process.hpp"
#include "comm/core/settings.hpp"
#include "tune/choose.hpp"

namespace laconic {

Shape shape_on(const Binding& binding, const CollectiveCall& call) {
  return {call, binding.rank, binding.intercomm ? 0 : binding.size, binding.topology()};
}

laconic_plain_reason reason_of_type(const Signature& s, const laconic_options& settings) {
  const bool rounded_integers = s.integer && !codes_integers(settings, s.dtype);
  return !s.type_hidden && (!s.type_known || rounded_integers) ? LACONIC_PLAIN_TYPE : LACONIC_PLAIN_NOT;
}

void ResolvedCall::resolve(const Binding& binding, const CollectiveCall& call, const laconic_options* options,
                           bool blocking) {
  call_ = &call;
  algorithm_ = nullptr;
  blocking_ = blocking;
  inherited_algorithm_ = false;
  // On an intercommunicator an argument may mean another thing, or nothing: checking it is left to MPI.
  shape_ = shape_on(binding, call);
  const Status arguments = binding.intercomm ? shape_.check_mean() : shape_.check();
  const Status settings = take_options(binding, options);
  status_ = arguments.ok() ? settings : arguments;
  settings_ok_ = settings.ok();
  reason_ = find_reason(binding, settings.ok());
}

// Takes settings from options, then hints, then environment; fields that are unset everywhere get their defaults.
Status ResolvedCall::take_options(const Binding& binding, const laconic_options* given) {
  laconic_options_init(&settings_);
  Status problem;
  if (given != nullptr) {
    problem = check_options(*given);
    if (problem.ok()) {
      settings_ = *given;
    } else {
      // Invalid options still decide whether the call is large enough to be compressed, as far as they can be read.
      const bool readable = given->size == sizeof(laconic_options) && given->min_bytes >= 0;
      settings_.min_bytes = readable ? given->min_bytes : 1;
      if (readable) settings_.bound = given->bound;
      if (readable) settings_.tune = given->tune;
    }
  }
  if (problem.ok()) problem = binding.inherited_status;
  // The other ranks may have settings that compress messages of every size.
  if (!binding.inherited_status.ok() && settings_.min_bytes == 0) settings_.min_bytes = 1;
  if (binding.inherited_status.ok()) {
    fill_unset(settings_, binding.inherited);
    // An algorithm that the collective does not have was meant for other collectives, unless this call asked for it.
    inherited_algorithm_ = given == nullptr || given->algorithm == LACONIC_ALGORITHM_UNSET;
    if (inherited_algorithm_ && settings_.algorithm > LACONIC_ALGORITHM_PLAIN && !find_algorithm(binding).ok())
      settings_.algorithm = LACONIC_ALGORITHM_AUTO;
  }
  if (settings_.tune == LACONIC_TUNE_UNSET) settings_.tune = binding.inherited.tune;
  fill_defaults(settings_, binding.tuner.within_node());
  asked_effort_ = settings_.effort;
  if (problem.ok()) problem = check_together(settings_);
  const bool asks_for_thread = settings_.progress == LACONIC_PROGRESS_THREAD;
  if (problem.ok() && asks_for_thread) problem = Process::instance().progress_thread().start();
  uses_thread_ = problem.ok() && asks_for_thread;
  if (problem.ok() && settings_.algorithm != LACONIC_ALGORITHM_PLAIN) problem = find_algorithm(binding);
  return problem;
}

Status ResolvedCall::find_algorithm(const Binding& binding) {
  const Status fits = asked_algorithm(settings_, call_->traits().pattern, binding.ranks(), algorithm_);
  return waits_for_nodes(binding) ? Status{} : fits;
}

// Whether the algorithm depends on nodes that the ranks find out in this call.
bool ResolvedCall::waits_for_nodes(const Binding& binding) const {
  return algorithm_ != nullptr && algorithm_->by_nodes() && blocking_ && binding.finds_nodes();
}

Status ResolvedCall::settle_algorithm(const Binding& binding) {
  if (algorithm_ == nullptr || !algorithm_->by_nodes()) return {};
  Status fits = find_algorithm(binding);
  if (fits.ok() || !inherited_algorithm_) return fits;
  algorithm_ = nullptr;
  return {};
}

const Algorithm& ResolvedCall::algorithm(const Binding& binding) const {
  if (algorithm_ != nullptr) return *algorithm_;
  // Where some ranks do not see all counts, no rank may use them.
  const bool known = !shape_.counts_partial() && !shape_.count_hidden();
  return chosen_algorithm(settings_, call_->traits().pattern, binding.size, known ? shape_.bytes() : unknown_bytes);
}

// Values that this rank does not know because of its own mistake count as compressible: the other ranks may be about to
// compress, and then they must hear of the error.
laconic_plain_reason ResolvedCall::find_reason(const Binding& binding, bool options_ok) {
  if (binding.intercomm) return LACONIC_PLAIN_INTERCOMM;
  if (options_ok) {
    if (settings_.bound.mode == LACONIC_BOUND_UNSET) return LACONIC_PLAIN_NO_BOUND;
    if (settings_.algorithm == LACONIC_ALGORITHM_PLAIN) return LACONIC_PLAIN_ASKED;
  }
  const Signature& s = shape_.signature();
  // Whether integers are compressed depends on the bound, which is unknown when the options are invalid.  A rank that
  // refuses has to tell the others, whose types may be compressible.
  const auto by_type = [&] {
    const bool counts = !refuses() && (options_ok || !s.integer);
    return counts ? reason_of_type(s, settings_) : LACONIC_PLAIN_NOT;
  };
  // Looking into types takes longer than all the checks that follow.
  const bool partial = shape_.counts_partial();
  if (!partial && !s.composed && by_type() != LACONIC_PLAIN_NOT) return by_type();
  if (!s.op_known && !s.op_hidden) return LACONIC_PLAIN_OP;
  if (binding.size == 1) return LACONIC_PLAIN_ONE_RANK;
  const bool size_known = !partial && !shape_.count_hidden() && !s.type_hidden;
  if (size_known && shape_.bytes() < static_cast<std::size_t>(settings_.min_bytes)) return LACONIC_PLAIN_SMALL;
  if (!s.composed) return LACONIC_PLAIN_NOT;
  shape_.look_into_types();
  return partial ? LACONIC_PLAIN_NOT : by_type();
}

}  // namespace laconic
