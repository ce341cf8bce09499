// SPDX-License-Identifier: BSD-3-Clause
// Transports, devices and codecs that fail on demand.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "codec/codec.hpp"
#include "device/host/host_device.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "transport/transport.hpp"
#include "wire/frame.hpp"

namespace laconic::test {

enum class Damage { magic, kind_of_block, cut_in_half, empty, failed, count, flip, cut, repeated, stale };

// The kinds of damage: first those that show in the frame itself, then those that only a seal detects.
inline constexpr std::array<std::pair<Damage, const char*>, 10> damages{{{Damage::magic, "magic"},
                                                                         {Damage::kind_of_block, "kind_of_block"},
                                                                         {Damage::cut_in_half, "cut_in_half"},
                                                                         {Damage::empty, "empty"},
                                                                         {Damage::failed, "failed"},
                                                                         {Damage::count, "count"},
                                                                         {Damage::flip, "flip"},
                                                                         {Damage::cut, "cut"},
                                                                         {Damage::repeated, "repeated"},
                                                                         {Damage::stale, "stale"}}};

constexpr bool needs_seal(Damage d) { return d >= Damage::flip; }

// Selects the message to damage and the kind of damage, and the poll after which a transport fails.
struct Fault {
  static constexpr std::size_t never = static_cast<std::size_t>(-1);
  Damage damage = Damage::magic;
  std::size_t at = never;
  std::size_t seen = 0;
  std::size_t polls_left = never;
  std::vector<std::unique_ptr<Bytes>> kept;  // until the operation is over
  Random random{1};
  Bytes latest;               // the last message seen
  std::vector<Bytes> former;  // messages of operations without damage
  bool harmless = false;      // nothing was changed
  // Messages have different numbers of frames, so a message that takes the place of another is cut to its size: where a
  // frame is expected, there is no room for more.
  bool sizes_differ = false;

  std::span<const std::byte> pass(std::span<const std::byte> bytes) {
    const Bytes before = std::exchange(latest, Bytes(bytes.begin(), bytes.end()));
    if (at == never) former.push_back(latest);
    if (seen++ != at) return bytes;
    auto copy = std::make_unique<Bytes>(bytes.begin(), bytes.end());
    switch (damage) {
      case Damage::magic: (*copy)[0] ^= std::byte{1}; break;
      case Damage::kind_of_block:
        // In a frame of a codec without blocks, and in an empty frame, the codec byte is damaged instead.
        (*copy)[(*copy)[5] == std::byte{2} && copy->size() > wire::header_bytes ? wire::header_bytes : 5] =
            std::byte{77};
        break;
      case Damage::cut_in_half: copy->resize(copy->size() / 2); break;
      case Damage::empty: copy->clear(); break;
      case Damage::failed: {
        wire::Header header;
        if (!wire::read_header(*copy, header)) break;
        copy->resize(wire::header_bytes);
        wire::write_failed_frame(header.count, header.dtype, *copy);
        break;
      }
      case Damage::count: (*copy)[8] ^= std::byte{3}; break;
      case Damage::flip: (*copy)[random.below(copy->size())] ^= std::byte(1u << random.below(8)); break;
      case Damage::cut: copy->resize(random.below(copy->size())); break;
      case Damage::repeated:
        if (!before.empty()) *copy = before;
        break;
      case Damage::stale: *copy = former[random.below(former.size())]; break;
    }
    if (sizes_differ) copy->resize(std::min(copy->size(), bytes.size()));
    // The same frame may go to several ranks.
    harmless = *copy == latest;
    kept.push_back(std::move(copy));
    return *kept.back();
  }
};

class FaultyChannel final : public Channel {
 public:
  FaultyChannel(std::unique_ptr<Channel> inner, Fault& fault) : inner_(std::move(inner)), fault_(fault) {}
  void open(std::uint64_t sequence) override { inner_->open(sequence); }
  Status send(std::span<const std::byte> bytes, int peer, std::uint64_t message, std::uint64_t cookie) override {
    return inner_->send(fault_.pass(bytes), peer, message, cookie);
  }
  Status receive(std::span<std::byte> room, int peer, std::uint64_t message, std::uint64_t cookie) override {
    return inner_->receive(room, peer, message, cookie);
  }
  Status poll(std::vector<Completion>& done) override {
    if (fault_.polls_left == 0) return {Code::transport, "the cable is out"};
    if (fault_.polls_left != Fault::never) --fault_.polls_left;
    return inner_->poll(done);
  }

 private:
  std::unique_ptr<Channel> inner_;
  Fault& fault_;
};

class FaultyTransport final : public Transport {
 public:
  FaultyTransport(std::unique_ptr<Transport> inner, Fault& fault) : inner_(std::move(inner)), fault_(fault) {}
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  std::uint64_t messages() const override { return inner_->messages(); }
  bool takes_device_memory() const override { return inner_->takes_device_memory(); }
  std::unique_ptr<Channel> make_channel() override {
    return std::make_unique<FaultyChannel>(inner_->make_channel(), fault_);
  }

