// SPDX-License-Identifier: BSD-3-Clause
// Buffers of a collective in device memory.  They stay there when the codec has kernels for the call; otherwise staging
// buffers on the host stand in for them.
#include "base/clock.hpp"
#include "codec/device_codec.hpp"
#include "comm/collectives/collective.hpp"
#include "comm/core/asked.hpp"
#include "transport/mpi/device_memory.hpp"

namespace laconic {

Status CollectiveOperation::place_buffers() {
  if (binding->intercomm) return check_intercomm_buffers();
  const std::span<std::byte> sent = shape_.extent_of_side(true);
  const std::span<std::byte> received = shape_.extent_of_side(false);
  const bool meet = !sent.empty() && !received.empty() && sent.data() < received.data() + received.size() &&
                    received.data() < sent.data() + sent.size();
  if (meet)
    if (Status s = shape_.check_apart(); !s) return s;
  const MemoryType from = memory_type_of(sent);
  const MemoryType to = memory_type_of(received);
  if (!from.on_device() && !to.on_device()) return {};
  const int number = from.on_device() ? from.device : to.device;
  Status problem;
  holder_ = binding->device(number, problem);
  if (holder_ == nullptr) return problem;
  if (Status s = holder_->follow(settings_.stream); !s) return s;
  if (reason_ == LACONIC_PLAIN_NOT && shape_.signature().in_a_row && kernels_serve(number, sent) &&
      kernels_serve(number, received)) {
    device_ = holder_;
    return {};
  }
  // MPI does not know the stream, so the data that it is given must be complete.
  if (reason_ != LACONIC_PLAIN_NOT && mpi_takes_device_memory()) return holder_->copy(nullptr, nullptr, 0);
  return stage_buffers();
}

// Whether this device can work on the data of this extent.
bool CollectiveOperation::kernels_serve(int number, std::span<const std::byte> extent) const {
  if (!extent.empty()) {
    const MemoryType at = memory_type_of(extent);
    if (!at.on_device() || at.device != number) return false;
  }
  const Codec* codec = asked_codec(settings_);
  return codec != nullptr && codec->on_device() != nullptr && codec->on_device()->supports(asked_coding());
}

// On an intercommunicator the other group determines which buffers count and how large they are.
Status CollectiveOperation::check_intercomm_buffers() const {
  if (mpi_takes_device_memory()) return {};
  for (const Side* side : {&call_.send, &call_.recv}) {
    if (side->buffer == MPI_IN_PLACE || !memory_type_of(side->buffer).on_device()) continue;
    return {Code::buffer, std::string(side == &call_.send ? "sendbuf" : "recvbuf") +
                              " is in the memory of a device, on an intercommunicator; valid is memory of the host"};
  }
  return {};
}

Status CollectiveOperation::stage_buffers() {
  const double begin = now();
  device_ = nullptr;
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
  stats_.seconds_copy += now() - begin;
  return {};
}

Status CollectiveOperation::return_buffers() {
  if (!received_.made()) return {};
  const double begin = now();
  const Status s = received_.put_back();
  stats_.seconds_copy += now() - begin;
  return s;
}

void CollectiveOperation::release_buffers() {
  sent_.release();
  received_.release();
  if (!aside_on_device_.empty()) holder_->give_back(std::exchange(aside_on_device_, {}));
  device_ = nullptr;
}

// Begins to find the range of numbers on a device; false when no range is needed there.
bool CollectiveOperation::measure() {
  if (device_ == nullptr || !local_.ok() || own_reason() != LACONIC_PLAIN_NOT) return false;
  if (settings_.bound.mode != LACONIC_BOUND_REL) return false;
  stage_ = Stage::measuring;
  range_job_.dtype = shape_.signature().dtype;
  shape_.numbers(range_job_.parts);
  local_ = range_job_.begin(*device_);
  return true;
}

bool CollectiveOperation::measured() {
  device_->progress();
  if (!range_job_.done()) return false;
  if (local_.ok()) local_ = range_job_.status;
  own_range_ = range_job_.range;
  let_others_agree();
  agree();
  return true;
}

}  // namespace laconic
