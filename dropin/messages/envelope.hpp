// SPDX-License-Identifier: BSD-3-Clause
// A compressed message. It is sent in place of the program's message, on the same communicator and with the same tag,
// and it is shorter.
//
//     mark (16 bytes) · bytes of the program's message · bytes of frames · kind of numbers · whether there is a
//     checksum · checksum of header, frames, source and tag · frames · padding
//
// The receiver recognises it by the mark, which is drawn at random in MPI_Init and is the same on all ranks of the job.
// A mark with up to 8 wrong bits counts as damaged: a message of the program begins with such a mark by accident with
// probability 2^-87. Only messages of certain lengths are searched for the mark. These lengths are multiples of the
// size of every number type, because some MPIs reject receives that end within an item.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <laconic/laconic.h>

#include "core/buffers.hpp"
#include "core/datatypes.hpp"

namespace laconic::dropin {

using Mark = std::array<std::uint64_t, 2>;

// Sets the mark of all envelopes of this job.
void set_mark(const Mark& mark);

// The minimum length of an envelope. Receives into smaller buffers need no inspection.
inline constexpr MPI_Count least_envelope = 256;

inline bool may_be_envelope(MPI_Count bytes) { return bytes >= least_envelope && bytes % 256 == 48; }

struct Envelope {
  struct Header {
    Mark mark;
    std::uint64_t bytes;   // length of the program's message
    std::uint64_t frames;  // length of the frames in bytes
    std::uint32_t kind;    // Kind of the numbers
    std::uint32_t unchecked;
    std::uint64_t checksum;
  };
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
