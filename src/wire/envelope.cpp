// SPDX-License-Identifier: BSD-3-Clause
#include "wire/envelope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "base/checksum.hpp"
#include "wire/bytes.hpp"
#include "wire/frame.hpp"

namespace laconic::wire {
namespace {

// The most bytes in a frame: the largest count of MPI.
constexpr std::uint32_t largest_frame = (std::uint32_t{1} << 31) - 1;

constexpr std::size_t checksum_offset = 24;

Status malformed(const std::string& what) { return {Code::frame, "malformed envelope: " + what}; }

// The data that the checksum of an envelope covers: the bytes of the envelope, with 0 in place of the checksum, and the
// route.
class Protected {
 public:
  // bytes: envelope_bytes bytes, or fewer of a truncated envelope.
  Protected(std::span<const std::byte> bytes, const Route& route) {
    std::memcpy(all_.data(), bytes.data(), bytes.size());
    put(all_, envelope_bytes, static_cast<std::int32_t>(route.source));
    put(all_, envelope_bytes + 4, static_cast<std::int32_t>(route.dest));
    put(all_, envelope_bytes + 8, static_cast<std::int32_t>(route.tag));
  }

  std::span<const std::byte> fields() const { return std::span(all_).first(envelope_bytes); }
  std::uint64_t stated() const { return get<std::uint64_t>(all_, checksum_offset); }
  bool right() const { return sum() == stated(); }
  bool repaired() const { return repaired_; }

  std::uint64_t sum() const {
    auto others = all_;
    put(others, checksum_offset, std::uint64_t{0});
    return checksum::sum(others);
  }

  // Undoes the damage if it is within one byte.  With the envelope known, the receiver can still take in the frames of
  // the message, which the sender waits for.
  bool repair() {
    for (std::size_t i = 0; i < envelope_bytes; ++i) {
      const std::byte before = all_[i];
      for (unsigned change = 1; change < 256; ++change) {
        all_[i] = before ^ std::byte(change);
        if (right()) return repaired_ = true;
      }
      all_[i] = before;
    }
    return false;
  }

 private:
  std::array<std::byte, envelope_bytes + 16> all_{};
  bool repaired_ = false;
};

}  // namespace

std::string_view Envelope::codec_name() const {
  return {codec, static_cast<std::size_t>(std::find(codec, codec + sizeof codec, '\0') - codec)};
}

void Envelope::set_codec(std::string_view name) {
  std::fill_n(codec, sizeof codec, '\0');
  name.copy(codec, sizeof codec);
}

std::uint64_t write_envelope(const Envelope& e, const Route& route, std::span<std::byte> out) {
  std::memset(out.data(), 0, envelope_bytes);
  put(out, 0, envelope_magic);
  put(out, 4, envelope_version);
  put(out, 5, static_cast<std::uint8_t>(e.kind));
  put(out, 6, e.reason);
  put(out, 8, e.bytes);
  if (e.kind == Kind::compressed) {
    put(out, 7, static_cast<std::uint8_t>(e.dtype));
    put(out, 16, e.number);
    put(out, 20, e.capacity);
    put(out, 32, e.chunk);
    put(out, 36, e.variant);
    put(out, 37, static_cast<std::uint8_t>(e.sealed));
    put(out, 40, e.bound);
    std::memcpy(out.data() + 48, e.codec, sizeof e.codec);
    put(out, 56, e.rate);
  }
  const std::uint64_t sum = Protected(out.first(envelope_bytes), route).sum();
  put(out, checksum_offset, sum);
  return sum;
}

namespace {

// Reads the fields of an envelope whose checksum is right.
Status read_fields(std::span<const std::byte> in, std::size_t received, Envelope& envelope) {
  if (const auto v = get<std::uint8_t>(in, 4); v != envelope_version)
    return malformed("version " + std::to_string(v) + ", this library reads " + std::to_string(envelope_version));
  Envelope e;
  const auto kind = get<std::uint8_t>(in, 5);
  if (kind > static_cast<std::uint8_t>(Kind::compressed)) return malformed("unknown kind " + std::to_string(kind));
  e.kind = static_cast<Kind>(kind);
  e.reason = get<std::uint8_t>(in, 6);
  e.bytes = get<std::uint64_t>(in, 8);
  if (e.kind == Kind::plain) {
    if (e.bytes != received - envelope_bytes)
      return malformed(std::to_string(e.bytes) + " bytes announced, " + std::to_string(received - envelope_bytes) +
                       " present");
    envelope = e;
    return {};
  }
  const auto dtype = get<std::uint8_t>(in, 7);
  if (!known(static_cast<Dtype>(dtype))) return malformed("unknown type " + std::to_string(dtype));
  e.dtype = static_cast<Dtype>(dtype);
  e.number = get<std::uint32_t>(in, 16);
  e.capacity = get<std::uint32_t>(in, 20);
  e.chunk = get<std::uint32_t>(in, 32);
  e.variant = get<std::uint8_t>(in, 36);
  const auto flags = get<std::uint8_t>(in, 37);
  if (flags > 1) return malformed("unknown flags " + std::to_string(flags));
  e.sealed = flags == 1;
  e.bound = get<double>(in, 40);
  std::memcpy(e.codec, in.data() + 48, sizeof e.codec);
  e.rate = get<double>(in, 56);
  if (received != envelope_bytes)
    return malformed("that of a compressed message, with " + std::to_string(received - envelope_bytes) +
                     " bytes behind it");
  if (e.bytes == 0 || e.bytes % size_of(e.dtype) != 0)
    return malformed(std::to_string(e.bytes) + " bytes of numbers of " + std::to_string(size_of(e.dtype)));
  if (e.chunk == 0 || e.chunk > static_cast<std::uint32_t>(largest_chunk))
    return malformed(std::to_string(e.chunk) + " numbers in a frame");
  if (e.capacity > largest_frame) return malformed("frames of up to " + std::to_string(e.capacity) + " bytes");
  if (!(e.bound >= 0)) return malformed("bound is not a number >= 0");
  if (!(e.rate >= 0) || !std::isfinite(e.rate)) return malformed("rate is not a finite number >= 0");
  envelope = e;
  return {};
}

}  // namespace

ReadEnvelope read_envelope(std::span<const std::byte> in, std::size_t received, const Route& route) {
  ReadEnvelope read;
  Protected bytes(in.first(std::min(received, envelope_bytes)), route);
  if (received < envelope_bytes || (!bytes.right() && !bytes.repair())) {
    const bool of_ours = received >= 4 && get<std::uint32_t>(in, 0) == envelope_magic;
    read.status = of_ours
                      ? malformed("wrong checksum: it was damaged on its way")
                      : Status{Code::frame, "the message was not sent by Laconic: it does not begin with an envelope"};
    return read;
  }
  read.repaired = bytes.repaired();
  read.checksum = bytes.stated();
  read.status = read_fields(bytes.fields(), received, read.envelope);
  if (read.status.ok() && read.repaired) read.status = malformed("wrong checksum: it was damaged on its way");
  return read;
}

}  // namespace laconic::wire
