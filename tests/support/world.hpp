// All ranks of an operation in one process: each with its transport, device and Run, driven by a thread each or by one
// thread in turns.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "device/host/host_device.hpp"
#include "engine/ledger.hpp"
#include "engine/plan.hpp"
#include "engine/run.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/guarded.hpp"
#include "support/watchdog.hpp"
#include "transport/loopback/loopback.hpp"

namespace laconic::test {

// What all ranks do.
struct Operation {
  const Algorithm* algorithm = nullptr;
  const Codec* codec = nullptr;
  Op op = Op::sum;
  bool mean = false;
  double bound = 0;  // on the result; 0: lossless
  std::size_t count = 0;
  std::size_t chunk = 1024;
  int depth = 2;
  bool in_place = false;
};

inline std::string to_text(const Operation& o, int size) {
  std::ostringstream s;
  s << o.algorithm->name << " of " << size << ", " << o.codec->name() << ", "
    << (o.mean            ? "mean"
        : o.op == Op::sum ? "sum"
        : o.op == Op::max ? "max"
                          : "min")
    << ", bound " << o.bound << ", count " << o.count << ", chunk " << o.chunk << ", depth " << o.depth
    << (o.in_place ? ", in place" : "");
  return s.str();
}

inline Budget budget_of(const Operation& o, int size) {
  return divide_bound(o.bound, false, o.op, o.mean, *o.algorithm, size, *o.codec);
}

// As the communicator does it.
template <class T>
Coding coding_of(const Operation& o, int size) {
  const Budget budget = budget_of(o, size);
  return {dtype_of<T>, o.op, budget.allowance, o.op == Op::sum ? budget.terms : 1, o.mean ? double(size) : 1};
}

class World {
 public:
  using Wrap = std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>;

  World(int size, int threads, std::uint64_t seed, std::chrono::microseconds delay, const Wrap& wrap = {})
      : seed_(seed), hub_(size, seed, delay) {
    for (int r = 0; r < size; ++r) {
      auto transport = hub_.transport(r);
      ranks_.push_back(std::make_unique<Rank>(wrap ? wrap(std::move(transport)) : std::move(transport), threads));
    }
  }

  int size() const { return hub_.size(); }
  Run& run(int rank) { return ranks_[static_cast<std::size_t>(rank)]->run; }
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
        mine.start(works[static_cast<std::size_t>(r)]);
        // Now and then a short sleep: many ranks share few cores.
        for (unsigned polls = 1; !mine.poll(); ++polls)
          polls % 8 == 0 ? std::this_thread::sleep_for(std::chrono::microseconds(10)) : std::this_thread::yield();
      });
    for (std::thread& t : threads) t.join();
  }

  // All ranks in this thread, one poll each in turn: the same every time.
  void drive_in_turns(const std::vector<Work>& works) {
    for (int r = 0; r < size(); ++r) run(r).start(works[static_cast<std::size_t>(r)]);
    for (int busy = size(); busy > 0;) {
      busy = 0;
      for (int r = 0; r < size(); ++r) busy += !run(r).poll();
    }
  }

 private:
  struct Rank {
    Rank(std::unique_ptr<Transport> t, int threads)
        : transport(std::move(t)), device(threads), run(*transport, device) {}
    std::unique_ptr<Transport> transport;
    HostDevice device;
    Run run;
  };

  std::uint64_t seed_;
  std::uint64_t sequence_ = 0;
  LoopbackHub hub_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

// Inputs, guarded outputs and plans of all ranks for one operation.
template <class T>
class Bench {
 public:
  Bench(const Operation& o, int size, Kind kind, std::uint64_t seed) : operation_(o), size_(size) {
    for (int r = 0; r < size; ++r) {
      inputs_.push_back(make_field<T>(kind, o.count, seed, r));
      outputs_.push_back(std::make_unique<Guarded>(o.count * sizeof(T)));
      plans_.push_back(lower(o.algorithm->build({r, size, 0}), size));
      if (o.in_place && o.count > 0) std::memcpy(output(r), inputs_.back().data(), o.count * sizeof(T));
    }
  }

  const std::vector<T>& input(int r) const { return inputs_[static_cast<std::size_t>(r)]; }
  T* output(int r) { return outputs_[static_cast<std::size_t>(r)]->template as<T>(); }
  Guarded& room(int r) { return *outputs_[static_cast<std::size_t>(r)]; }
  const Plan& plan(int r) const { return plans_[static_cast<std::size_t>(r)]; }

  std::vector<Work> works(std::uint64_t sequence) {
    std::vector<Work> works;
    for (int r = 0; r < size_; ++r) {
      Work w;
      w.plan = &plan(r);
      w.codec = operation_.codec;
      w.coding = coding_of<T>(operation_, size_);
      w.input = operation_.in_place ? output(r) : inputs_[static_cast<std::size_t>(r)].data();
      w.output = output(r);
      w.count = operation_.count;
      w.chunk = operation_.chunk;
      w.depth = operation_.depth;
      w.sequence = sequence;
      works.push_back(w);
    }
    return works;
  }

