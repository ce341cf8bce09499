// SPDX-License-Identifier: BSD-3-Clause
#include <mutex>

#include "comm/core/asked.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/known_options.hpp"
#include "comm/core/process.hpp"
#include "comm/core/requests.hpp"
#include "comm/core/settings.hpp"
#include "comm/core/stats.hpp"
#include "comm/messages/message.hpp"
#include "comm/messages/repeated_message.hpp"

namespace laconic {
namespace {

// The default number of chunks of a message in flight: all the chunks that ChunkCounts cuts usual messages into, and
// not so many that MPI has too many messages in flight (docs/design/0007-messages.md).
constexpr std::int32_t usual_depth = 16;

Status settings_of(bool sending, const laconic_options* options, const Binding& binding, laconic_options& settings) {
  laconic_options_init(&settings);
  if (options != nullptr) {
    const KnownOptions known(options);
    if (Status s = check_options(*known.get()); !s) return s;
    if (known.get()->plain != nullptr) return plain_not_allowed();
    settings = *known.get();
  }
  if (!binding.inherited_status.ok()) return binding.inherited_status;
  fill_unset(settings, binding.inherited);
  if (sending && settings.depth == 0) settings.depth = usual_depth;
  fill_defaults(settings, binding.tuner.within_node());
  if (settings.progress == LACONIC_PROGRESS_THREAD)
    if (Status s = Process::instance().progress_thread().start(); !s) return s;
  return sending ? check_together(settings) : Status{};
}

// A call whose arguments have been checked, but which has not begun.
struct Prepared {
  std::shared_ptr<Binding> binding;
  laconic_options settings{};
};

Status prepare(const MessageCall& call, const laconic_options* options, Prepared& out) {
  if (Status s = bind(call.comm, out.binding); !s) return s;
  if (Status s = check_message(call, *out.binding); !s) return s;
  return settings_of(call.sending, options, *out.binding, out.settings);
}

MessageOperation* make(const MessageCall& call, Binding& binding) {
  if (call.sending) return take_operation<SendOperation>(binding.idle_sends);
  return take_operation<ReceiveOperation>(binding.idle_receives);
}

// Fills the status, and releases the operation.
int complete(MessageOperation& operation, MPI_Status* status) {
  const int code = outcome(operation);
  if (status != MPI_STATUS_IGNORE && operation.has_envelope) *status = operation.envelope;
  operation.pending = false;
  operation.release();
  return code;
}

// given: the options of the application.  blocking: the caller waits for the end before it does anything else.  After a
// failure nothing is in flight.
int begin(const MessageCall& call, const Prepared& prepared, const laconic_options* given, bool blocking,
          StatsSink sink, MessageOperation*& operation) {
  Binding& binding = *prepared.binding;
  {
    const std::lock_guard lock(binding.mutex);
    operation = make(call, binding);
    operation->blocking = blocking;
    operation->begin(prepared.binding, call, prepared.settings, given, sink);
    operation->wants_thread = !blocking && prepared.settings.progress == LACONIC_PROGRESS_THREAD;
    if (!operation->failed()) {
      launch(*operation);
      if (!binding.awaits_mpi()) binding.progress();
      return MPI_SUCCESS;
    }
    operation->in_flight = false;
  }
  const int code = complete(*operation, MPI_STATUS_IGNORE);
  operation = nullptr;
  return code;
}

Status check_status(const MPI_Status* status) {
  // Some MPI libraries define MPI_STATUS_IGNORE as NULL.
  if (status != nullptr || status == MPI_STATUS_IGNORE) return {};
  return {Code::argument, "status is NULL; valid is the address of an MPI_Status, or MPI_STATUS_IGNORE"};
}

// Between nodes, a blocking message is waited for inside MPI where nothing else needs progress: each poll is a call of
// the system, and takes the processor from ranks that share it.  Within a node messages arrive within microseconds, and
// polling finds them sooner.
void drive_message(MessageOperation& operation) {
  if (!operation.binding->tuner.within_node() && Process::instance().at_most_in_flight(1)) operation.wait_in_mpi();
  drive(operation);
}

}  // namespace

Status message_settings(const laconic_options* options, const Binding& binding, laconic_options& settings) {
  return settings_of(true, options, binding, settings);
}

int run_message(MessageCall call, MPI_Status* status, const laconic_options* given) {
  const KnownOptions known(given);
  const laconic_options* const options = known.get();
  int code = MPI_SUCCESS;
  Binding* const last = Process::instance().found_last(call.comm);
  if (last != nullptr && repeats(*last, call, status, options, code)) return code;
  Prepared prepared;
  if (Status s = prepare(call, options, prepared); !s) return report(call.comm, s);
  if (!call.sending)
    if (Status s = check_status(status); !s) return report(call.comm, s);
  MessageOperation* operation = nullptr;
  code = begin(call, prepared, options, true, sink_of(prepared.settings), operation);
  if (code != MPI_SUCCESS) return code;
  drive_message(*operation);
  return complete(*operation, status);
}

int run_messages(const MessageCall& send, const MessageCall& receive, MPI_Status* status,
                 const laconic_options* options) {
  Prepared sending;
  Prepared receiving;
  if (Status s = prepare(send, options, sending); !s) return report(send.comm, s);
  if (Status s = prepare(receive, options, receiving); !s) return report(send.comm, s);
  if (Status s = check_status(status); !s) return report(send.comm, s);
  laconic_stats sent = empty_stats();
  laconic_stats received = empty_stats();
  MessageOperation* in = nullptr;
  if (const int code = begin(receive, receiving, options, true, {&received, sizeof received}, in); code != MPI_SUCCESS)
    return code;
  MessageOperation* out = nullptr;
  const int code_of_begin = begin(send, sending, options, true, {&sent, sizeof sent}, out);
  // The receive buffer belongs to the application again only when the receive has completed, whether or not the send
  // failed.
  if (out != nullptr) drive(*out);
  drive(*in);
  const int code_of_send = out != nullptr ? complete(*out, MPI_STATUS_IGNORE) : code_of_begin;
  const int code_of_receive = complete(*in, status);
  if (code_of_send == MPI_SUCCESS && code_of_receive == MPI_SUCCESS) {
    // The send is the latest, because only its sender knows why a message is plain.
    accumulate(received, sent);
    sink_of(sending.settings).write(received);
  }
  return code_of_send != MPI_SUCCESS ? code_of_send : code_of_receive;
}

int begin_message(MessageCall call, laconic_request* request, const laconic_options* given) {
  if (request == nullptr)
    return report(call.comm, {Code::request, "request is NULL; valid is the address of a laconic_request"});
  *request = LACONIC_REQUEST_NULL;
  const KnownOptions known(given);
  const laconic_options* const options = known.get();
  int code = MPI_SUCCESS;
  Binding* const last = Process::instance().found_last(call.comm);
  if (last != nullptr && begins_again(*last, call, request, options, code)) return code;
  Prepared prepared;
  if (Status s = prepare(call, options, prepared); !s) return report(call.comm, s);
  MessageOperation* operation = nullptr;
  code = begin(call, prepared, options, false, sink_of(prepared.settings), operation);
  if (code == MPI_SUCCESS) *request = operation;
  return code;
}

}  // namespace laconic
