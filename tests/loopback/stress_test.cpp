// SPDX-License-Identifier: BSD-3-Clause
// Many operations in flight on one transport: every collective, algorithm, codec, way to travel, type and root, mixed.
// Each rank is a thread that admits operations in order, as communicators do, and polls those in flight in an order of
// its own.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/sequencer.hpp"
#include "support/bench.hpp"
#include "support/faults.hpp"
#include "support/seed.hpp"
#include "transport/loopback/loopback.hpp"

namespace laconic::test {
namespace {

constexpr std::uint64_t under_way_at_most = 8;
constexpr int plenty = 1 << 30;

// An operation of all ranks, independent of the number type.
class AnyOperation {
 public:
  virtual ~AnyOperation() = default;
  virtual void finish(int rank, const Run& run) = 0;
  virtual void check() = 0;

  std::vector<Work> works;
  std::string text;
};

template <class T>
class OperationOf final : public AnyOperation {
 public:
  // mute: the rank that cannot encode, or -1.
  OperationOf(const Operation& o, int size, Kind kind, std::uint64_t seed, std::uint64_t sequence, int mute)
      : bench_(o, size, kind, seed),
        mute_(mute),
        refuses_(*o.codec),
        statuses_(static_cast<std::size_t>(size)),
        accounts_(static_cast<std::size_t>(size)) {
    works = bench_.works(sequence);
    if (mute >= 0) works[static_cast<std::size_t>(mute)].codec = &refuses_;
    text = to_text(o, size) + ", " + name_of(kind) + (mute < 0 ? "" : ", rank " + std::to_string(mute) + " is mute");
  }

  void finish(int rank, const Run& run) override {
    statuses_[static_cast<std::size_t>(rank)] = run.status();
    accounts_[static_cast<std::size_t>(rank)] = run.account();
  }

  void check() override {
    for (int r = 0; r < bench_.size(); ++r) {
      const Status& s = statuses_[static_cast<std::size_t>(r)];
      ASSERT_TRUE(bench_.intact(r));
      if (mute_ < 0) {
        ASSERT_NO_FATAL_FAILURE(bench_.check_rank(r, s, accounts_[static_cast<std::size_t>(r)]));
      } else if (s.ok()) {
        ASSERT_FALSE(needs(r)) << "rank " << r << " has nothing and does not know";
      }
    }
    if (mute_ < 0) bench_.check_results();
  }

 private:
  bool needs(int r) const {
    for (std::int32_t b = 0; b < bench_.cut() && r != mute_; ++b)
      if (bench_.needs(r, b, mute_)) return true;
    return false;
  }

  Bench<T> bench_;
  int mute_;
  MuteCodec refuses_;
  std::vector<Status> statuses_;
  std::vector<Account> accounts_;
};

// A small random operation, with any parameters that a caller might use.
std::unique_ptr<AnyOperation> random_operation(int size, std::uint64_t sequence, Random& random) {
  const auto p = static_cast<std::uint64_t>(size);
  Operation o;
  do o.algorithm = &all_algorithms()[random.below(all_algorithms().size())];
  while (!o.algorithm->fits(ranks_of(size)));
  o.codec = all_codecs()[random.below(all_codecs().size())];
  if (o.codec->name() == "quant") o.codec = quant_variants()[random.below(quant_variants().size())].get();
  o.per_hop = random.below(4) == 0;
  o.root = static_cast<int>(random.below(p));
  if (o.reduction()) o.op = static_cast<Op>(random.below(3));
  o.mean = has_mean(o) && o.op == Op::sum && random.below(2) == 0;
  constexpr std::array<double, 4> bounds{1e-2, 1, 1e-5, 0};
  o.bound = bounds[random.below(bounds.size())];
  const std::size_t largest = random.below(8) == 0 ? 1500 : 120;
  o.count = random.below(largest);
  if (!cuts_equally(o.collective())) {
    o.count /= static_cast<std::size_t>(o.collective() == Collective::alltoall ? size : 2);
    if (random.below(2) == 0) o.counts = uneven_counts(blocks_of(o.collective(), size), o.count, random);
  }
  o.chunk = 1 + o.count / (1 + random.below(4));
  o.depth = static_cast<int>(1 + random.below(4));
  if (random.below(4) == 0) o.target = BoundTarget::input;
  o.in_place = random.below(3) == 0;
  o.checksum = random.below(4) != 0;
  o.most = any_most(random);
  const Kind kind = all_kinds[random.below(all_kinds.size())].kind;
  const int mute = random.below(40) == 0 ? static_cast<int>(random.below(p)) : -1;
  const std::uint64_t seed = random.bits();
  if (random.below(2) == 0) return std::make_unique<OperationOf<float>>(o, size, kind, seed, sequence, mute);
  return std::make_unique<OperationOf<double>>(o, size, kind, seed, sequence, mute);
}

// The driver of one rank: its operations in flight and its idle Runs.
class Driver {
 public:
  Driver(LoopbackHub& hub, int rank, int threads, std::uint64_t seed, std::vector<std::unique_ptr<AnyOperation>>& all)
      : rank_(rank), random_(seed), operations_(all), transport_(hub.transport(rank)), device_(threads, plenty) {
    for (std::uint64_t k = 0; k < under_way_at_most; ++k) idle_.push_back(std::make_unique<Run>(*transport_, device_));
  }

