// N ranks as threads of one process, for tests: messages are delayed and overtake one another at random, and a send
// completes only after its bytes were taken, so memory that is reused too early shows.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "transport/transport.hpp"

namespace laconic {

class LoopbackHub {
 public:
  // delay: longest time that a message is held back.
  LoopbackHub(int size, std::uint64_t seed, std::chrono::microseconds delay);
  ~LoopbackHub();

  // The transport of one rank; the hub must outlive it.
  std::unique_ptr<Transport> transport(int rank);

  int size() const { return size_; }

 private:
  friend class LoopbackChannel;
  struct Mailbox;

  int size_;
  std::chrono::microseconds delay_;
  std::mutex mutex_;
  std::mt19937_64 random_;
  std::vector<Mailbox> mailboxes_;
};

}  // namespace laconic