 private:
  std::unique_ptr<Transport> inner_;
  Fault& fault_;
};

// A device whose memory runs out after a number of leases; counts the leases that are not given back.
class LimitedDevice final : public Device {
 public:
  LimitedDevice(int threads, int leases) : LimitedDevice(std::make_unique<HostDevice>(threads), leases) {}
  LimitedDevice(std::unique_ptr<Device> inner, int leases) : inner_(std::move(inner)), left_(leases) {}
  bool on_host() const override { return inner_->on_host(); }
  std::span<std::byte> lease(std::size_t bytes) override { return counted(inner_->lease(take() ? bytes : never)); }
  void give_back(std::span<std::byte> memory) override {
    --leased;
    inner_->give_back(memory);
  }
  std::span<std::byte> lease_shared(std::size_t bytes) override {
    return counted(inner_->lease_shared(take() ? bytes : never));
  }
  void give_back_shared(std::span<std::byte> memory) override {
    --leased;
    inner_->give_back_shared(memory);
  }
  bool prepare(std::size_t words) override { return inner_->prepare(words); }
  void submit(Job& job) override { inner_->submit(job); }
  bool runs_inline() const override { return inner_->runs_inline(); }
  void progress() override { inner_->progress(); }
  Status follow(void* stream) override { return inner_->follow(stream); }
  Status copy(void* to, const void* from, std::size_t bytes) override { return inner_->copy(to, from, bytes); }

  int leased = 0;

 private:
  static constexpr std::size_t never = std::size_t{1} << 60;  // more bytes than any device has
  bool take() { return left_-- > 0; }
  std::span<std::byte> counted(std::span<std::byte> memory) {
    leased += !memory.empty();
    return memory;
  }

  std::unique_ptr<Device> inner_;
  int left_;
};

// A wrapper around another codec that runs a hook before each call.
class WrappedCodec : public Codec {
 public:
  explicit WrappedCodec(const Codec& inner) : inner_(inner) {}
  std::string_view name() const override { return inner_.name(); }
  std::uint8_t id() const override { return inner_.id(); }
  bool supports(Dtype dtype) const override { return inner_.supports(dtype); }
  bool exact_sums() const override { return inner_.exact_sums(); }
  std::size_t capacity(std::size_t count, Dtype dtype) const override { return inner_.capacity(count, dtype); }
  std::size_t moved_capacity(std::size_t count, Dtype dtype) const override {
    return inner_.moved_capacity(count, dtype);
  }
  Coded encode(const void* x, std::size_t n, const Coding& c, Blob out) const override {
    return inner_.encode(x, n, c, out);
  }
  Coded fold(Frame f, const void* x, std::size_t n, const Coding& c, Blob out) const override {
    return inner_.fold(f, x, n, c, out);
  }
  Coded add(Frame a, Frame b, std::size_t n, const Coding& c, Blob out) const override {
    return inner_.add(a, b, n, c, out);
  }
  Status decode(Frame f, void* x, std::size_t n, const Coding& c) const override { return inner_.decode(f, x, n, c); }

 private:
  const Codec& inner_;
};

// A codec that cannot encode numbers.
class MuteCodec final : public WrappedCodec {
 public:
  using WrappedCodec::WrappedCodec;
  Coded encode(const void*, std::size_t, const Coding&, Blob) const override { return refused(); }
  Coded fold(Frame, const void*, std::size_t, const Coding&, Blob) const override { return refused(); }
  Coded add(Frame, Frame, std::size_t, const Coding&, Blob) const override { return refused(); }

 private:
  static Coded refused() { return {{Code::memory, "no room to think"}, 0}; }
};

// A slow codec that counts its calls in progress.
class SlowCodec final : public WrappedCodec {
 public:
  using WrappedCodec::WrappedCodec;
  Coded encode(const void* x, std::size_t n, const Coding& c, Blob out) const override {
    const Busy busy(running);
    return WrappedCodec::encode(x, n, c, out);
  }
  Coded fold(Frame f, const void* x, std::size_t n, const Coding& c, Blob out) const override {
    const Busy busy(running);
    return WrappedCodec::fold(f, x, n, c, out);
  }
  Coded add(Frame a, Frame b, std::size_t n, const Coding& c, Blob out) const override {
    const Busy busy(running);
    return WrappedCodec::add(a, b, n, c, out);
  }
  Status decode(Frame f, void* x, std::size_t n, const Coding& c) const override {
    const Busy busy(running);
    return WrappedCodec::decode(f, x, n, c);
  }

  mutable std::atomic<int> running{0};

 private:
  struct Busy {
    explicit Busy(std::atomic<int>& r) : running(r) {
      ++running;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ~Busy() { --running; }
    std::atomic<int>& running;
  };
};

}  // namespace laconic::test
