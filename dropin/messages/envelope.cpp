// SPDX-License-Identifier: BSD-3-Clause
#include "messages/envelope.hpp"

#include <laconic/laconic.h>

#include <climits>
#include <cstring>

namespace laconic::dropin {
namespace {

Mark job_mark{};

constexpr std::size_t header_bytes = sizeof(Envelope::Header);

std::uint64_t checksum_of(Envelope::Header header, const std::byte* frames, int source, int tag) {
  header.checksum = laconic_checksum_of(frames, header.frames);
  struct {
    Envelope::Header header;
    std::int32_t source;
    std::int32_t tag;
  } all{header, source, tag};
  return laconic_checksum_of(&all, sizeof all);
}

bool is_single(Kind kind) { return kind == Kind::single || kind == Kind::complex_single; }

}  // namespace

void set_mark(const Mark& mark) { job_mark = mark; }

int Envelope::open(void* numbers) const {
  const bool single = is_single(static_cast<Kind>(header.kind));
  const auto count = static_cast<MPI_Count>(header.bytes / (single ? sizeof(float) : sizeof(double)));
  return laconic_decompress(frames, header.frames, numbers, count, single ? MPI_FLOAT : MPI_DOUBLE);
}

bool Envelope::intact(int source, int tag) const {
  if (header.mark != job_mark || header.frames > static_cast<std::uint64_t>(room)) return false;
  return header.unchecked == wire::has_no_checksum || header.checksum == checksum_of(header, frames, source, tag);
}

bool is_marked(const Envelope::Header& header) { return wire::is_marked(header, job_mark); }

std::optional<Envelope> read_envelope(const std::byte* message, MPI_Count bytes) {
  if (!may_be_envelope(bytes)) return std::nullopt;
  Envelope envelope{};
  std::memcpy(&envelope.header, message, header_bytes);
  if (!is_marked(envelope.header)) return std::nullopt;
  envelope.frames = message + header_bytes;
  envelope.room = bytes - static_cast<MPI_Count>(header_bytes);
  return envelope;
}

std::optional<SealedEnvelope> seal(const void* numbers, MPI_Count count, const Numbers& type,
                                   const laconic_options& options, int source, int tag, int& code) {
  const std::size_t room = laconic_max_compressed_size(count, type.type, &options);
  SealedEnvelope sealed;
  sealed.memory = Buffer(wire::dropin_length_for(header_bytes + room));
  Envelope::Header header{job_mark, static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(type.width),
                          0,        static_cast<std::uint32_t>(type.kind),
                          0,        0};
  std::size_t frames = 0;
  std::byte* out = sealed.memory.data();
  code = laconic_compress(numbers, count, type.type, out + header_bytes, room, &frames, &options);
  if (code != MPI_SUCCESS) return std::nullopt;
  const std::size_t length = wire::dropin_length_for(header_bytes + frames);
  if (length >= header.bytes || length > INT_MAX) return std::nullopt;
  header.frames = frames;
  if (options.checksum == LACONIC_CHECKSUM_OFF)
    header.unchecked = wire::has_no_checksum;
  else
    header.checksum = checksum_of(header, out + header_bytes, source, tag);
  std::memcpy(out, &header, header_bytes);
  std::memset(out + header_bytes + frames, 0, length - header_bytes - frames);
  sealed.length = static_cast<int>(length);
  return sealed;
}

}  // namespace laconic::dropin
