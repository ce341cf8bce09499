// What goes wrong on one rank must be heard on every rank that needed its numbers, and nobody may hang.
#include <gtest/gtest.h>

#include <atomic>

#include "support/seed.hpp"
#include "support/world.hpp"

namespace laconic::test {
namespace {

enum class Damage { magic, kind_of_block, cut_in_half, empty, failed, count };

constexpr std::array<std::pair<Damage, const char*>, 6> damages{{{Damage::magic, "magic"},
                                                                 {Damage::kind_of_block, "kind_of_block"},
                                                                 {Damage::cut_in_half, "cut_in_half"},
                                                                 {Damage::empty, "empty"},
                                                                 {Damage::failed, "failed"},
                                                                 {Damage::count, "count"}}};

// Which message of all that are sent is damaged, and how.
struct Fault {
  Damage damage = Damage::magic;
  std::size_t at = 0;
  std::size_t seen = 0;
  std::vector<std::unique_ptr<Bytes>> kept;  // until the operation is over

  std::span<const std::byte> pass(std::span<const std::byte> bytes) {
    if (seen++ != at) return bytes;
    auto copy = std::make_unique<Bytes>(bytes.begin(), bytes.end());
    switch (damage) {
      case Damage::magic: (*copy)[0] ^= std::byte{1}; break;
      case Damage::kind_of_block:
        // Of a codec without blocks, and of an empty frame, the codec.
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
    }
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
  Status poll(std::vector<Completion>& done) override { return inner_->poll(done); }

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
  std::unique_ptr<Channel> make_channel() override {
    return std::make_unique<FaultyChannel>(inner_->make_channel(), fault_);
  }

 private:
  std::unique_ptr<Transport> inner_;
  Fault& fault_;
};

class DamagedMessage : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Loopback, DamagedMessage, ::testing::Range(std::size_t{0}, damages.size()),
                         [](const auto& i) { return std::string(damages[i.param].second); });

// Damages each message of an operation in turn.  All ranks end; a rank that reports success has the right result; at
// least one reports an error; and the same Runs then do the operation properly.
TEST_P(DamagedMessage, IsNoticedByAllWhoNeedIt) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const Codec* codec : all_codecs())
      for (const int size : {2, 3, 4, 5}) {
        Fault fault;
        fault.damage = damages[GetParam()].first;
        World world(size, 1, base_seed(), std::chrono::microseconds(0), [&](std::unique_ptr<Transport> inner) {
          return std::make_unique<FaultyTransport>(std::move(inner), fault);
        });
        Operation o;
        o.algorithm = &algorithm;
        o.codec = codec;
        o.bound = 1e-2;
        o.count = 150;
        o.chunk = 40;
        o.depth = 2;
        const Watchdog watchdog(std::chrono::seconds(60), [&] { return to_text(o, size) + "\n" + world.describe(); });
        Bench<float> bench(o, size, Kind::walk, 3);
        fault.at = static_cast<std::size_t>(-1);
        world.drive_in_turns(bench.works(world.next_sequence()));
        bench.check(world);
        const std::size_t messages = fault.seen;
        const std::vector<float> right(bench.output(0), bench.output(0) + o.count);
        const std::size_t leased = world.footprint();
        for (std::size_t k = 0; k < messages; ++k) {
          SCOPED_TRACE(to_text(o, size) + ", message " + std::to_string(k));
          fault.at = k;
          fault.seen = 0;
          world.drive_in_turns(bench.works(world.next_sequence()));
          int errors = 0;
          for (int r = 0; r < size; ++r) {
            const Status& s = world.run(r).status();
            ASSERT_TRUE(bench.room(r).intact());
            if (s.ok()) {
              ASSERT_EQ(std::memcmp(bench.output(r), right.data(), o.count * sizeof(float)), 0)
                  << "rank " << r << " has a wrong result and does not know";
            } else {
              ASSERT_EQ(s.code(), Code::frame);
              ASSERT_FALSE(s.message().empty());
              ++errors;
            }
          }
          ASSERT_GT(errors, 0) << "nobody noticed";
        }
        fault.at = static_cast<std::size_t>(-1);
        world.drive_in_turns(bench.works(world.next_sequence()));
        bench.check(world);
        EXPECT_EQ(world.footprint(), leased) << "frames were lost";
        if (HasFailure()) return;
      }
}

