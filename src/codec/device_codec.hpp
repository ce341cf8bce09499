// SPDX-License-Identifier: BSD-3-Clause
// The kernels of a codec for numbers and frames in device memory.  They write the same bytes as the codec does on the
// host.  Every function enqueues work and returns; the report of the queue is valid once the queue has passed that
// work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.hpp"
#include "codec/codec.hpp"
#include "codec/device_header.hpp"
#include "codec/report.hpp"
#include "device/queue.hpp"
#include "wire/frame.hpp"

namespace laconic {

// A frame in device memory.  Mostly the host has read and checked its header (read_codec_header).
struct DeviceFrame {
  const std::byte* bytes = nullptr;
  std::size_t size = 0;  // of the frame; with `unread`, of the memory that it is in, at a multiple of 8 bytes
  wire::Header header;
  // Where the codec has a kernel note down the header, which the host does not know; null: `header` is known.  The
  // frame then is of the kind that an encode with the same coding writes.
  DeviceHeader* unread = nullptr;
};

// One of several arrays that are encoded in one launch.  All arrays are on the device.
struct Piece {
  const void* numbers = nullptr;
  std::size_t count = 0;
  std::byte* out = nullptr;  // room for Codec::capacity(count)
  Report* report = nullptr;  // in memory that host and device share
};

class DeviceCodec {
 public:
  virtual ~DeviceCodec() = default;

  // True if the kernels support this coding; otherwise the numbers have to be copied to the host.
  virtual bool supports(const Coding& coding) const = 0;

  // The most frames that combine() takes with this coding; 2 where add() is all that there is.
  virtual std::size_t combines(const Coding&) const { return 2; }
  static constexpr std::size_t most_combined = 8;

  // The words of Queue::workspace() that a call for `count` numbers needs.
  virtual std::size_t workspace_words(std::size_t count, Dtype dtype) const = 0;

  // The same operations as in Codec.  `numbers` and `out` are on the device; `out` has room for Codec::capacity(count).
  virtual Status encode(const void* numbers, std::size_t count, const Coding& coding, std::byte* out,
                        Queue& queue) const = 0;
  virtual Status fold(const DeviceFrame& frame, const void* numbers, std::size_t count, const Coding& coding,
                      std::byte* out, Queue& queue) const = 0;
  virtual Status add(const DeviceFrame& a, const DeviceFrame& b, std::size_t count, const Coding& coding,
                     std::byte* out, Queue& queue) const = 0;
  // out = frames[0] op numbers op frames[1] op ..., in one launch; numbers may be null, and no header is unread.  The
  // bytes are those of fold() and add() for one frame after the other.
  virtual Status combine(std::span<const DeviceFrame> frames, const void* numbers, std::size_t count,
                         const Coding& coding, std::byte* out, Queue& queue) const;

  virtual Status decode(const DeviceFrame& frame, void* numbers, std::size_t count, const Coding& coding,
                        Queue& queue) const = 0;

  // result[i] = with[i] op decoded number i, bit for bit the result of decode() and combine_pair(); result may be
  // `with`.
  virtual Status decode_reduce(const DeviceFrame& frame, const void* with, void* result, std::size_t count,
                               const Coding& coding, Queue& queue) const = 0;

  // Encodes up to Queue::reports pieces in one launch, where the codec has a kernel.
  virtual Status encode_pieces(std::span<const Piece> pieces, const Coding& coding, Queue& queue) const = 0;

  // The Status for a fault in a report.
  virtual Status status(std::uint32_t fault) const = 0;
};

// The kernels of the codec with this name (device_codecs.def), or null if this build has none.
const DeviceCodec* find_device_codec(std::string_view name);

}  // namespace laconic
