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

constexpr std::size_t checksum_offset = 40;

Status malformed(const std::string& what) { return {Code::frame, "malformed envelope: " + what}; }

// The data that the checksum of an envelope covers: the bytes of the envelope, with 0 in place of the checksum, and the
// route.
class Protected {
 public:
  // bytes: envelope_bytes bytes.
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
  put(out, 0, envelope_mark);
  put(out, 16, envelope_version);
  put(out, 17, static_cast<std::uint8_t>(e.dtype));
  put(out, 18, e.variant);
  put(out, 19, static_cast<std::uint8_t>(e.sealed));
  put(out, 20, e.number);
  put(out, 24, e.bytes);
  put(out, 32, e.capacity);
  put(out, 36, e.chunk);
  put(out, 48, e.bound);
  std::memcpy(out.data() + 56, e.codec, sizeof e.codec);
  put(out, 64, e.rate);
  const std::uint64_t sum = Protected(out.first(envelope_bytes), route).sum();
  put(out, checksum_offset, sum);
  return sum;
}

namespace {

// Reads the fields of an envelope whose checksum is right.
Status read_fields(std::span<const std::byte> in, Envelope& envelope) {
  if (const auto v = get<std::uint8_t>(in, 16); v != envelope_version)
    return malformed("version " + std::to_string(v) + ", this library reads " + std::to_string(envelope_version));
  Envelope e;
  const auto dtype = get<std::uint8_t>(in, 17);
  if (!known(static_cast<Dtype>(dtype))) return malformed("unknown type " + std::to_string(dtype));
  e.dtype = static_cast<Dtype>(dtype);
  e.variant = get<std::uint8_t>(in, 18);
  const auto flags = get<std::uint8_t>(in, 19);
  if (flags > 1) return malformed("unknown flags " + std::to_string(flags));
  e.sealed = flags == 1;
  e.number = get<std::uint32_t>(in, 20);
  e.bytes = get<std::uint64_t>(in, 24);
  e.capacity = get<std::uint32_t>(in, 32);
  e.chunk = get<std::uint32_t>(in, 36);
  e.bound = get<double>(in, 48);
  std::memcpy(e.codec, in.data() + 56, sizeof e.codec);
  e.rate = get<double>(in, 64);
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

bool is_envelope(std::span<const std::byte> in, std::size_t received) {
  return received == envelope_bytes && is_like(get<Mark>(in, 0), envelope_mark);
}

ReadEnvelope read_envelope(std::span<const std::byte> in, const Route& route) {
  ReadEnvelope read;
  Protected bytes(in.first(envelope_bytes), route);
  const auto damaged = [] { return malformed("wrong checksum: it was damaged on its way"); };
  if (!bytes.right() && !bytes.repair()) {
    read.status = damaged();
    return read;
  }
  read.repaired = bytes.repaired();
  read.checksum = bytes.stated();
  read.status = read_fields(bytes.fields(), read.envelope);
  if (read.status.ok() && read.repaired) read.status = damaged();
  return read;
}

}  // namespace laconic::wire
