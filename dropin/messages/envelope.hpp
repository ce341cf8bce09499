// SPDX-License-Identifier: BSD-3-Clause
// A compressed message. It is sent in place of the program's message, on the same communicator and with the same tag,
// and it is shorter. docs/wire-format.md specifies it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include <laconic/laconic.h>

#include "core/buffers.hpp"
#include "core/datatypes.hpp"
#include "wire/dropin_envelope.hpp"

namespace laconic::dropin {

using wire::Mark;

// Sets the mark of all envelopes of this job.
void set_mark(const Mark& mark);

inline constexpr MPI_Count least_envelope = wire::least_dropin_envelope;

inline bool may_be_envelope(MPI_Count bytes) {
  return bytes >= 0 && wire::is_dropin_length(static_cast<std::size_t>(bytes));
}

struct Envelope {
  using Header = wire::DropinHeader;
  Header header;
  const std::byte* frames = nullptr;
  MPI_Count room = 0;  // bytes from `frames` to the end of the message

  MPI_Count bytes() const { return static_cast<MPI_Count>(header.bytes); }
  // Whether the envelope is undamaged, as sent by rank `source` of the communicator with this tag.
  bool intact(int source, int tag) const;
  // Decompresses into `numbers`, which must be aligned for their type. Returns an error code of MPI or Laconic.
  int open(void* numbers) const;
};

// Whether a message that begins with this header is an envelope.
bool is_marked(const Envelope::Header& header);

// The envelope in a message of `bytes` bytes, which must outlive the result; nullopt if the message is not an envelope.
std::optional<Envelope> read_envelope(const std::byte* message, MPI_Count bytes);

// An envelope ready to be sent.
struct SealedEnvelope {
  Buffer memory;
  int length = 0;
};

// Makes an envelope of `count` numbers, to be sent by rank `source` with this tag. Returns nullopt if it would not be
// shorter than the message, or if compression fails (`code` is then the error).
std::optional<SealedEnvelope> seal(const void* numbers, MPI_Count count, const Numbers& type,
                                   const laconic_options& options, int source, int tag, int& code);

}  // namespace laconic::dropin
