// SPDX-License-Identifier: BSD-3-Clause
// The envelope: what is sent to another rank in place of a message whose data follow in frames.  It tells the receiver
// all that it needs to receive them.  docs/wire-format.md is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/dtype.hpp"
#include "base/status.hpp"
#include "wire/mark.hpp"

namespace laconic::wire {

// Chosen at random, once: a receiver recognises envelopes by it.
inline constexpr Mark envelope_mark{0x5a1f6bd94e2c87a3, 0xd3084bc1f97e625d};
inline constexpr std::uint8_t envelope_version = 4;

// Data of this size or less are sent as they are.
inline constexpr std::size_t envelope_bytes = 80;

struct Envelope {
  std::uint64_t bytes = 0;  // size of the data
  Dtype dtype = Dtype::f32;
  // The number of the message among the compressed ones from this sender to this receiver, modulo 2^32.
  std::uint32_t number = 0;
  std::uint32_t capacity = 0;  // largest size of a frame in bytes
  std::uint32_t chunk = 0;     // numbers in every frame but the last
  std::uint8_t variant = 0;    // the codec's variant, as the sender's statistics name it
  bool sealed = false;         // the frames carry seals
  double bound = 0;            // requested bound on the error of each number; infinity: none
  char codec[8] = {};          // name of the codec, padded with zeros
  double rate = 0;             // bits per number where no error is bounded; 0: none

  std::uint64_t count() const { return bytes / size_of(dtype); }
  std::string_view codec_name() const;
  void set_codec(std::string_view name);
};

// The message that an envelope belongs to, as both ends know it.
struct Route {
  int source = 0;
  int dest = 0;
  int tag = 0;
};

// Writes envelope_bytes bytes.  `out` must have room for them.  Returns the checksum that the envelope holds.
std::uint64_t write_envelope(const Envelope& envelope, const Route& route, std::span<std::byte> out);

struct ReadEnvelope {
  Status status;
  Envelope envelope;
  std::uint64_t checksum = 0;
  // The envelope was damaged and could be repaired: its message must not be used, but its frames can be received.
  bool repaired = false;
};

// Whether a message of this size that begins with these bytes is an envelope, perhaps a damaged one.  All other
// messages are the application's data.
bool is_envelope(std::span<const std::byte> in, std::size_t received);

// Reads and checks an envelope of envelope_bytes bytes.
ReadEnvelope read_envelope(std::span<const std::byte> in, const Route& route);

}  // namespace laconic::wire
