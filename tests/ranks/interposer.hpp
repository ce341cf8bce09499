// SPDX-License-Identifier: BSD-3-Clause
// Wraps the MPI functions between the library and MPI, and damages a chosen frame or envelope as a faulty network
// might.  The program that includes this defines the functions of MPI that the library's transport calls.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <vector>

#include "support.hpp"

namespace ranks {

enum class Harm {
  flip,      // one bit
  flips,     // 2 to 8 bits anywhere
  garble,    // a stretch of random bytes
  cut,       // the message ends early
  swap,      // the bytes of two messages change places
  repeat,    // an earlier message of the operation once more, in place of this one
  stale,     // likewise a message of an earlier operation, also on another communicator
  envelope,  // one byte of an envelope of a message between two ranks
};

inline constexpr int harms = 8;

inline const char* name_of(Harm harm) {
  constexpr const char* names[harms] = {"flip", "flips", "garble", "cut", "swap", "repeat", "stale", "envelope"};
  return names[static_cast<int>(harm)];
}

class Interposer {
 public:
  using Bytes = std::vector<unsigned char>;
  static constexpr long long none = -1;

  // From here on the target-th frame (or envelope) that this rank sends is damaged; with none, no frame is.
  void arm(Harm harm, long long target, std::uint64_t seed) {
    harm_ = harm;
    target_ = target;
    random_ = Random(seed);
    frames_ = envelopes_ = 0;
    done_ = false;
    keep_former();
  }

  // Sends the messages held back, and waits until the memory of all sends is free.
  void settle() {
    release();
    for (Sending& s : sending_) PMPI_Wait(&s.request, MPI_STATUS_IGNORE);
    sending_.clear();
  }

  long long frames() const { return frames_; }
  long long envelopes() const { return envelopes_; }
  bool done() const { return done_; }  // harm was done, and something other arrives than was sent

  using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

  int send(Send real, const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
           MPI_Request* request) {
    const bool frame = begins_with(buffer, count, type, "LCON");
    const bool envelope = begins_with(buffer, count, type, "\xa3\x87\x2c\x4e");
    if (!frame && !envelope) return real(buffer, count, type, peer, tag, comm, request);
    const auto* from = static_cast<const unsigned char*>(buffer);
    Bytes bytes(from, from + count);
    if (frame) sent_.push_back(bytes);
    long long& seen = frame ? frames_ : envelopes_;
    const bool hit = seen++ == target_ && frame == (harm_ != Harm::envelope);
    if (held_ && frame) return send_swapped(real, std::move(bytes), peer, tag, comm, request);
    if (!hit) return real(buffer, count, type, peer, tag, comm, request);
    if (harm_ == Harm::swap) {
      held_ = true;
      polls_ = 0;
      first_ = {real, std::move(bytes), peer, tag, comm};
      return PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request);
    }
    const Bytes before = bytes;
    damage(bytes);
    done_ = bytes != before;
    return send_copy(real, std::move(bytes), peer, tag, comm, request);
  }

  // A message held back for long may be one that other ranks wait for.
  void polled() {
    if (held_ && ++polls_ > 200) release();
  }

 private:
  struct Sending {
    Bytes bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Message {
    Send real = nullptr;
    Bytes bytes;
    int peer = 0;
    int tag = 0;
    MPI_Comm comm = MPI_COMM_NULL;
  };

  static bool begins_with(const void* buffer, int count, MPI_Datatype type, const char* magic) {
    return type == MPI_BYTE && count >= 4 && buffer != MPI_BOTTOM && std::memcmp(buffer, magic, 4) == 0;
  }

  void damage(Bytes& bytes) {
    const std::size_t n = bytes.size();
    switch (harm_) {
      case Harm::flip: bytes[random_.below(n)] ^= static_cast<unsigned char>(1u << random_.below(8)); break;
      case Harm::flips:
        for (std::uint64_t k = 2 + random_.below(7); k > 0; --k)
          bytes[random_.below(n)] ^= static_cast<unsigned char>(1u << random_.below(8));
        break;
      case Harm::garble: {
        const std::size_t length = 1 + random_.below(n);
        const std::size_t at = random_.below(n - length + 1);
        for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<unsigned char>(random_.below(256));
        break;
      }
      case Harm::cut: bytes.resize(random_.below(n)); break;
      case Harm::repeat:
        if (sent_.size() > 1) bytes = sent_[random_.below(sent_.size() - 1)];
        break;
      case Harm::stale:
        // No more than fits.
        for (int tries = 0; tries < 8 && !former_.empty(); ++tries)
          if (const Bytes& old = random_.pick(former_); old.size() <= n) return void(bytes = old);
        break;
      case Harm::envelope: bytes[random_.below(n)] ^= static_cast<unsigned char>(1 + random_.below(255)); break;
      case Harm::swap: break;
    }
  }

  int send_copy(Send real, Bytes bytes, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
    sending_.push_back({std::move(bytes), MPI_REQUEST_NULL});
    const Bytes& kept = sending_.back().bytes;
    return real(kept.data(), static_cast<int>(kept.size()), MPI_BYTE, peer, tag, comm, request);
  }

  // The library's request is over at once: the bytes were copied.
  void send_in_background(const Message& way, Bytes bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    send_copy(way.real, std::move(bytes), way.peer, way.tag, way.comm, &request);
    sending_.back().request = request;
  }

  int send_swapped(Send real, Bytes bytes, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
    held_ = false;
    done_ = bytes != first_.bytes;
    Bytes other = std::move(first_.bytes);
    send_in_background(first_, std::move(bytes));
    return send_copy(real, std::move(other), peer, tag, comm, request);
  }

  void release() {
    if (held_) send_in_background(first_, std::move(first_.bytes));
    held_ = false;
  }

  // Keeps some of the sent messages for later faults.
  void keep_former() {
    for (std::size_t k = 0; k < sent_.size() && k < 4; ++k) {
      if (former_.size() < 64)
        former_.push_back(random_.pick(sent_));
      else
        former_[random_.below(former_.size())] = random_.pick(sent_);
    }
    sent_.clear();
  }

  Harm harm_ = Harm::flip;
  long long target_ = none;
  long long frames_ = 0;
  long long envelopes_ = 0;
  bool done_ = false;
  bool held_ = false;
  int polls_ = 0;
  Message first_;
  std::list<Sending> sending_;
  std::vector<Bytes> sent_;    // messages of this operation
  std::vector<Bytes> former_;  // messages of earlier operations
  Random random_{1};
};

inline Interposer& interposer() {
  static Interposer one;
  return one;
}

}  // namespace ranks

#define RANKS_INTERPOSED extern "C" __attribute__((visibility("default")))

RANKS_INTERPOSED int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                               MPI_Request* request) {
  return ranks::interposer().send(PMPI_Isend, buffer, count, type, peer, tag, comm, request);
}

RANKS_INTERPOSED int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                                MPI_Request* request) {
  return ranks::interposer().send(PMPI_Issend, buffer, count, type, peer, tag, comm, request);
}

RANKS_INTERPOSED int MPI_Testsome(int count, MPI_Request requests[], int* completed, int indices[],
                                  MPI_Status statuses[]) {
  ranks::interposer().polled();
  return PMPI_Testsome(count, requests, completed, indices, statuses);
}
