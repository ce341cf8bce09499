// SPDX-License-Identifier: BSD-3-Clause
// A compressed message: what travels in place of the program's, on its communicator, with its tag, and shorter.
//
//     mark (16 bytes) · bytes of the program's message · bytes of frames · kind of numbers · whether there is a
//     checksum · checksum of header, frames, source and tag · frames · padding
//
// It is known by the mark, which is drawn at random in MPI_Init and the same on all ranks of the job. A mark of which
// up to 8 bits differ is a damaged one: a message of the program begins with such a one by an accident of probability
// 2^-87. Its length says whether it is worth looking for the mark; it is one of whole numbers of all types, because
// some MPIs refuse receives that end within one.
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

// Of all messages of this job.
void set_mark(const Mark& mark);

// Receives with less room never hold an envelope.
inline constexpr MPI_Count least_envelope = 256;

inline bool may_be_envelope(MPI_Count bytes) { return bytes >= least_envelope && bytes % 256 == 48; }

struct Envelope {
  struct Header {
    Mark mark;
    std::uint64_t bytes;   // of the program's message
    std::uint64_t frames;  // bytes of them
    std::uint32_t kind;    // Kind, of the numbers
    std::uint32_t unchecked;
    std::uint64_t checksum;
  };
  Header header;
  const std::byte* frames = nullptr;
  MPI_Count room = 0;  // bytes from there to the end of the message

  MPI_Count bytes() const { return static_cast<MPI_Count>(header.bytes); }
  // Whether it is what `source`, a rank of the communicator, has sent with this tag.
  bool intact(int source, int tag) const;
  // The numbers themselves, aligned as such; an error of MPI's or Laconic's.
  int open(void* numbers) const;
};

// Whether a message that begins with this header is an envelope.
bool is_marked(const Envelope::Header& header);

// The envelope that `bytes` bytes hold, which has to outlive the result; nothing when they are a message as it is.
std::optional<Envelope> read_envelope(const std::byte* message, MPI_Count bytes);

// An envelope about to be sent.
struct SealedEnvelope {
  Buffer memory;
  int length = 0;
};

// Of `count` numbers, sent by the rank `source` with this tag; nothing where that would not be shorter, or Laconic
// refuses (`code` says why).
std::optional<SealedEnvelope> seal(const void* numbers, MPI_Count count, const Numbers& type,
                                   const laconic_options& options, int source, int tag, int& code);

}  // namespace laconic::dropin
