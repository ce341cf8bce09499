// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/datatypes.hpp"
#include "comm/core/requests.hpp"
#include "comm/messages/message.hpp"
#include "comm/messages/message_tuning.hpp"
#include "comm/messages/repeated_message.hpp"

namespace laconic {

void SendOperation::release() {
  const std::shared_ptr<Binding> keep = binding;
  const std::lock_guard lock(keep->mutex);
  if (!blocking) keep->message_tuner.clock().sent();
  give_back(this, keep->idle_sends);
}

laconic_plain_reason SendOperation::plain_reason(std::size_t bytes) const {
  if (binding->intercomm) return LACONIC_PLAIN_INTERCOMM;
  if (settings_.bound.mode == LACONIC_BOUND_UNSET) return LACONIC_PLAIN_NO_BOUND;
  if (settings_.algorithm == LACONIC_ALGORITHM_PLAIN) return LACONIC_PLAIN_ASKED;
  if (call_.peer == binding->rank || call_.peer == MPI_PROC_NULL) return LACONIC_PLAIN_ONE_RANK;
  const std::optional<Dtype> dtype = find_dtype(call_.data.type);
  if (!dtype.has_value() || (is_integer(*dtype) && !codes_integers(settings_, *dtype))) return LACONIC_PLAIN_TYPE;
  if (bytes <= wire::envelope_bytes || bytes < static_cast<std::size_t>(settings_.min_bytes))
    return LACONIC_PLAIN_SMALL;
  return binding->machinery() == nullptr ? LACONIC_PLAIN_UNPREPARED : LACONIC_PLAIN_NOT;
}

namespace {

// Whether every message of this datatype and size has this reason until settings change or the machinery is made.
bool reason_of_settings(laconic_plain_reason reason) {
  return reason == LACONIC_PLAIN_NO_BOUND || reason == LACONIC_PLAIN_ASKED || reason == LACONIC_PLAIN_TYPE ||
         reason == LACONIC_PLAIN_SMALL || reason == LACONIC_PLAIN_UNPREPARED;
}

}  // namespace

void SendOperation::begin() {
  stats_.bytes_in = call_.data.bytes();
  reason_ = plain_reason(stats_.bytes_in);
  if (call_.peer == MPI_PROC_NULL) return end_plain(reason_);
  packet_gone_ = false;
  if (Status s = find_holder(); !s) return end(s);
  MessageClass* tuning = nullptr;
  if (reason_ == LACONIC_PLAIN_NOT && holder_ == nullptr && tuned(settings_)) {
    tuning = &message_class(*binding, stats_.bytes_in, settings_);
    if (left_to_mpi(*tuning, *binding, call_.data, *find_dtype(call_.data.type), settings_, call_.decision))
      reason_ = LACONIC_PLAIN_SLOWER;
  }
  plain_ = reason_ != LACONIC_PLAIN_NOT;
  // A call with a decision is known already.
  if (!call_.decision && (tuning != nullptr || reason_of_settings(reason_)))
    remember(*binding, call_, given_, tuning, tuning != nullptr ? LACONIC_PLAIN_SLOWER : reason_);
  if (!plain_) {
    if (Status s = begin_frames(); !s) end(s);
    return;
  }
  if (holder_ != nullptr)
    if (Status s = stage(true); !s) return end(s);
  mpi_code = packet_.send(call_.data, route(), call_.comm);
  if (mpi_code != MPI_SUCCESS) end({});
}

Status SendOperation::begin_frames() {
  if (Status s = set_coding(); !s) return s;
  choose_chunk();
  if (Status s = reserve_run(call_.peer, static_cast<std::byte*>(call_.data.buffer)); !s) return s;
  work_.sequence = static_cast<std::uint32_t>(binding->machinery()->next_message(call_.peer));
  wire::Envelope header;
  header.bytes = stats_.bytes_in;
  header.dtype = work_.coding.dtype;
  header.number = static_cast<std::uint32_t>(work_.sequence);
  header.capacity = static_cast<std::uint32_t>(work_.codec->moved_capacity(work_.chunk, work_.coding.dtype));
  header.chunk = static_cast<std::uint32_t>(work_.chunk);
  header.variant = static_cast<std::uint8_t>(settings_.variant);
  header.sealed = work_.checksum;
  header.bound = bound_;
  header.rate = work_.coding.rate;
  header.set_codec(work_.codec->name());
  mpi_code = packet_.send_envelope(header, route(), call_.comm);
  if (mpi_code != MPI_SUCCESS) return end({}), Status{};
  work_.salt = packet_.checksum();
  run_->start(work_);
  // All messages that MPI can take are sent now: a rank that waits for them must not depend on this rank's next call.
  while (!run_->poll() && !run_->waiting()) {
  }
  return {};
}

Status SendOperation::set_coding() {
  work_ = {};
  work_.codec = asked_codec(settings_);
  if (work_.codec == nullptr) return not_built(settings_.codec);
  work_.largest = static_cast<std::size_t>(call_.data.count);
  work_.checksum = settings_.checksum == LACONIC_CHECKSUM_ON;
  Coding& coding = work_.coding;
  coding = asked_coding(settings_, *find_dtype(call_.data.type));
  if (Status s = check_coding(*work_.codec, coding); !s) return s;
  if (Status s = place_numbers(); !s) return s;
  Range range{};
  if (settings_.bound.mode == LACONIC_BOUND_REL) {
    if (Status s = find_range(range); !s) return s;
    coding.greatest = greatest_magnitude(range);
  }
  bound_ = coding.allowance = work_.last_allowance = absolute_bound(settings_, range);
  // With these bounds the absolute error is not known before the numbers are coded.
  if (coding.rate > 0 || coding.relative > 0) bound_ = std::numeric_limits<double>::infinity();
  return {};
}

// Leaves the numbers on their device if kernels can code them, and stages them on the host otherwise.
Status SendOperation::place_numbers() {
  if (holder_ == nullptr) return {};
  if (!kernels_serve(work_.coding, call_.data.extent().data())) return stage(true);
  device_ = holder_;
  return {};
}

Status SendOperation::find_range(Range& range) {
  if (device_ == nullptr) {
    range = range_without_fills(call_.data.buffer, work_.largest, work_.coding.dtype);
    return {};
  }
  // Messages leave in the order of the calls, and the envelope of this one holds the bound, so this call waits for the
  // range.
  range_job_.dtype = work_.coding.dtype;
  range_job_.parts.assign(1, {call_.data.buffer, work_.largest});
  if (Status s = range_job_.begin(*device_); !s) return s;
  while (!range_job_.done()) device_->progress();
  range = range_job_.range;
  return range_job_.status;
}

void SendOperation::choose_chunk() {
  candidate_ = -1;
  const bool overlap = overlapping(settings_.variant);
  work_.depth = overlap ? settings_.depth : 1;
  if (!overlap) {
    work_.chunk = work_.largest;
  } else if (settings_.chunk_elements > 0) {
    work_.chunk = static_cast<std::size_t>(settings_.chunk_elements);
  } else {
    const auto choice = binding->chunk_counts.next(call_.peer, work_.largest, size_of(work_.coding.dtype));
    work_.chunk = choice.chunk;
    candidate_ = choice.candidate;
  }
  work_.chunk = std::min({work_.chunk, work_.largest, static_cast<std::size_t>(wire::largest_chunk)});
}

bool SendOperation::move_on() {
  if (!packet_gone_) {
    mpi_code = packet_.poll(packet_gone_);
    if (mpi_code != MPI_SUCCESS) {
      run_ = nullptr;  // it may still be sending, so it is not used again
      end({});
      return true;
    }
  }
  if (plain_) {
    if (packet_gone_) end_plain(reason_);
    return packet_gone_;
  }
  if (!run_->poll() || !packet_gone_) return false;
  end_frames();
  return true;
}

void SendOperation::end_frames() {
  const Status outcome = run_->status();
  stats_.codec = in_api(work_.codec->api_name());
  stats_.variant = settings_.variant;
  if (outcome.ok() && candidate_ >= 0)
    binding->chunk_counts.record(call_.peer, call_.data.bytes(), candidate_, now() - began_,
                                 run_->account().seconds_encode);
  end_run(outcome, bound_);
}

}  // namespace laconic
