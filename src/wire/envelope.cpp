#include "wire/envelope.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "wire/bytes.hpp"

namespace laconic::wire {
namespace {

// No frame holds more numbers, nor is one larger than MPI can count.
constexpr std::uint32_t largest_chunk = std::uint32_t{1} << 26;
constexpr std::uint64_t largest_frame = (std::uint64_t{1} << 31) - 1;

Status malformed(const std::string& what) { return {Code::frame, "malformed envelope: " + what}; }

}  // namespace

std::string_view Envelope::codec_name() const {
  return {codec, static_cast<std::size_t>(std::find(codec, codec + sizeof codec, '\0') - codec)};
}

void Envelope::set_codec(std::string_view name) {
  std::fill_n(codec, sizeof codec, '\0');
  name.copy(codec, sizeof codec);
}

void write_envelope(const Envelope& e, std::span<std::byte> out) {
  std::memset(out.data(), 0, envelope_bytes);
  put(out, 0, envelope_magic);
  put(out, 4, envelope_version);
  put(out, 5, static_cast<std::uint8_t>(e.kind));
  put(out, 6, e.reason);
  put(out, 8, e.bytes);
  if (e.kind == Kind::plain) return;
  put(out, 7, static_cast<std::uint8_t>(e.dtype));
  put(out, 16, e.number);
  put(out, 24, e.capacity);
  put(out, 32, e.chunk);
  put(out, 36, e.variant);
  put(out, 40, e.bound);
  std::memcpy(out.data() + 48, e.codec, sizeof e.codec);
  put(out, 56, e.rate);
}

Status read_envelope(std::span<const std::byte> in, std::size_t received, Envelope& envelope) {
  if (received < envelope_bytes || get<std::uint32_t>(in, 0) != envelope_magic)
    return {Code::frame, "the message was not sent by Laconic: it does not begin with an envelope"};
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
  e.number = get<std::uint64_t>(in, 16);
  e.capacity = get<std::uint64_t>(in, 24);
  e.chunk = get<std::uint32_t>(in, 32);
  e.variant = get<std::uint8_t>(in, 36);
  e.bound = get<double>(in, 40);
  std::memcpy(e.codec, in.data() + 48, sizeof e.codec);
  e.rate = get<double>(in, 56);
  if (received != envelope_bytes)
    return malformed("that of a compressed message, with " + std::to_string(received - envelope_bytes) +
                     " bytes behind it");
  if (e.bytes == 0 || e.bytes % size_of(e.dtype) != 0)
    return malformed(std::to_string(e.bytes) + " bytes of numbers of " + std::to_string(size_of(e.dtype)));
  if (e.chunk == 0 || e.chunk > largest_chunk) return malformed(std::to_string(e.chunk) + " numbers in a frame");
  if (e.capacity > largest_frame) return malformed("frames of up to " + std::to_string(e.capacity) + " bytes");
  if (!(e.bound >= 0)) return malformed("bound is not a number >= 0");
  if (!(e.rate >= 0) || !std::isfinite(e.rate)) return malformed("rate is not a finite number >= 0");
  envelope = e;
  return {};
}

}  // namespace laconic::wire
