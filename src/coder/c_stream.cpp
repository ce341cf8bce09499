// SPDX-License-Identifier: BSD-3-Clause
// The functions of laconic/codec.h for memory of a device.
#include <cstddef>
#include <cstring>

#include "coder/c_coder.hpp"

namespace laconic {
namespace {

static_assert(sizeof(StreamResult) == sizeof(laconic_stream_result) &&
              offsetof(StreamResult, bytes) == offsetof(laconic_stream_result, bytes) &&
              offsetof(StreamResult, error) == offsetof(laconic_stream_result, error) &&
              offsetof(StreamResult, written) == offsetof(laconic_stream_result, written) &&
              offsetof(StreamResult, fault) == offsetof(laconic_stream_result, fault) &&
              offsetof(StreamResult, codec) == offsetof(laconic_stream_result, codec));

FrameIn frame_in(const char* name, const void* frame, std::size_t capacity) {
  return {name, static_cast<const std::byte*>(frame), capacity};
}
FrameOut frame_out(const char* name, void* frame, std::size_t capacity) {
  return {name, static_cast<std::byte*>(frame), capacity};
}
StreamUse use_of(laconic_stream_result* result, void* stream) {
  return {stream, reinterpret_cast<StreamResult*>(result)};
}

// Calls `body` with the coder.
template <class Body>
int with(laconic_coder coder, const Body& body) noexcept {
  return guarded([&] {
    if (coder == nullptr) return null("coder", "one of laconic_coder_create()");
    return body(*coder);
  });
}

}  // namespace
}  // namespace laconic

using laconic::frame_in;
using laconic::frame_out;
using laconic::Status;
using laconic::use_of;
using laconic::with;

int laconic_coder_prepare_device(laconic_coder coder, size_t count) {
  return with(coder, [&](laconic_coder_s& c) { return c.on_stream.prepare(count); });
}

int laconic_coder_encode_on_stream(laconic_coder coder, const void* numbers, size_t count, void* frame, size_t capacity,
                                   laconic_stream_result* result, void* stream) {
  return with(coder, [&](laconic_coder_s& c) {
    return c.on_stream.encode(numbers, count, frame_out("frame", frame, capacity), use_of(result, stream));
  });
}

int laconic_coder_decode_on_stream(laconic_coder coder, const void* frame, size_t capacity, void* numbers, size_t count,
                                   double divisor, laconic_stream_result* result, void* stream) {
  return with(coder, [&](laconic_coder_s& c) {
    if (Status s = laconic::check_divisor(divisor); !s) return s;
    return c.on_stream.decode(frame_in("frame", frame, capacity), numbers, count, divisor, use_of(result, stream));
  });
}

int laconic_coder_fold_on_stream(laconic_coder coder, const void* frame, size_t frame_capacity, const void* numbers,
                                 size_t count, void* out, size_t capacity, laconic_stream_result* result,
                                 void* stream) {
  return with(coder, [&](laconic_coder_s& c) {
    if (Status s = laconic::check_combines(c.coder); !s) return s;
    return c.on_stream.fold(frame_in("frame", frame, frame_capacity), numbers, count, frame_out("out", out, capacity),
                            use_of(result, stream));
  });
}

int laconic_coder_add_on_stream(laconic_coder coder, const void* a, size_t a_capacity, const void* b, size_t b_capacity,
                                size_t count, void* out, size_t capacity, laconic_stream_result* result, void* stream) {
  return with(coder, [&](laconic_coder_s& c) {
    if (Status s = laconic::check_combines(c.coder); !s) return s;
    return c.on_stream.add(frame_in("a", a, a_capacity), frame_in("b", b, b_capacity), count,
                           frame_out("out", out, capacity), use_of(result, stream));
  });
}

int laconic_stream_result_check(const laconic_stream_result* result) {
  return laconic::guarded([&] {
    if (result == nullptr) return laconic::null("result", "the address of a copy on the host");
    if (laconic::memory_type_of(result).memory == laconic::Memory::device)
      return Status(laconic::Code::argument, "result is in the memory of a device; valid is a copy on the host");
    laconic::StreamResult copy;
    std::memcpy(&copy, result, sizeof copy);
    return laconic::status_of(copy);
  });
}