  void drive() {
    std::uint64_t fruitless = 0;
    while (finished_ < operations_.size()) {
      while (begin_next()) {
      }
      bool ended = false;
      for (std::size_t polls = under_way_.size(); polls > 0; --polls) ended = poll_one() || ended;
      fruitless = ended ? 0 : fruitless + 1;
      // A short sleep now and then, because many ranks share few cores; it also makes a rank late now and then.
      if (random_.below(500) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      else if (fruitless % 8 == 7)
        std::this_thread::sleep_for(std::chrono::microseconds(10));
      else
        std::this_thread::yield();
    }
    idle_.clear();
  }

  int leased() const { return device_.leased; }

  std::string describe() const {
    std::string text = "rank " + std::to_string(rank_) + ": " + std::to_string(finished_) + " finished";
    for (const UnderWay& u : under_way_)
      text += "\n  " + std::to_string(u.turn) + " (" + operations_[u.turn]->text + "): " + u.run->describe();
    return text;
  }

 private:
  struct UnderWay {
    std::uint64_t turn;
    std::unique_ptr<Run> run;
    std::size_t reserved;
    bool ended;
  };

  bool begin_next() {
    // Callers start operations in the same order, but not all at once.
    if (taken_ < operations_.size() && random_.below(2) == 0) {
      EXPECT_EQ(sequencer_.take(), taken_);
      ++taken_;
    }
    if (begun_ == taken_ || !sequencer_.reached(begun_)) return false;
    sequencer_.begin();
    std::unique_ptr<Run> run = std::move(idle_.back());
    idle_.pop_back();
    const Work& work = operations_[begun_]->works[static_cast<std::size_t>(rank_)];
    run->start(work);
    const std::size_t reserved = run->footprint();
    under_way_.push_back({begun_++, std::move(run), reserved, false});
    return true;
  }

  // Polls one operation; true when it has ended.
  bool poll_one() {
    if (under_way_.empty()) return false;
    const std::size_t which = random_.below(under_way_.size());
    UnderWay& u = under_way_[which];
    if (!u.ended) {
      u.ended = u.run->poll();
      // Sometimes the end of an operation is handled only at a later poll.
      if (!u.ended || random_.below(3) == 0) return u.ended;
    }
    EXPECT_TRUE(u.run->poll());
    EXPECT_EQ(u.run->footprint(), u.reserved) << "more frames than were reserved";
    operations_[u.turn]->finish(rank_, *u.run);
    sequencer_.finish(u.turn);
    ++finished_;
    // The order in which Runs are reused is random as well.
    idle_.insert(idle_.begin() + static_cast<std::ptrdiff_t>(random_.below(idle_.size() + 1)), std::move(u.run));
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
    return true;
  }

  int rank_;
  Random random_;
  std::vector<std::unique_ptr<AnyOperation>>& operations_;
  std::unique_ptr<Transport> transport_;
  LimitedDevice device_;
  Sequencer sequencer_{under_way_at_most};
  std::vector<std::unique_ptr<Run>> idle_;
  std::vector<UnderWay> under_way_;
  std::uint64_t taken_ = 0;
  std::uint64_t begun_ = 0;
  std::atomic<std::uint64_t> finished_{0};
};

class Stress : public ::testing::TestWithParam<std::uint64_t> {};

INSTANTIATE_TEST_SUITE_P(Loopback, Stress, ::testing::Range(std::uint64_t{0}, std::uint64_t{20}));

TEST_P(Stress, ManyOperationsInFlight) {
  const std::uint64_t seed = base_seed() + GetParam();
  Random random(seed);
  const int size = static_cast<int>(3 + random.below(6));
  const int threads = random.below(4) == 0 ? 2 : 1;
  const std::uint64_t delay = random.below(3) * 40;
  constexpr std::uint64_t operations = sanitized ? 100 : 400;
  const std::string note = "seed " + std::to_string(seed) + " (" + seed_note() + "), " + std::to_string(size) +
                           " ranks, " + std::to_string(threads) + " threads each, delays up to " +
                           std::to_string(delay) + " us";
  SCOPED_TRACE(note);

  // The sequence numbers of operations are reused, as transports do.
  std::vector<std::unique_ptr<AnyOperation>> all;
  for (std::uint64_t k = 0; k < operations; ++k) all.push_back(random_operation(size, k % under_way_at_most, random));

  LoopbackHub hub(size, random.bits(), std::chrono::microseconds(delay));
  std::vector<std::unique_ptr<Driver>> ranks;
  for (int r = 0; r < size; ++r) ranks.push_back(std::make_unique<Driver>(hub, r, threads, random.bits(), all));
  {
    const Watchdog watchdog(std::chrono::seconds(100), [&] {
      std::string text = note;
      for (const auto& rank : ranks) text += "\n" + rank->describe();
      return text;
    });
    std::vector<std::thread> running;
    for (const auto& rank : ranks) running.emplace_back([&rank] { rank->drive(); });
    for (std::thread& t : running) t.join();
  }
  for (const auto& rank : ranks) EXPECT_EQ(rank->leased(), 0) << "memory was not given back";
  for (std::uint64_t k = 0; k < operations; ++k) {
    SCOPED_TRACE("operation " + std::to_string(k) + ": " + all[k]->text);
    all[k]->check();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace laconic::test