// Damage while numbers are being reduced reaches every rank: nobody has a result then.  (Not so in recursive doubling
// among a power of two, where both partners add, and only one of them from the damaged message.)
TEST(DamagedReduction, IsHeardByEveryRank) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const int size : {2, 3, 4, 8}) {
      if (algorithm.name == "recursive-doubling" && (size & (size - 1)) == 0) continue;
      Fault fault;
      World world(size, 1, base_seed(), std::chrono::microseconds(0), [&](std::unique_ptr<Transport> inner) {
        return std::make_unique<FaultyTransport>(std::move(inner), fault);
      });
      Operation o;
      o.algorithm = &algorithm;
      o.codec = find_codec("quant");
      o.bound = 1e-2;
      o.count = 500;
      o.chunk = 1000;
      Bench<float> bench(o, size, Kind::walk, 3);
      world.drive_in_turns(bench.works(world.next_sequence()));  // the first message of all is damaged
      for (int r = 0; r < size; ++r) EXPECT_FALSE(world.run(r).status().ok()) << to_text(o, size) << ", rank " << r;
    }
}

// Memory that runs out after a number of leases.
class LimitedDevice final : public Device {
 public:
  LimitedDevice(int threads, int leases) : inner_(threads), left_(leases) {}
  std::span<std::byte> lease(std::size_t bytes) override {
    return left_-- > 0 ? inner_.lease(bytes) : std::span<std::byte>{};
  }
  void give_back(std::span<std::byte> blob) override { inner_.give_back(blob); }
  void submit(Job& job) override { inner_.submit(job); }
  bool runs_inline() const override { return inner_.runs_inline(); }

 private:
  HostDevice inner_;
  int left_;
};

// Takes its time, and tells how many of its calls are under way.
class SlowCodec final : public Codec {
 public:
  std::string_view name() const override { return inner_.name(); }
  std::uint8_t id() const override { return inner_.id(); }
  bool exact_sums() const override { return inner_.exact_sums(); }
  std::size_t capacity(std::size_t count, Dtype dtype) const override { return inner_.capacity(count, dtype); }
  Coded encode(const void* x, std::size_t n, const Coding& c, Blob out) const override {
    const Busy busy(running);
    return inner_.encode(x, n, c, out);
  }
  Coded fold(Frame f, const void* x, std::size_t n, const Coding& c, Blob out) const override {
    const Busy busy(running);
    return inner_.fold(f, x, n, c, out);
  }
  Coded add(Frame a, Frame b, std::size_t n, const Coding& c, Blob out) const override {
    const Busy busy(running);
    return inner_.add(a, b, n, c, out);
  }
  Status decode(Frame f, void* x, std::size_t n, const Coding& c) const override {
    const Busy busy(running);
    return inner_.decode(f, x, n, c);
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
  const Codec& inner_ = *find_codec("quant");
};

// The rank on which memory runs out says so, and when it has ended none of its threads touches the user's numbers.
TEST(OutOfMemory, EndsWithAnErrorAndNothingRunning) {
  for (const int threads : {1, 3})
    for (int leases = 0; leases < 12; ++leases) {
      LoopbackHub hub(2, base_seed(), std::chrono::microseconds(0));
      SlowCodec codec;
      Operation o;
      o.algorithm = find_algorithm("ring");
      o.codec = &codec;
      o.bound = 1e-2;
      o.count = 4000;
      o.chunk = 100;
      o.depth = 4;
      Bench<float> bench(o, 2, Kind::walk, 1);
      const auto works = bench.works(0);
      LimitedDevice scarce(threads, leases);
      HostDevice plenty(1);
      const auto transport0 = hub.transport(0);
      const auto transport1 = hub.transport(1);
      laconic::Run run0(*transport0, scarce);
      laconic::Run run1(*transport1, plenty);
      const Watchdog watchdog(std::chrono::seconds(60), [&] { return run0.describe() + "\n" + run1.describe(); });
      run0.start(works[0]);
      run1.start(works[1]);
      while (!run0.poll()) run1.poll();
      // Enough leases for one row at a time may be enough for all of them.
      EXPECT_TRUE(run0.status().code() == Code::memory || (run0.status().ok() && leases > 8)) << leases << " leases";
      EXPECT_EQ(codec.running, 0) << "coding goes on although the operation has ended";
      EXPECT_TRUE(run0.poll());
    }
}

}  // namespace
}  // namespace laconic::test