  // True when no number of any rank leaves the lattice, however the codec is asked: then the result is known to the
  // bit.
  bool on_lattice() const {
    if (operation_.codec->name() != "quant") return false;
    const Coding coding = coding_of<T>(operation_, size_);
    const auto blocks = static_cast<std::size_t>(plan(0).blocks);
    const std::size_t share = operation_.count / blocks;
    const std::size_t larger = operation_.count % blocks;
    for (int r = 0; r < size_; ++r) {
      std::size_t begin = 0;
      for (std::size_t b = 0; b < blocks; ++b) {
        const std::size_t end = begin + share + (b < larger);
        while (begin < end) {
          const std::size_t n = std::min(std::max<std::size_t>(operation_.chunk, 1), end - begin);
          const auto from = input(r).begin() + static_cast<std::ptrdiff_t>(begin);
          const std::vector<T> part(from, from + static_cast<std::ptrdiff_t>(n));
          if (!all_on_lattice(encode(*operation_.codec, part, coding), n, coding.dtype)) return false;
          begin += n;
        }
      }
    }
    return true;
  }

  // The result that the lattice gives: integers added, whatever the algorithm.
  std::vector<T> lattice_result() const {
    const Coding coding = coding_of<T>(operation_, size_);
    const auto lattice = quant::Lattice::make(coding.allowance, coding.terms, coding.dtype);
    std::vector<T> result(operation_.count);
    for (std::size_t i = 0; i < operation_.count; ++i) {
      std::int64_t total = 0;
      for (int r = 0; r < size_; ++r) {
        std::int32_t q = 0;
        EXPECT_TRUE(quant::quantise(input(r)[i], lattice, q));
        if (r == 0) {
          total = q;
        } else if (operation_.op == Op::sum) {
          total += q;
        } else {
          total = operation_.op == Op::max ? std::max<std::int64_t>(total, q) : std::min<std::int64_t>(total, q);
        }
      }
      const double x = static_cast<double>(total) * lattice.step;
      result[i] = static_cast<T>(coding.divisor == 1 ? x : x / coding.divisor);
    }
    return result;
  }

  // Checks everything that is promised of a finished operation.
  void check(World& world) {
    if (size_ == 1) return check_copy(world);
    const Budget budget = budget_of(operation_, size_);
    const std::vector<T> first(output(0), output(0) + operation_.count);
    std::uint64_t uncompressed = 0;
    for (int r = 0; r < size_; ++r) {
      ASSERT_TRUE(world.run(r).status().ok()) << "rank " << r << ": " << world.run(r).status().message();
      ASSERT_TRUE(room(r).intact()) << "rank " << r << " wrote outside of its output";
      ASSERT_TRUE(same_bits(first.data(), output(r))) << "ranks 0 and " << r << " hold different bits";
      const Account& account = world.run(r).account();
      const double error = operation_.mean ? account.error / size_ : account.error;
      ASSERT_LE(error, budget.worst_case * (1 + 1e-12));  // adding up the account rounds as well
      ASSERT_EQ(account.error, world.run(0).account().error);
      uncompressed += account.bytes_uncompressed;
    }
    if (operation_.algorithm->name == "ring" || operation_.algorithm->name == "direct") {
      ASSERT_EQ(uncompressed, 2 * static_cast<std::uint64_t>(size_ - 1) * operation_.count * sizeof(T));
    }
    if (on_lattice()) {
      const std::vector<T> expected = lattice_result();
      ASSERT_TRUE(same_bits(first.data(), expected.data())) << "not the sum of the lattice points";
      check_bound(first, budget, 0);
    } else {
      // Numbers held uncompressed round as plain sums do: each leaves the lattice once and is added once.
      check_bound(first, budget, size_ * static_cast<long double>(std::numeric_limits<T>::epsilon()));
    }
  }

 private:
  bool same_bits(const T* a, const T* b) const {
    return operation_.count == 0 || std::memcmp(a, b, operation_.count * sizeof(T)) == 0;
  }

  void check_copy(World& world) {
    ASSERT_TRUE(world.run(0).status().ok());
    ASSERT_TRUE(room(0).intact());
    ASSERT_TRUE(same_bits(input(0).data(), output(0)));
  }

  void check_bound(const std::vector<T>& result, const Budget& budget, long double relative_rounding) const {
    for (std::size_t i = 0; i < operation_.count; ++i) {
      const Exact e = reduce_exactly(operation_.op, size_, [&](int r) { return input(r)[i]; });
      // Plain sums may overflow on the way although the whole sum is finite; so may these.
      if (relative_rounding > 0 && operation_.op == Op::sum && e.magnitude > 0.5L * std::numeric_limits<T>::max())
        continue;
      if (e.nan) {
        ASSERT_TRUE(std::isnan(result[i])) << "number " << i << " is " << result[i];
        continue;
      }
      if (e.infinite != 0) {
        ASSERT_TRUE(std::isinf(result[i]) && (result[i] > 0) == (e.infinite > 0))
            << "number " << i << " is " << result[i];
        continue;
      }
      ASSERT_TRUE(std::isfinite(result[i])) << "number " << i;
      const long double divisor = operation_.mean ? size_ : 1;
      const long double tolerance =
          budget.worst_case + half_ulp(result[i]) +
          relative_rounding * (e.magnitude + size_ * static_cast<long double>(budget.allowance)) / divisor +
          (relative_rounding > 0 ? size_ * std::numeric_limits<T>::denorm_min() : 0);
      ASSERT_LE(std::fabs(result[i] - e.value / divisor), tolerance)
          << "number " << i << " is " << result[i] << ", exactly " << static_cast<double>(e.value / divisor);
    }
  }

  Operation operation_;
  int size_;
  std::vector<std::vector<T>> inputs_;
  std::vector<std::unique_ptr<Guarded>> outputs_;
  std::vector<Plan> plans_;
};

}  // namespace laconic::test
