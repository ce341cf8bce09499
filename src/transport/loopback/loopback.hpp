// SPDX-License-Identifier: BSD-3-Clause
// A transport for tests, with N ranks as threads of one process.  Messages are delayed and overtake one another at
// random, and a send completes only after its bytes were taken, which exposes memory that is reused too early.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "transport/transport.hpp"

namespace laconic {

class LoopbackHub {
 public:
  // Copies bytes between any memory of two ranks.  Called by one thread at a time.
  using Copy = std::function<Status(void* to, const void* from, std::size_t bytes)>;

  // delay: longest time that a message is held back.  copy: needed for ranks whose messages are in device memory.
  LoopbackHub(int size, std::uint64_t seed, std::chrono::microseconds delay, Copy copy = {});
  ~LoopbackHub();

  // The transport of one rank; the hub must outlive it.
  std::unique_ptr<Transport> transport(int rank);

  int size() const { return size_; }
  bool takes_device_memory() const { return copy_ != nullptr; }

 private:
  friend class LoopbackChannel;
  struct Mailbox;

  Status deliver(std::span<const std::byte> bytes, std::span<std::byte> room) const;

  int size_;
  std::chrono::microseconds delay_;
  std::mutex mutex_;
  std::mt19937_64 random_;
  Copy copy_;
  std::vector<Mailbox> mailboxes_;
};

}  // namespace laconic
