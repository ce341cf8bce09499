// SPDX-License-Identifier: BSD-3-Clause
// All ranks in one process, each with its transport, device and Run. Each rank is driven by its own thread, or one
// thread drives all ranks in turn.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "device/devices.hpp"
#include "device/host/host_device.hpp"
#include "engine/run.hpp"
#include "support/fields.hpp"
#include "support/watchdog.hpp"
#include "transport/loopback/loopback.hpp"

namespace laconic::test {

// The location of the ranks' numbers, and the memory type of messages.
enum class Site {
  host,
  staged,  // numbers on a device, messages in host memory
  direct,  // numbers and messages on a device
  mixed,   // every other rank on a device, messages in host memory
};

inline std::string_view name_of(Site site) {
  constexpr std::string_view names[] = {"host", "staged", "direct", "mixed"};
  return names[static_cast<int>(site)];
}

inline std::unique_ptr<Device> open_first_device() {
  Status status;
  std::unique_ptr<Device> device = open_device(0, status);
  EXPECT_TRUE(status.ok()) << status.message();
  return device;
}

class World {
 public:
  using Wrap = std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>;

  World(int size, int threads, std::uint64_t seed, std::chrono::microseconds delay, const Wrap& wrap = {},
        Site site = Site::host)
      : seed_(seed),
        carrier_(site == Site::direct ? open_first_device() : nullptr),
        hub_(
            size, seed, delay, carrier_ == nullptr ? LoopbackHub::Copy{} : [this](void* to, const void* from, auto n) {
              return carrier_->copy(to, from, n);
            }) {
    for (int r = 0; r < size; ++r) {
      auto transport = hub_.transport(r);
      const bool on_device = site == Site::staged || site == Site::direct || (site == Site::mixed && r % 2 == 0);
      std::unique_ptr<Device> device = on_device ? open_first_device() : std::make_unique<HostDevice>(threads);
      ranks_.push_back(
          std::make_unique<Rank>(wrap ? wrap(std::move(transport)) : std::move(transport), std::move(device)));
    }
  }

  int size() const { return hub_.size(); }
  Run& run(int rank) { return ranks_[static_cast<std::size_t>(rank)]->run; }
  Device& device(int rank) { return *ranks_[static_cast<std::size_t>(rank)]->device; }
  std::uint64_t next_sequence() { return sequence_++; }

  std::string describe() {
    std::string text = "seed " + std::to_string(seed_);
    for (int r = 0; r < size(); ++r) text += "\nrank " + std::to_string(r) + ": " + run(r).describe();
    return text;
  }

  std::size_t footprint() {
    std::size_t bytes = 0;
    for (int r = 0; r < size(); ++r) bytes += run(r).footprint();
    return bytes;
  }

  // Every rank in a thread of its own.  `before(rank)` is called first, in that thread.
  void drive_by_threads(const std::vector<Work>& works, const std::function<void(int)>& before = {}) {
    const Watchdog watchdog(std::chrono::seconds(60), [this] { return describe(); });
    std::vector<std::thread> threads;
    for (int r = 0; r < size(); ++r)
      threads.emplace_back([&, r] {
        if (before) before(r);
        Run& mine = run(r);
        start(r, works[static_cast<std::size_t>(r)]);
        // A short sleep now and then, because many ranks share few cores.
        for (unsigned polls = 1; !mine.poll(); ++polls)
          polls % 8 == 0 ? std::this_thread::sleep_for(std::chrono::microseconds(10)) : std::this_thread::yield();
      });
    for (std::thread& t : threads) t.join();
    check_memory();
  }

  // All ranks in this thread, polled once each in turn: the order is reproducible.
  void drive_in_turns(const std::vector<Work>& works) {
    drive(works, [this] {
      int busy = 0;
      for (int r = 0; r < size(); ++r) busy += !run(r).poll();
      return busy > 0;
    });
  }

  // All ranks in this thread, polled in random order.
  void drive_at_random(const std::vector<Work>& works, Random& random) {
    drive(works, [&] {
      bool busy = false;
      for (int k = 0; k < size(); ++k)
        busy = !run(static_cast<int>(random.below(static_cast<std::uint64_t>(size())))).poll() || busy;
      for (int r = 0; r < size() && !busy; ++r) busy = !run(r).poll();
      return busy;
    });
  }

 private:
  // busy() polls some ranks, and returns whether any of them may still have work.
  template <class F>
  void drive(const std::vector<Work>& works, F&& busy) {
    for (int r = 0; r < size(); ++r) start(r, works[static_cast<std::size_t>(r)]);
    // A watchdog that does not allocate.
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    std::uint64_t rounds = 0;
    while (busy()) {
      if (++rounds % 4096 != 0 || std::chrono::steady_clock::now() < limit) continue;
      std::fprintf(stderr, "watchdog: no end after 60 s\n%s\n", describe().c_str());
      std::abort();
    }
    check_memory();
  }

  void start(int r, const Work& work) {
    Rank& rank = *ranks_[static_cast<std::size_t>(r)];
    rank.run.start(work);
    rank.reserved = rank.run.footprint();
  }

  // All memory of an operation is leased before it begins.
  void check_memory() {
    for (const auto& rank : ranks_)
      if (rank->run.status().ok()) {
        EXPECT_EQ(rank->run.footprint(), rank->reserved) << "more frames than were reserved";
      }
  }

  struct Rank {
    Rank(std::unique_ptr<Transport> t, std::unique_ptr<Device> d)
        : transport(std::move(t)), device(std::move(d)), run(*transport, *device) {}
    std::unique_ptr<Transport> transport;
    std::unique_ptr<Device> device;
    Run run;
    std::size_t reserved = 0;  // bytes of frames when the last operation began
  };

  std::uint64_t seed_;
  std::uint64_t sequence_ = 0;
  std::unique_ptr<Device> carrier_;  // the device whose memory holds messages
  LoopbackHub hub_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace laconic::test
