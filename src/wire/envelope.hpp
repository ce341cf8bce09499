// SPDX-License-Identifier: BSD-3-Clause
// The envelope: what a message between two ranks begins with, and tells its receiver all it needs to take the rest.
// docs/wire-format.md is the specification.
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
  compressed = 1  // the envelope is all; frames follow, elsewhere
};

struct Envelope {
  Kind kind = Kind::plain;
  std::uint8_t reason = 0;   // plain: why, as the sender's statistics name it
  std::uint64_t bytes = 0;   // of the data
  Dtype dtype = Dtype::f32;  // the rest: compressed only
  // Of the message, among those that were compressed from this sender to this receiver, modulo 2^32.
  std::uint32_t number = 0;
  std::uint32_t capacity = 0;  // no frame is larger
  std::uint32_t chunk = 0;     // numbers in every frame but the last
  std::uint8_t variant = 0;    // as the sender's statistics name it
  bool sealed = false;         // its frames are
  double bound = 0;            // on the error of each number, as asked for; infinity: none
  char codec[8] = {};          // its name, padded with zeros
  double rate = 0;             // bits per number where no error is bounded; 0: none

  std::uint64_t count() const { return bytes / size_of(dtype); }
  std::string_view codec_name() const;
  void set_codec(std::string_view name);
};

// Which message an envelope is of, as both ends know it.
struct Route {
  int source = 0;
  int dest = 0;
  int tag = 0;
};

// Writes envelope_bytes bytes.  `out` must have room for them.  Returns the checksum in them.
std::uint64_t write_envelope(const Envelope& envelope, const Route& route, std::span<std::byte> out);

struct ReadEnvelope {
  Status status;
  Envelope envelope;
  std::uint64_t checksum = 0;
  // It was damaged, and is known nevertheless: its message is not to be used, but its frames can be taken off the way.
  bool repaired = false;
};

// Reads and checks an envelope.  received: bytes of the message that it begins; `in` has room for envelope_bytes, and
// need not hold what is behind them.
ReadEnvelope read_envelope(std::span<const std::byte> in, std::size_t received, const Route& route);

}  // namespace laconic::wire
