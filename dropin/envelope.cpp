// SPDX-License-Identifier: BSD-3-Clause
#include "envelope.hpp"

#include <laconic/laconic.h>

#include <algorithm>
#include <climits>
#include <cstring>

namespace laconic::dropin {
namespace {

Mark job_mark{};

constexpr std::size_t header_bytes = sizeof(Envelope::Header);

// The least length of an envelope that holds so much.
std::size_t length_for(std::size_t bytes) {
  const std::size_t least = std::max<std::size_t>(bytes, static_cast<std::size_t>(least_envelope));
  return least + (256 + 48 - least % 256) % 256;
}

bool is_single(Kind kind) { return kind == Kind::single || kind == Kind::complex_single; }

}  // namespace

void set_mark(const Mark& mark) { job_mark = mark; }

int Envelope::open(void* numbers) const {
  const bool single = is_single(static_cast<Kind>(header.kind));
  const auto count = static_cast<MPI_Count>(header.bytes / (single ? sizeof(float) : sizeof(double)));
  return laconic_decompress(frames, header.frames, numbers, count, single ? MPI_FLOAT : MPI_DOUBLE);
}

bool is_marked(const Envelope::Header& header) { return header.mark == job_mark; }

std::optional<Envelope> read_envelope(const std::byte* message, MPI_Count bytes) {
  if (!may_be_envelope(bytes)) return std::nullopt;
  Envelope envelope{};
  std::memcpy(&envelope.header, message, header_bytes);
  if (!is_marked(envelope.header)) return std::nullopt;
  envelope.frames = message + header_bytes;
  return envelope;
}

std::optional<SealedEnvelope> seal(const void* numbers, MPI_Count count, const Numbers& type,
                                   const laconic_options& options, int& code) {
  const std::size_t room = laconic_max_compressed_size(count, type.type, &options);
  SealedEnvelope sealed;
  sealed.memory = Buffer(length_for(header_bytes + room));
  Envelope::Header header{job_mark, static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(type.width), 0,
                          static_cast<std::uint32_t>(type.kind), 0};
  std::size_t frames = 0;
  std::byte* out = sealed.memory.data();
  code = laconic_compress(numbers, count, type.type, out + header_bytes, room, &frames, &options);
  if (code != MPI_SUCCESS) return std::nullopt;
  const std::size_t length = length_for(header_bytes + frames);
  if (length >= header.bytes || length > INT_MAX) return std::nullopt;
  header.frames = frames;
  std::memcpy(out, &header, header_bytes);
  std::memset(out + header_bytes + frames, 0, length - header_bytes - frames);
  sealed.length = static_cast<int>(length);
  return sealed;
}

}  // namespace laconic::dropin
