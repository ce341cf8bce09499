// SPDX-License-Identifier: BSD-3-Clause
// Bytes between ranks.  A transport does not know what a number is; it never blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.hpp"

namespace laconic {

struct Completion {
  std::uint64_t cookie;  // as given to send() or receive()
  std::size_t bytes;     // received; 0 for a send
};

// The messages of one operation at a time.  Not thread-safe: one thread drives an operation.
class Channel {
 public:
  virtual ~Channel() = default;

  // Begins an operation.  Ranks match messages of operations with equal sequence numbers; nothing of the previous
  // operation may be outstanding.
  virtual void open(std::uint64_t sequence) = 0;

  // Both start a transfer and return.  The memory must stay as it is until the completion is reported.  The k-th send
  // and the k-th receive of a message number between two ranks belong together; numbers count modulo
  // Transport::messages().
  virtual Status send(std::span<const std::byte> bytes, int peer, std::uint64_t message, std::uint64_t cookie) = 0;
  virtual Status receive(std::span<std::byte> room, int peer, std::uint64_t message, std::uint64_t cookie) = 0;

  // Appends what has completed since the last call.
  virtual Status poll(std::vector<Completion>& done) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // How many messages from one rank to another can be told apart at a time within an operation.
  virtual std::uint64_t messages() const = 0;

  // Whether send() and receive() take memory of a device that the host does not reach.
  virtual bool takes_device_memory() const { return false; }

  virtual std::unique_ptr<Channel> make_channel() = 0;
};

}  // namespace laconic
