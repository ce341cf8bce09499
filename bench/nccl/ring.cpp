// SPDX-License-Identifier: BSD-3-Clause
#include "ring.hpp"

#include <algorithm>
#include <cstring>

#include "wire/frame.hpp"

namespace laconic::bench {
namespace {

const Codec& zfp() {
  const Codec* codec = find_codec("zfp");
  if (codec == nullptr || codec->on_device() == nullptr) throw std::runtime_error("this build has no kernels of zfp");
  return *codec;
}

// The size of a frame of so many numbers.  At a fixed rate it does not depend on them, if all are finite.
std::size_t size_of_frame(const Codec& codec, std::size_t count, const Coding& coding) {
  const std::vector<float> zeros(count);
  std::vector<std::byte> out(codec.capacity(count, coding.dtype));
  const Coded coded = codec.encode(reinterpret_cast<const std::byte*>(zeros.data()), count, coding, out);
  test::must(coded.status);
  return coded.bytes;
}

}  // namespace

Ring::Ring(ncclComm_t comm, int rank, int size, std::size_t count, double rate)
    : comm_(comm),
      rank_(rank),
      size_(size),
      count_(count),
      codec_(zfp()),
      room_((codec_.capacity(count_of(0), Dtype::f32) + 255) / 256 * 256),
      frames_(2 * room_ * static_cast<std::size_t>(size)) {
  coding_.rate = rate;
  coding_.terms = static_cast<std::uint32_t>(size);
  for (int b = 0; b < size; ++b) {
    const bool like_the_last = b > 0 && count_of(b) == count_of(b - 1);
    bytes_.push_back(like_the_last ? bytes_.back() : size_of_frame(codec_, count_of(b), coding_));
  }
  test::must(cudaHostAlloc(&headers_, wire::header_bytes * static_cast<std::size_t>(size), cudaHostAllocMapped));
}

Ring::~Ring() {
  Status status;
  queue_.reached(status);
  cudaFreeHost(headers_);
}

std::size_t Ring::begin_of(int block) const {
  const auto b = static_cast<std::size_t>(block), blocks = static_cast<std::size_t>(size_);
  return b * (count_ / blocks) + std::min(b, count_ % blocks);
}

std::byte* Ring::frame(int block, bool made) const {
  return frames_.get() + room_ * (2 * static_cast<std::size_t>(block) + (made ? 1 : 0));
}

// The header is the one that the sender's kernel has written, but for the error, which kernels of a fixed rate measure
// and no host has read.
DeviceFrame Ring::arrived(int block) const {
  DeviceFrame f;
  f.bytes = frame(block, false);
  f.size = bytes_[static_cast<std::size_t>(block)];
  f.header.codec = codec_.id();
  f.header.count = static_cast<std::uint32_t>(count_of(block));
  f.header.payload = static_cast<std::uint32_t>(f.size - wire::header_bytes);
  return f;
}

Status Ring::keep_header(int block) {
  return queue_.copy(headers_ + wire::header_bytes * static_cast<std::size_t>(block), frame(block, true),
                     wire::header_bytes);
}

// Step s of the first size - 1 sends block rank - s, which holds the numbers of s + 1 ranks.  The next one sends the
// block that is complete here, and those after it send on what has arrived.
Status Ring::prepare(int step, const float* numbers) {
  if (step > size_ - 1) return {};
  const int block = wrap(rank_ - step);
  const float* own = numbers + begin_of(block);
  const std::size_t count = count_of(block);
  const Status made = step == 0
                          ? codec_.on_device()->encode(own, count, coding_, frame(block, true), queue_)
                          : codec_.on_device()->fold(arrived(block), own, count, coding_, frame(block, true), queue_);
  return made.ok() ? keep_header(block) : made;
}

int Ring::sent_in(int step) const { return wrap(step < size_ - 1 ? rank_ - step : rank_ + size_ - step); }

ncclResult_t Ring::exchange(int step) {
  const int sent = sent_in(step);
  const bool made = step <= size_ - 1;
  const int received = wrap(sent - 1);
  const ncclResult_t code = ncclSend(frame(sent, made), bytes_[static_cast<std::size_t>(sent)], ncclUint8,
                                     (rank_ + 1) % size_, comm_, stream());
  if (code != ncclSuccess) return code;
  return ncclRecv(frame(received, false), bytes_[static_cast<std::size_t>(received)], ncclUint8,
                  (rank_ + size_ - 1) % size_, comm_, stream());
}

Status Ring::finish(const float* numbers, float* result) {
  if (size_ == 1) return queue_.copy(result, numbers, count_ * sizeof(float));
  for (int b = 0; b < size_; ++b) {
    DeviceFrame f = arrived(b);
    if (b == (rank_ + 1) % size_) f.bytes = frame(b, true);
    if (Status s = codec_.on_device()->decode(f, result + begin_of(b), count_of(b), coding_, queue_); !s) return s;
  }
  return {};
}

bool Ring::fits() {
  Status status;
  queue_.reached(status);
  test::must(status);
  for (int b = 0; b < size_ && size_ > 1; ++b) {
    const std::size_t size = bytes_[static_cast<std::size_t>(b)];
    wire::Header header;
    const auto* first = headers_ + wire::header_bytes * static_cast<std::size_t>(b);
    if (!wire::read_header({first, wire::header_bytes}, size, header).ok() || header.failed()) return false;
  }
  return true;
}

std::size_t Ring::bytes_sent() const {
  std::size_t bytes = 0;
  for (int step = 0; step < steps(); ++step) bytes += bytes_[static_cast<std::size_t>(sent_in(step))];
  return bytes;
}

}  // namespace laconic::bench
