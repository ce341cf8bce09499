// SPDX-License-Identifier: BSD-3-Clause
// A transport moves bytes between ranks.  It does not interpret them, and it never blocks except in Channel::wait().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.hpp"

namespace laconic {

struct Completion {
  std::uint64_t cookie;  // the one passed to send() or receive()
  std::size_t bytes;     // number of bytes received; 0 for a send
};

// Carries the messages of one operation at a time.  Not thread-safe: one thread drives an operation.
class Channel {
 public:
  virtual ~Channel() = default;

  // Begins an operation.  Messages match between ranks when their operations have equal sequence numbers.  No transfer
  // of the previous operation may be outstanding.
  virtual void open(std::uint64_t sequence) = 0;

  // Both functions start a transfer and return.  The caller must keep the memory unchanged until the completion is
  // reported.  The k-th send and the k-th receive of a message number between two ranks match; numbers count modulo
  // Transport::messages().
  virtual Status send(std::span<const std::byte> bytes, int peer, std::uint64_t message, std::uint64_t cookie) = 0;
  virtual Status receive(std::span<std::byte> room, int peer, std::uint64_t message, std::uint64_t cookie) = 0;

  // Appends the transfers that have completed since the last call.
  virtual Status poll(std::vector<Completion>& done) = 0;

  // As poll(), but may wait until at least one transfer has completed, if any is outstanding.
  virtual Status wait(std::vector<Completion>& done) { return poll(done); }
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // The number of messages from one rank to another that can be told apart at a time within an operation.
  virtual std::uint64_t messages() const = 0;

  // Whether send() and receive() take device memory that the host cannot access.
  virtual bool takes_device_memory() const { return false; }

  virtual std::unique_ptr<Channel> make_channel() = 0;
};

}  // namespace laconic
