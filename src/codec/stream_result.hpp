// SPDX-License-Identifier: BSD-3-Clause
// The outcome of an operation on a stream that the host does not wait for (laconic_stream_result of laconic/codec.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/device_header.hpp"
#include "codec/report.hpp"

namespace laconic {

struct StreamResult {
  std::uint64_t bytes;
  double error;
  std::uint32_t written;  // 1
  std::uint32_t fault;    // of a HeaderFault, or of DeviceCodec::status()
  std::uint32_t codec;
  std::uint32_t unused[9];
};
static_assert(sizeof(StreamResult) == 64);

// The notes of the kernels of an operation, in device memory.
struct Notes {
  const Report* report = nullptr;
  const DeviceHeader* headers = nullptr;  // of two frames; those that are not read are all 0
};

// Enqueues the kernel that writes the result of an operation.  made: the frame that it has written, or null; in place
// of one that could not be made there is a failed frame afterwards, with which every later operation fails, too.
// failed: a header for that.
Status settle_result(const Notes& notes, std::uint8_t codec, std::byte* made, const wire::Header& failed,
                     StreamResult* result, Queue& queue);

// The same for no numbers, which have no frame.
Status settle_nothing(std::uint8_t codec, StreamResult* result, Queue& queue);

}  // namespace laconic
