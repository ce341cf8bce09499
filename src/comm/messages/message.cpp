// SPDX-License-Identifier: BSD-3-Clause
#include "comm/messages/message.hpp"

#include <algorithm>
#include <string>

#include "base/clock.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/datatypes.hpp"
#include "comm/core/large_count.hpp"
#include "comm/core/stats.hpp"
#include "comm/core/through_host.hpp"
#include "device/host/float_environment.hpp"

namespace laconic {
namespace {

int peers_of(const MessageCall& call, const Binding& binding) {
  int size = binding.size;
  if (binding.intercomm) MPI_Comm_remote_size(call.comm, &size);
  return size;
}

}  // namespace

int greatest_tag(MPI_Comm comm) {
  int* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&value), &found);
  return found ? *value : 32767;  // guaranteed
}

Status check_message(const MessageCall& call, const Binding& binding) {
  const auto named = [&](const char* name) {
    return std::string(!call.paired ? "" : call.sending ? "send" : "recv") + name;
  };
  const std::string type_name = call.paired ? named("type") : "datatype";
  if (call.data.count < 0)
    return {Code::count, named("count") + " is " + std::to_string(static_cast<long long>(call.data.count)) +
                             "; valid are 0 and above"};
  if (call.data.type == MPI_DATATYPE_NULL)
    return {Code::type, type_name + " is MPI_DATATYPE_NULL; valid is any committed datatype"};
  const MPI_Count most = most_items(call.data.count, call.data.type, 1);
  if (call.data.count > most)
    return {Code::count, named("count") + " is " + std::to_string(static_cast<long long>(call.data.count)) +
                             "; valid are at most " + std::to_string(static_cast<long long>(most)) +
                             ", so that memory can hold the buffer"};
  const int size = peers_of(call, binding);
  const bool any_source = !call.sending && call.peer == MPI_ANY_SOURCE;
  if (call.peer != MPI_PROC_NULL && !any_source && (call.peer < 0 || call.peer >= size))
    return {Code::rank, std::string(call.sending ? "dest" : "source") + " is " + std::to_string(call.peer) +
                            "; valid are 0 to " + std::to_string(size - 1) + ", MPI_PROC_NULL" +
                            (call.sending ? "" : " and MPI_ANY_SOURCE")};
  const int greatest = greatest_tag(call.comm);
  const bool any_tag = !call.sending && call.tag == MPI_ANY_TAG;
  if (!any_tag && (call.tag < 0 || call.tag > greatest))
    return {Code::tag, named("tag") + " is " + std::to_string(call.tag) + "; valid are 0 to " +
                           std::to_string(greatest) + (call.sending ? "" : " and MPI_ANY_TAG")};
  // MPI_BOTTOM is NULL, and a valid address for types that hold absolute addresses.
  const bool null = call.data.buffer == nullptr && call.data.count > 0 && find_dtype(call.data.type).has_value();
  if (null || call.data.buffer == MPI_IN_PLACE)
    return {Code::buffer,
            named("buf") + " is " + (null ? "NULL" : "MPI_IN_PLACE") + "; valid is memory for all elements"};
  return {};
}

MessageOperation::MessageOperation(bool sending) : plan_(plan_of_message(sending)) {}

void MessageOperation::begin(const std::shared_ptr<Binding>& b, const MessageCall& call,
                             const laconic_options& settings, const laconic_options* given, StatsSink sink) {
  const FloatEnvironment standard;
  binding = b;
  call_ = call;
  settings_ = settings;
  given_ = given;
  sink_ = sink;
  began_ = now();
  stats_ = empty_stats();
  status = {};
  mpi_code = MPI_SUCCESS;
  has_envelope = false;
  run_ = nullptr;
  holder_ = device_ = nullptr;
  finished_ = false;
  in_flight = true;
  begin();
  given_ = nullptr;
}

bool MessageOperation::poll() {
  while (!finished_ && move_on()) {
  }
  return finished_;
}

Status MessageOperation::find_holder() {
  const MemoryType at = memory_type_of(call_.data.extent());
  if (!at.on_device()) return {};
  Status problem;
  holder_ = binding->device(at, problem);
  return holder_ != nullptr ? holder_->follow(settings_.stream) : problem;
}

bool MessageOperation::kernels_serve(const Coding& coding, const void* numbers) {
  if (holder_ == nullptr) return false;
  stats_.through_host = why_through_host(*holder_, numbers, work_.codec, coding);
  return stats_.through_host == LACONIC_THROUGH_HOST_NOT;
}

Status MessageOperation::stage(bool filled) {
  const double begin = now();
  if (Status s = staging_buffer_.make(*holder_, call_.data.extent(), filled); !s) return s;
  call_.data.buffer = staging_buffer_.of(call_.data.buffer);
  stats_.seconds_copy += now() - begin;
  stats_.memory_bytes += staging_buffer_.size();
  return {};
}

Status MessageOperation::reserve_run(int peer, std::byte* numbers) {
  for (Action& action : plan_.actions)
    if (action.peer >= 0) action.peer = peer;
  work_.plan = &plan_;
  region_ = {call_.sending ? numbers : nullptr, call_.sending ? nullptr : numbers, work_.largest};
  work_.regions = {&region_, 1};
  run_ = &binding->machinery()->acquire_run(settings_.threads, call_.sending ? Purpose::sending : Purpose::receiving,
                                            device_);
  return run_->reserve(work_);
}

void MessageOperation::end(Status outcome) {
  if (run_ != nullptr) binding->machinery()->release_run(*run_);
  run_ = nullptr;
  staging_buffer_.release();
  status = std::move(outcome);
  finished_ = true;
  if (!status.ok() || mpi_code != MPI_SUCCESS) return;
  stats_.calls = 1;
  stats_.through_host_calls = stats_.through_host != LACONIC_THROUGH_HOST_NOT ? 1 : 0;
  stats_.seconds_total = now() - began_;
  const double named = stats_.seconds_encode + stats_.seconds_decode + stats_.seconds_copy + stats_.seconds_wait;
  // With worker threads the coding overlaps the calling thread's time and the phases may exceed the total.
  stats_.seconds_other = std::max(0.0, stats_.seconds_total - named);
  accumulate(binding->stats, stats_);
  sink_.write(stats_);
}

void MessageOperation::end_plain(laconic_plain_reason reason) {
  stats_.plain_calls = 1;
  stats_.plain_reason = reason;
  // A message to nobody is staged nowhere.
  if (staging_buffer_.made()) stats_.through_host = LACONIC_THROUGH_HOST_MPI;
  end({});
}

void MessageOperation::end_run(Status outcome, double bound) {
  const Account& account = run_->account();
  stats_.bytes_sent = account.bytes_sent + (call_.sending ? wire::envelope_bytes : 0);
  stats_.bytes_uncompressed = account.bytes_uncompressed;
  if (stats_.bytes_sent > 0)
    stats_.ratio = static_cast<double>(stats_.bytes_uncompressed) / static_cast<double>(stats_.bytes_sent);
  stats_.bound = bound;
  stats_.achieved_bound = std::min(call_.sending ? account.error_sent : account.error, bound);
  stats_.seconds_encode = account.seconds_encode;
  stats_.seconds_decode = account.seconds_decode;
  stats_.seconds_wait = account.seconds_wait;
  stats_.most_chunks = account.most_rows;
  stats_.memory_bytes += run_->most_used();
  end(std::move(outcome));
}

}  // namespace laconic
