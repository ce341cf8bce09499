// SPDX-License-Identifier: BSD-3-Clause
// The envelope: the beginning of every message between two ranks.  It tells the receiver all that it needs to receive
// the rest.  docs/wire-format.md is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/dtype.hpp"
#include "base/status.hpp"

namespace laconic::wire {

inline constexpr std::uint32_t envelope_magic = 0x47534d4c;  // "LMSG" as little-endian bytes
inline constexpr std::uint8_t envelope_version = 2;
inline constexpr std::size_t envelope_bytes = 64;

enum class Kind : std::uint8_t {
  plain = 0,      // the data follow the envelope in the same message
  compressed = 1  // the message is only the envelope; frames follow in other messages
};

struct Envelope {
  Kind kind = Kind::plain;
  std::uint8_t reason = 0;   // plain: why it was sent uncompressed, as the sender's statistics name it
  std::uint64_t bytes = 0;   // size of the data
  Dtype dtype = Dtype::f32;  // this field and those below: compressed only
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

// Reads and checks an envelope.  received: size of the message that begins with it.  `in` has room for envelope_bytes
// and need not hold the rest of the message.
ReadEnvelope read_envelope(std::span<const std::byte> in, std::size_t received, const Route& route);

}  // namespace laconic::wire
