// SPDX-License-Identifier: BSD-3-Clause
// A message of several frames, for several blocks: the sizes of the frames, then the frames.  docs/wire-format.md is
// the specification.  A message of one frame is the frame alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace laconic::wire {

// The bytes of a message that holds `frames` frames of at most `frame_bytes` bytes, their seals included.
constexpr std::size_t message_bytes(std::size_t frames, std::size_t frame_bytes) {
  return frames * (sizeof(std::uint32_t) + frame_bytes);
}

// Puts frames into a message one after the other.
class Packer {
 public:
  // room: memory of the caller, message_bytes() bytes, until the message is no longer needed.
  void begin(std::span<std::byte> room, std::uint32_t frames);

  // frame: with its seal, if it has one.
  void add(std::span<const std::byte> frame);

  // The message, once all frames have been added.
  std::span<const std::byte> message() const { return room_.first(used_); }

 private:
  std::span<std::byte> room_;
  std::size_t used_ = 0;
  std::size_t added_ = 0;
};

// Finds the frames of a message, which may be damaged.
class Unpacker {
 public:
  // frames: the number of frames that the message should hold.
  void begin(std::span<const std::byte> message, std::uint32_t frames);

  // The next frame with its seal.  If the sizes do not add up to the message, it is empty, as are all others: no frame
  // can be told from its neighbours then.
  std::span<const std::byte> next();

 private:
  std::span<const std::byte> message_;  // empty: the sizes are wrong
  std::size_t read_ = 0;                // bytes in front of the next frame
  std::size_t taken_ = 0;               // frames
};

}  // namespace laconic::wire
