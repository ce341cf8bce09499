// SPDX-License-Identifier: BSD-3-Clause
#include "transport/loopback/loopback.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace laconic {
namespace {

using Clock = std::chrono::steady_clock;

// Few on purpose, so that tests reach the limits that large jobs reach.
constexpr std::uint64_t message_names = 512;

struct Letter {
  int from;
  std::uint64_t sequence;
  std::uint64_t name;
  std::span<const std::byte> bytes;
  Clock::time_point due;
  std::vector<Completion>* sender;  // the sender's completions, which tell it that its bytes were taken
  std::uint64_t cookie;
};

struct Slot {
  int from;
  std::uint64_t name;
  std::span<std::byte> room;
  std::uint64_t cookie;
};

}  // namespace

struct LoopbackHub::Mailbox {
  std::vector<Letter> letters;  // in the order in which they were sent
};

class LoopbackChannel final : public Channel {
 public:
  LoopbackChannel(LoopbackHub& hub, int rank) : hub_(hub), rank_(rank) {}

  void open(std::uint64_t sequence) override { sequence_ = sequence; }

  Status send(std::span<const std::byte> bytes, int peer, std::uint64_t message, std::uint64_t cookie) override {
    std::lock_guard lock(hub_.mutex_);
    const auto longest = static_cast<std::uint64_t>(hub_.delay_.count());
    const std::chrono::microseconds held(longest == 0 ? 0 : hub_.random_() % (longest + 1));
    hub_.mailboxes_[static_cast<std::size_t>(peer)].letters.push_back(
        {rank_, sequence_, message % message_names, bytes, Clock::now() + held, &sent_, cookie});
    return {};
  }

  Status receive(std::span<std::byte> room, int peer, std::uint64_t message, std::uint64_t cookie) override {
    slots_.push_back({peer, message % message_names, room, cookie});
    return {};
  }

  Status poll(std::vector<Completion>& done) override {
    std::lock_guard lock(hub_.mutex_);
    done.insert(done.end(), sent_.begin(), sent_.end());
    sent_.clear();
    auto& letters = hub_.mailboxes_[static_cast<std::size_t>(rank_)].letters;
    const auto now = Clock::now();
    for (std::size_t i = 0; i < slots_.size();) {
      const Slot slot = slots_[i];
      // The first letter with the same name, due or not: as in MPI, messages of one name do not overtake each other.
      const auto letter = std::find_if(letters.begin(), letters.end(), [&](const Letter& l) {
        return l.from == slot.from && l.sequence == sequence_ && l.name == slot.name;
      });
      if (letter == letters.end() || letter->due > now) {
        ++i;
        continue;
      }
      if (letter->bytes.size() > slot.room.size())
        return {Code::transport, "message of " + std::to_string(letter->bytes.size()) + " bytes, room for " +
                                     std::to_string(slot.room.size())};
      if (Status s = hub_.deliver(letter->bytes, slot.room); !s) return s;
      done.push_back({slot.cookie, letter->bytes.size()});
      letter->sender->push_back({letter->cookie, 0});
      letters.erase(letter);
      slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return {};
  }

 private:
  LoopbackHub& hub_;
  int rank_;
  std::uint64_t sequence_ = 0;
  std::vector<Slot> slots_;
  std::vector<Completion> sent_;  // guarded by the hub's mutex
};

namespace {

class LoopbackTransport final : public Transport {
 public:
  LoopbackTransport(LoopbackHub& hub, int rank) : hub_(hub), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return hub_.size(); }
  std::uint64_t messages() const override { return message_names; }
  bool takes_device_memory() const override { return hub_.takes_device_memory(); }
  std::unique_ptr<Channel> make_channel() override { return std::make_unique<LoopbackChannel>(hub_, rank_); }

 private:
  LoopbackHub& hub_;
  int rank_;
};

}  // namespace

LoopbackHub::LoopbackHub(int size, std::uint64_t seed, std::chrono::microseconds delay, Copy copy)
    : size_(size), delay_(delay), random_(seed), copy_(std::move(copy)), mailboxes_(static_cast<std::size_t>(size)) {}

LoopbackHub::~LoopbackHub() = default;

Status LoopbackHub::deliver(std::span<const std::byte> bytes, std::span<std::byte> room) const {
  if (bytes.empty()) return {};
  if (copy_) return copy_(room.data(), bytes.data(), bytes.size());
  std::memcpy(room.data(), bytes.data(), bytes.size());
  return {};
}

std::unique_ptr<Transport> LoopbackHub::transport(int rank) { return std::make_unique<LoopbackTransport>(*this, rank); }

}  // namespace laconic
