// SPDX-License-Identifier: BSD-3-Clause
#include "comm/messages/repeated_message.hpp"

#include <limits>

#include "base/clock.hpp"
#include "comm/core/datatypes.hpp"
#include "comm/core/process.hpp"
#include "comm/core/requests.hpp"
#include "comm/core/stats.hpp"
#include "comm/messages/message_tuning.hpp"
#include "device/devices.hpp"
#include "wire/envelope.hpp"

namespace laconic {
namespace {

bool valid(const Binding& binding, const MessageCall& call, const KnownMessage& known) {
  if (call.data.buffer == nullptr || call.data.buffer == MPI_IN_PLACE) return false;
  const bool any_source = !call.sending && call.peer == MPI_ANY_SOURCE;
  const bool any_tag = !call.sending && call.tag == MPI_ANY_TAG;
  if (!any_source && (call.peer < 0 || call.peer >= binding.size || call.peer == binding.rank)) return false;
  return any_tag || (call.tag >= 0 && call.tag <= known.greatest_tag);
}

void count(Binding& binding, const StatsSink& sink, laconic_plain_reason reason, std::size_t bytes_in, double seconds) {
  count_plain(binding.stats, reason, bytes_in, seconds);
  if (sink.to == nullptr) return;
  laconic_stats stats = empty_stats();
  count_plain(stats, reason, bytes_in, seconds);
  sink.write(stats);
}

StatsSink sink_of(const laconic_options* options) {
  return options != nullptr ? laconic::sink_of(*options) : StatsSink{};
}

// Asks the tuner, and keeps its decision in `call`.
bool tuner_leaves(Binding& binding, MessageCall& call, const KnownMessage& known) {
  if (known.message_class == nullptr) return true;
  call.decision = begin_message_of(*known.message_class, binding, known.bytes);
  return *call.decision == Decision::plain;
}

// A nonblocking send that is left to MPI.
class SendLeft final : public Operation {
 public:
  void begin(Binding& b, const MessageCall& call, const KnownMessage& known, const StatsSink& sink) {
    binding = b.shared_from_this();
    status = {};
    bytes_ = known.bytes;
    reason_ = known.reason;
    sink_ = sink;
    began_ = now();
    mpi_code = MPI_Isend(call.data.buffer, static_cast<int>(known.count), known.type, call.peer, call.tag, call.comm,
                         &request_);
    in_flight = mpi_code == MPI_SUCCESS;
  }

  bool awaits_mpi() const override { return true; }
  bool poll() override {
    int done = 0;
    mpi_code = MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
    if (mpi_code != MPI_SUCCESS) return true;
    if (done != 0) count(*binding, sink_, reason_, bytes_, now() - began_);
    return done != 0;
  }
  void restart() override {}  // there are no persistent messages
  void release() override {
    const std::shared_ptr<Binding> keep = binding;
    const auto lock = Process::instance().lock_short(*keep);
    keep->message_tuner.clock().sent();
    give_back(this, keep->idle_sends_left);
  }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::size_t bytes_ = 0;
  laconic_plain_reason reason_ = LACONIC_PLAIN_NOT;
  StatsSink sink_;
  double began_ = 0;
};

bool send(Binding& binding, MessageCall& call, const KnownMessage& known, const laconic_options* options, int& code) {
  if (!tuner_leaves(binding, call, known)) return false;
  const double began = now();
  code = MPI_Send(call.data.buffer, static_cast<int>(known.count), known.type, call.peer, call.tag, call.comm);
  if (code == MPI_SUCCESS) count(binding, sink_of(options), known.reason, known.bytes, now() - began);
  return true;
}

bool receive(Binding& binding, MessageCall& call, const KnownMessage& known, MPI_Status* status,
             const laconic_options* options, int& code) {
  MPI_Status arrived;
  const double began = now();
  code =
      MPI_Recv(call.data.buffer, static_cast<int>(known.count), known.type, call.peer, call.tag, call.comm, &arrived);
  if (code != MPI_SUCCESS) return true;
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&arrived, MPI_BYTE, &bytes);
  const auto received = static_cast<std::size_t>(bytes);
  if (wire::is_envelope({static_cast<const std::byte*>(call.data.buffer), known.bytes}, received)) {
    call.arrived = arrived;
    return false;
  }
  const double ended = now();
  binding.message_tuner.clock().received(ended);
  if (status != MPI_STATUS_IGNORE) *status = arrived;
  const bool own = arrived.MPI_SOURCE == binding.rank;
  count(binding, sink_of(options), own ? LACONIC_PLAIN_ONE_RANK : LACONIC_PLAIN_SENDER, 0, ended - began);
  return true;
}

}  // namespace

bool repeats(Binding& binding, MessageCall& call, MPI_Status* status, const laconic_options* options, int& code) {
  const RepeatedMessages& messages = call.sending ? binding.repeated_sends : binding.repeated_receives;
  const KnownMessage* known = messages.find(call.data.type, call.data.count, options);
  // Operations in flight would make no progress while this rank waits inside MPI.
  if (known == nullptr || !valid(binding, call, *known) || !Process::instance().at_most_in_flight(0)) return false;
  if (call.sending) return send(binding, call, *known, options, code);
  if (status == nullptr && status != MPI_STATUS_IGNORE) return false;
  return receive(binding, call, *known, status, options, code);
}

bool begins_again(Binding& binding, MessageCall& call, laconic_request* request, const laconic_options* options,
                  int& code) {
  if (!call.sending || !Process::instance().one_thread_at_a_time()) return false;
  const KnownMessage* known = binding.repeated_sends.find(call.data.type, call.data.count, options);
  if (known == nullptr || !valid(binding, call, *known) || !tuner_leaves(binding, call, *known)) return false;
  auto* const operation = take_operation<SendLeft>(binding.idle_sends_left);
  operation->begin(binding, call, *known, sink_of(options));
  code = operation->mpi_code;
  if (code != MPI_SUCCESS) return operation->release(), true;
  launch(*operation);
  if (!binding.awaits_mpi()) binding.progress();
  *request = operation;
  return true;
}

void remember(Binding& binding, const MessageCall& call, const laconic_options* options, MessageClass* message_class,
              laconic_plain_reason reason) {
  const std::size_t bytes = call.data.bytes();
  const bool fits = call.data.count <= std::numeric_limits<int>::max() && find_dtype(call.data.type).has_value();
  // Buffers on a device may have to be staged, and a receive of less than an envelope goes to other memory first.
  if (has_devices() || binding.intercomm || !fits || (!call.sending && bytes < wire::envelope_bytes)) return;
  RepeatedMessages& messages = call.sending ? binding.repeated_sends : binding.repeated_receives;
  if (messages.find(call.data.type, call.data.count, options) != nullptr) return;
  KnownMessage known;
  known.type = call.data.type;
  known.count = call.data.count;
  known.bytes = bytes;
  known.has_options = options != nullptr;
  if (options != nullptr) known.options = *options;
  known.greatest_tag = greatest_tag(binding.comm);
  known.message_class = message_class;
  known.reason = reason;
  messages.add(known);
}

}  // namespace laconic
