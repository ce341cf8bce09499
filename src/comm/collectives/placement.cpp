// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives/placement.hpp"

#include <new>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/through_host.hpp"
#include "transport/mpi/device_memory.hpp"

namespace laconic {

Coding coding_of(const ResolvedCall& resolved, const Shape& shape, int ranks) {
  const Signature& s = shape.signature();
  Coding coding = asked_coding(resolved.settings(), s.dtype);
  coding.op = s.op;
  coding.divisor = s.mean ? ranks : 1;
  if (resolved.call().traits().reduces) coding.exact_denormals = false;
  coding.streaming = shape.bytes() >= streaming_bytes;
  return coding;
}

void Placement::set(const ResolvedCall& resolved) {
  resolved_ = &resolved;
  call_ = resolved.call();
  shape_ = resolved.shape();
  shape_.bind(call_);
  flat_.clear();
  holder_ = device_ = nullptr;
  through_host_ = LACONIC_THROUGH_HOST_NOT;
  input_ = {};
  seconds_copy_ = 0;
}

Status Placement::place(Binding& binding, bool plain) {
  if (binding.intercomm) return check_intercomm_buffers();
  const std::span<std::byte> sent = shape_.extent_of_side(true);
  const std::span<std::byte> received = shape_.extent_of_side(false);
  const bool apart = call_.send.buffer != MPI_IN_PLACE && !call_.traits().one_buffer();
  if (!shape_.extent().empty()) input_ = apart ? sent : received;
  const bool meet = !sent.empty() && !received.empty() && sent.data() < received.data() + received.size() &&
                    received.data() < sent.data() + sent.size();
  if (meet)
    if (Status s = shape_.check_apart(); !s) return s;
  const MemoryType from = memory_type_of(sent);
  const MemoryType to = memory_type_of(received);
  if (from.on_device() || to.on_device()) {
    const MemoryType& at = from.on_device() ? from : to;
    Status problem;
    holder_ = binding.device(at, problem);
    if (holder_ == nullptr) return problem;
    if (Status s = holder_->follow(resolved_->settings().stream); !s) return s;
    // MPI does not know the stream, so the data that it is given must be complete.
    if (plain && mpi_takes_device_memory()) return holder_->copy(nullptr, nullptr, 0);
    laconic_through_host reason = LACONIC_THROUGH_HOST_MPI;
    if (!plain) {
      reason = why_through_host(at, from, sent, binding.size);
      if (reason == LACONIC_THROUGH_HOST_NOT) reason = why_through_host(at, to, received, binding.size);
    }
    if (reason == LACONIC_THROUGH_HOST_NOT)
      device_ = holder_;
    else if (Status s = stage(reason); !s)
      return s;
  }
  return plain ? Status{} : flatten(binding);
}

// Rewrites the call as one of numbers: types that hold the same numbers may be composed differently on every rank.
Status Placement::flatten(Binding& binding) {
  const Signature& s = shape_.signature();
  if (!s.composed || reason_of_type(s, resolved_->settings()) != LACONIC_PLAIN_NOT) return {};
  flat_.set(call_, shape_, binding.rank, binding.topology());
  if (Status status = flat_.make_room(call_); !status) return status;
  shape_ = shape_on(binding, call_);
  return shape_.check_own_block();
}

// Why the device of the call, holder_, cannot work on the data of this extent, which is in memory of type `at`.
laconic_through_host Placement::why_through_host(const MemoryType& of_call, const MemoryType& at,
                                                 std::span<const std::byte> extent, int ranks) const {
  if (!shape_.signature().in_a_row) return LACONIC_THROUGH_HOST_LAYOUT;
  if (!extent.empty() && (!at.on_device() || at.device != of_call.device || at.context != of_call.context))
    return LACONIC_THROUGH_HOST_BUFFERS;
  return laconic::why_through_host(*holder_, extent.data(), asked_codec(resolved_->settings()),
                                   coding_of(*resolved_, shape_, ranks));
}

// On an intercommunicator the other group determines which buffers count and how large they are.
Status Placement::check_intercomm_buffers() const {
  if (mpi_takes_device_memory()) return {};
  for (const Side* side : {&call_.send, &call_.recv}) {
    if (side->buffer == MPI_IN_PLACE || !memory_type_of(side->buffer).on_device()) continue;
    return {Code::buffer, std::string(side == &call_.send ? "sendbuf" : "recvbuf") +
                              " is in the memory of a device, on an intercommunicator; valid is memory of the host"};
  }
  return {};
}

Status Placement::stage(laconic_through_host reason) {
  const double begin = now();
  device_ = nullptr;
  through_host_ = reason;
  const std::span<std::byte> sent = shape_.extent_of_side(true);
  const std::span<std::byte> received = shape_.extent_of_side(false);
  const bool shared = call_.send.buffer == call_.recv.buffer;  // one argument for both sides
  // The receive buffer may have gaps, and in place it also holds the data to send: it is staged with its contents.
  if (memory_type_of(received).on_device()) {
    if (Status s = received_.make(*holder_, received, true); !s) return s;
    call_.recv.buffer = received_.of(call_.recv.buffer);
    if (shared) call_.send.buffer = call_.recv.buffer;
  }
  if (!shared && memory_type_of(sent).on_device()) {
    if (Status s = sent_.make(*holder_, sent, true); !s) return s;
    call_.send.buffer = sent_.of(call_.send.buffer);
  }
  seconds_copy_ += now() - begin;
  return {};
}

void Placement::begin_range(RangeJob& job) const {
  job.dtype = shape_.signature().dtype;
  shape_.numbers(job.parts);
}

Status Placement::set_aside() {
  if (!shape_.overlaps()) {
    aside_.clear();
    return {};
  }
  const auto from = shape_.extent();
  if (device_ != nullptr) {
    device_->give_back(std::exchange(aside_on_device_, {}));
    aside_.clear();
    if (from.empty()) return {};
    aside_on_device_ = device_->lease(from.size());
    if (aside_on_device_.empty()) return {Code::memory, "no memory for a copy of what is to be sent in place"};
    return device_->copy(aside_on_device_.data(), from.data(), from.size());
  }
  try {
    aside_.assign(from.begin(), from.end());
  } catch (const std::bad_alloc&) {
    return {Code::memory, "no memory for a copy of what is to be sent in place"};
  }
  return {};
}

const std::byte* Placement::aside() const {
  if (!aside_on_device_.empty()) return aside_on_device_.data();
  return aside_.empty() ? nullptr : aside_.data();
}

// In place, the receive side describes the data to send, even where there are none: MPI never looked at the send side.
CollectiveCall Placement::exchangeable() const {
  CollectiveCall call = call_;
  if (!shape_.overlaps()) return call;
  call.send = call_.recv;
  if (!aside_.empty())
    call.send.buffer = const_cast<std::byte*>(aside_.data()) -
                       (shape_.extent().data() - static_cast<const std::byte*>(call_.recv.buffer));
  return call;
}

Status Placement::put_back() {
  if (!received_.made()) return {};
  const double begin = now();
  const Status s = received_.put_back();
  seconds_copy_ += now() - begin;
  return s;
}

void Placement::release() {
  sent_.release();
  received_.release();
  if (!aside_on_device_.empty()) holder_->give_back(std::exchange(aside_on_device_, {}));
  device_ = nullptr;
}

std::size_t Placement::size() const {
  return flat_.size() + aside_.size() + aside_on_device_.size() + sent_.size() + received_.size();
}

}  // namespace laconic
