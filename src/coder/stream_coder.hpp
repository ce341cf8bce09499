// SPDX-License-Identifier: BSD-3-Clause
// One frame at a time in the memory of a device, on a stream of the caller, for which the host never waits.
#pragma once

#include <cstddef>
#include <memory>

#include "codec/device_codec.hpp"
#include "codec/stream_result.hpp"
#include "coder/settings.hpp"
#include "device/devices.hpp"

namespace laconic {

// Memory for a frame, on the device.
template <class Byte>
struct FrameBuffer {
  const char* name;  // of the argument, for messages
  Byte* bytes;
  std::size_t capacity;
};
using FrameIn = FrameBuffer<const std::byte>;
using FrameOut = FrameBuffer<std::byte>;

struct StreamUse {
  void* stream;
  StreamResult* result;
};

class StreamCoder {
 public:
  // The settings must outlive the coder.
  explicit StreamCoder(const CoderSettings& settings) : settings_(settings) {}

  Status prepare(std::size_t count);
  Status encode(const void* numbers, std::size_t count, const FrameOut& frame, const StreamUse& use);
  Status decode(const FrameIn& frame, void* numbers, std::size_t count, double divisor, const StreamUse& use);
  Status fold(const FrameIn& frame, const void* numbers, std::size_t count, const FrameOut& out, const StreamUse& use);
  Status add(const FrameIn& a, const FrameIn& b, std::size_t count, const FrameOut& out, const StreamUse& use);

 private:
  Status open();
  Status check_coding_here() const;
  Status check_count(std::size_t count) const;
  Status check_start(std::size_t count, const StreamUse& use);
  Status check_memory(const char* name, const void* memory, std::size_t alignment) const;
  Status check_numbers(const void* numbers, std::size_t count) const;
  Status check_in(const FrameIn& in, std::size_t count) const;
  Status check_out(const FrameOut& out, std::size_t count) const;
  DeviceFrame unread_frame(const FrameIn& in, unsigned place);
  template <class Enqueue>
  Status run(std::size_t count, std::byte* made, const StreamUse& use, const Enqueue& enqueue);

  const CoderSettings& settings_;
  std::unique_ptr<CallerQueue> queue_;
};

// The error that a result holds.
Status status_of(const StreamResult& result);

}  // namespace laconic
