// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <new>
#include <string>

#include "base/clock.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/datatypes.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/own_message.hpp"
#include "comm/core/requests.hpp"
#include "comm/messages/message.hpp"
#include "comm/messages/repeated_message.hpp"

namespace laconic {
namespace {

Status too_long(std::size_t bytes, std::size_t room) {
  return {Code::truncate, "a message of " + std::to_string(bytes) + " bytes for a receive of " + std::to_string(room) +
                              "; valid is a count for all that is sent"};
}

}  // namespace

void ReceiveOperation::release() {
  const std::shared_ptr<Binding> keep = binding;
  const std::lock_guard lock(keep->mutex);
  keep->message_tuner.clock().received(now());
  give_back(this, keep->idle_receives);
}

void ReceiveOperation::begin() {
  stage_ = Stage::matching;
  problem_ = {};
  if (call_.peer == MPI_PROC_NULL) {
    envelope = {};
    envelope.MPI_SOURCE = MPI_PROC_NULL;
    envelope.MPI_TAG = MPI_ANY_TAG;
    has_envelope = true;
    set_elements(0);
    return end_plain(LACONIC_PLAIN_ONE_RANK);
  }
  if (Status s = find_holder(); !s) return end(s);
  original_ = static_cast<std::byte*>(call_.data.buffer);
  // The data may arrive uncompressed, and then MPI writes them on the host.  Gaps must keep their contents.
  if (holder_ != nullptr)
    if (Status s = stage(!call_.data.gapless()); !s) return end(s);
  if (call_.arrived) return packet_.take(*call_.arrived);
  mpi_code = packet_.receive(call_.data, call_.peer, call_.tag, call_.comm);
  if (mpi_code != MPI_SUCCESS) return end({});
  if (blocking) remember(*binding, call_, given_, nullptr, LACONIC_PLAIN_SENDER);
}

// The status counts bytes, so it is right for any datatype that the application queries it with.
void ReceiveOperation::set_elements(std::size_t bytes) {
  MPI_Status_set_elements_x(&envelope, MPI_BYTE, static_cast<MPI_Count>(bytes));
  MPI_Status_set_cancelled(&envelope, 0);
}

bool ReceiveOperation::move_on() {
  switch (stage_) {
    case Stage::matching: {
      bool arrived = false;
      mpi_code = packet_.poll(arrived);
      if (!arrived) return false;
      envelope = packet_.status();
      has_envelope = true;
      match();
      return true;
    }
    case Stage::preparing: return prepare();
    case Stage::running: {
      if (!run_->poll()) return false;
      Status outcome = in_operation("receive", problem_.ok() ? run_->status() : problem_);
      if (outcome.ok()) outcome = put_in_place();
      if (outcome.ok() && device_ == nullptr) outcome = bring_back(header_.bytes);
      // A codec that is not in this build cannot have decoded the message.
      if (const Codec* codec = find_codec(header_.codec_name()); codec != nullptr)
        stats_.codec = in_api(codec->api_name());
      stats_.variant = static_cast<laconic_variant>(header_.variant);
      stats_.memory_bytes += aside_.size();
      end_run(outcome, header_.bound);
      return true;
    }
  }
  return false;
}

// Tells an envelope from the application's data.
void ReceiveOperation::match() {
  set_elements(packet_.received());
  if (mpi_code != MPI_SUCCESS) return end({});
  if (!packet_.aside() && packet_.received() == wire::envelope_bytes) {
    mpi_code = packet_.read_back(call_.data);
    if (mpi_code != MPI_SUCCESS) return end({});
  }
  if (!wire::is_envelope(packet_.bytes(), packet_.received())) return end_uncompressed();
  set_elements(0);
  const wire::ReadEnvelope read =
      wire::read_envelope(packet_.bytes(), {envelope.MPI_SOURCE, binding->rank, envelope.MPI_TAG});
  header_ = read.envelope;
  salt_ = read.checksum;
  if (!read.status.ok())
    problem_ = {read.status.code(),
                "a message from rank " + std::to_string(envelope.MPI_SOURCE) + ": " + read.status.message()};
  if (!problem_.ok() && !read.repaired) return end(in_operation("receive", problem_));
  stage_ = Stage::preparing;
}

void ReceiveOperation::end_uncompressed() {
  const std::size_t bytes = packet_.received();
  if (packet_.aside()) {
    if (bytes > call_.data.bytes()) return end(too_long(bytes, call_.data.bytes()));
    mpi_code = packet_.copy_to(call_.data);
    if (mpi_code != MPI_SUCCESS) return end({});
  }
  if (Status s = bring_back(bytes); !s) return end(s);
  const bool own = envelope.MPI_SOURCE == binding->rank;
  end_plain(binding->intercomm ? LACONIC_PLAIN_INTERCOMM : own ? LACONIC_PLAIN_ONE_RANK : LACONIC_PLAIN_SENDER);
}

bool ReceiveOperation::prepare() {
  Machinery* machinery = binding->machinery();
  if (machinery == nullptr) {
    // The sender has finished making the machinery, so this rank is about to.
    if (binding->making_machinery()) return false;
    end({Code::comm, "a compressed message, but no communicator could be made beside this one"});
    return true;
  }
  work_ = {};
  work_.coding.dtype = header_.dtype;
  work_.coding.rate = header_.rate;
  work_.coding.streaming = header_.bytes >= streaming_bytes;
  work_.largest = header_.count();
  work_.chunk = header_.chunk;
  work_.depth = overlapping(static_cast<laconic_variant>(header_.variant)) ? settings_.depth : 1;
  work_.sequence = header_.number;
  work_.checksum = header_.sealed;
  work_.salt = salt_;
  work_.codec = find_codec(header_.codec_name());
  std::byte* numbers = nullptr;
  if (problem_.ok()) problem_ = place_for_numbers(numbers);
  if (!problem_.ok()) {
    discard_.set_capacity(header_.capacity);
    work_.codec = &discard_;
  }
  stage_ = Stage::running;
  if (Status s = reserve_run(envelope.MPI_SOURCE, numbers); !s) return end(s), true;
  run_->start(work_);
  return true;
}

// Finds the memory to decode the numbers into, or the reason why there is none.
Status ReceiveOperation::place_for_numbers(std::byte*& numbers) {
  const std::size_t room = call_.data.bytes();
  aside_.clear();
  if (header_.bytes > room) return too_long(header_.bytes, room);
  set_elements(header_.bytes);
  if (work_.codec == nullptr) return not_built(header_.codec_name());
  if (!work_.codec->supports(header_.dtype)) return not_supported(*work_.codec, header_.dtype);
  if (find_dtype(call_.data.type) == header_.dtype) {
    Coding sent = work_.coding;
    // The sender has not given an absolute bound: its frames may be those of a relative bound.
    if (work_.codec->relative() && !std::isfinite(header_.bound)) sent.relative = 1;
    if (kernels_serve(sent, original_)) device_ = holder_;
    numbers = device_ != nullptr ? original_ : static_cast<std::byte*>(call_.data.buffer);
    return {};
  }
  if (holder_ != nullptr) stats_.through_host = LACONIC_THROUGH_HOST_LAYOUT;
  try {
    aside_.resize(header_.bytes);
  } catch (const std::bad_alloc&) {
    return {Code::memory, "no memory for the numbers of a message to a buffer that is not an array of them"};
  }
  numbers = aside_.data();
  return {};
}

// Only MPI knows how to fill a buffer of a type with gaps, so this rank sends a message to itself.
Status ReceiveOperation::put_in_place() {
  if (aside_.empty()) return {};
  const Typed from{aside_.data(), static_cast<MPI_Count>(aside_.size()), MPI_BYTE};
  return move_by_message(from, {call_.data.buffer, call_.data.count, call_.data.type}, binding->rank,
                         binding->machinery()->comm());
}

// Copies the received data from the staging buffer to the device.
Status ReceiveOperation::bring_back(std::size_t bytes) {
  if (!staging_buffer_.made()) return {};
  return call_.data.gapless() ? staging_buffer_.put_back(bytes) : staging_buffer_.put_back();
}

}  // namespace laconic
