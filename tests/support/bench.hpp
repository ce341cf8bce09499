// SPDX-License-Identifier: BSD-3-Clause
// Inputs, guarded outputs and plans of all ranks for one operation, with checks of every promise about its results.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/quant/far.hpp"
#include "engine/plan.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/guarded.hpp"
#include "support/operation.hpp"
#include "support/world.hpp"

namespace laconic::test {

template <class T>
class Bench {
  using Wide = std::conditional_t<is_small_float<T>, float, T>;  // the type in which the lattice is computed

 public:
  // world: some of its ranks have their numbers on devices; it must outlive the bench.
  Bench(const Operation& o, int size, Kind kind, std::uint64_t seed, World* world = nullptr)
      : operation_(o), size_(size) {
    for (int r = 0; r < size; ++r) {
      const Place at = place_at(r, size, o.root);
      Device* device = world == nullptr || world->device(r).on_host() ? nullptr : &world->device(r);
      ranks_.push_back({plan_of(o, at), {}, {}, device});
    }
    counts_ = block_counts(o, ranks_[0].plan.cut);
    for (int r = 0; r < size; ++r) place(r, kind, seed);
  }
  ~Bench() {
    for (Rank& r : ranks_)
      for (auto& [block, p] : r.parts) {
        if (!p.input_on_device.empty()) r.device->give_back(p.input_on_device);
        if (!p.output_on_device.empty()) r.device->give_back(p.output_on_device);
      }
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  int size() const { return size_; }
  const Operation& operation() const { return operation_; }
  const Plan& plan(int r) const { return rank(r).plan; }
  std::int32_t cut() const { return ranks_[0].plan.cut; }
  std::size_t count(int r, std::int32_t block) const { return count_of(operation_, counts_, size_, r, block); }
  bool has(int r, std::int32_t block) const { return ownership(r, block).has; }
  bool wants(int r, std::int32_t block) const { return ownership(r, block).wants; }

  // Whether the result of a rank holds numbers of another rank.
  bool needs(int r, std::int32_t block, int other) const {
    if (!wants(r, block) || count(r, block) == 0) return false;
    const std::vector<OwnBlock> sources = sources_of(operation_, size_, r, block);
    return std::any_of(sources.begin(), sources.end(), [&](const OwnBlock& s) { return s.rank == other; });
  }

  // The input of a rank that has the block, and the output of a rank that wants it.
  const std::vector<T>& input(int r, std::int32_t block) const { return part(r, block).input; }
  const std::vector<T>& input(const OwnBlock& own) const { return input(own.rank, own.block); }
  T* output(int r, std::int32_t block) {
    Part& p = part(r, block);
    fetch(rank(r), p);
    return p.output->template as<T>();
  }

  // Every number that the rank has written.
  std::vector<T> results(int r) {
    std::vector<T> all;
    for (std::int32_t b = 0; b < cut(); ++b)
      if (wants(r, b)) all.insert(all.end(), output(r, b), output(r, b) + count(r, b));
    return all;
  }

  bool intact(int r) const {
    for (const auto& [block, p] : rank(r).parts) {
      fetch(rank(r), p);
      if (p.output != nullptr && !p.output->intact()) return false;
    }
    return true;
  }

  // The work of all ranks, with the original inputs.
  std::vector<Work> works(std::uint64_t sequence) {
    std::vector<Work> works;
    for (int r = 0; r < size_; ++r) works.push_back(work(r, sequence));
    return works;
  }

  Work work(int r, std::uint64_t sequence) {
    if (operation_.in_place) put_inputs_in_place(r);
    Rank& mine = rank(r);
    if (mine.device != nullptr) bring_to_device(mine);
    Work w;
    w.plan = &mine.plan;
    w.codec = operation_.codec;
    w.coding = coding_of<T>(operation_, size_);
    w.last_allowance = budget_of(operation_, size_).last_allowance;
    w.regions = mine.regions;
    w.largest = *std::max_element(counts_.begin(), counts_.end());
    w.chunk = operation_.chunk;
    w.depth = operation_.depth;
    w.sequence = sequence;
    w.checksum = operation_.checksum;
    return w;
  }

  // Copies the inputs to where an in-place operation overwrites them. Allocates nothing.
  void put_inputs_in_place(int r) {
    for (auto& [block, p] : rank(r).parts)
      if (p.output != nullptr && has(r, block) && !p.input.empty())
        std::memcpy(p.output->bytes().data(), p.input.data(), p.input.size() * sizeof(T));
  }

  // Overwrites the outputs, so that results of an earlier operation are not taken for those of the next.
  void scribble() {
    for (Rank& r : ranks_)
      for (auto& [block, p] : r.parts)
        if (p.output != nullptr) std::fill(p.output->bytes().begin(), p.output->bytes().end(), std::byte{0xee});
  }

  // True when no number of any rank leaves the lattice, whatever encode does; the result is known to the bit then.
  bool on_lattice() const {
    if (operation_.codec->name() != "quant" || operation_.per_hop) return false;
    const Coding coding = coding_of<T>(operation_, size_);
    const std::size_t chunk = std::max<std::size_t>(operation_.chunk, 1);
    for (std::int32_t b = 0; b < cut(); ++b)
      for (int r = 0; r < size_; ++r)
        for (std::size_t begin = 0; has(r, b) && begin < count(r, b); begin += chunk) {
          const std::size_t n = std::min(chunk, count(r, b) - begin);
          const auto from = input(r, b).begin() + static_cast<std::ptrdiff_t>(begin);
          const std::vector<T> numbers(from, from + static_cast<std::ptrdiff_t>(n));
          if (!all_on_lattice(encode(*operation_.codec, numbers, coding), n, coding.dtype)) return false;
        }
    return true;
  }

  // The result on the lattice: a sum of integers, whatever the algorithm, which may be rounded once more.
  std::vector<T> lattice_result(int rank, std::int32_t block) const {
    const Coding coding = coding_of<T>(operation_, size_);
    const auto lattice = quant::Lattice::make(coding.allowance, coding.terms, coding.dtype, 0, coding.coarser);
    const std::uint32_t coarser = coding.coarser;
    const std::vector<OwnBlock> sources = sources_of(operation_, size_, rank, block);
    std::vector<T> result(count(rank, block));
    for (std::size_t i = 0; i < result.size(); ++i) {
      std::int64_t total = 0;
      for (const OwnBlock& source : sources) {
        const std::int64_t q = point_of(static_cast<Wide>(input(source)[i]), lattice);
        if (source == sources.front()) {
          total = q;
        } else if (operation_.op == Op::sum) {
          total += q;
        } else {
          total = operation_.op == Op::max ? std::max(total, q) : std::min(total, q);
        }
      }
      if (coarser > 0) {
        const std::int64_t below = total >> coarser;
        const std::int64_t twice = 2 * (total - (below << coarser));
        const std::int64_t unit = std::int64_t{1} << coarser;
        total = (twice > unit || (twice == unit && below % 2 != 0) ? below + 1 : below) << coarser;
      }
      const auto bits = static_cast<std::uint64_t>(total);
      result[i] = quant::dequantise_far<T>(quant::low_of(bits), quant::high_of(bits), lattice.step, coding.divisor);
    }
    return result;
  }

  static std::int64_t point_of(Wide x, const quant::Lattice& lattice) {
    std::int32_t near = 0;
    if (quant::quantise(x, lattice, near)) return near;
    std::uint64_t far = 0;
    EXPECT_TRUE(lattice.largest_far > 0 && quant::quantise_far(x, lattice, far));
    return static_cast<std::int64_t>(far);
  }

  // The greatest less the least number of all ranks.
  double range() const {
    T least = std::numeric_limits<T>::max();
    T most = std::numeric_limits<T>::lowest();
    for (int r = 0; r < size_; ++r)
      for (std::int32_t b = 0; b < cut(); ++b) {
        if (!has(r, b)) continue;
        for (const T x : input(r, b)) {
          if (!std::isfinite(exactly(x))) continue;
          least = std::min(least, x);
          most = std::max(most, x);
        }
      }
    return static_cast<double>(exactly(most) - exactly(least));
  }

  // Checks every promise about a finished operation.
  void check(World& world) {
    for (int r = 0; r < size_; ++r) {
      const Run& run = world.run(r);
      ASSERT_NO_FATAL_FAILURE(check_rank(r, run.status(), run.account()));
    }
    check_same_account(world);
    check_results();
  }

  // Checks status, guards and account of one rank.
  void check_rank(int r, const Status& status, const Account& account) const {
    ASSERT_TRUE(status.ok()) << "rank " << r << ": " << status.message();
    ASSERT_TRUE(intact(r)) << "rank " << r << " wrote outside of its output";
    const Budget budget = budget_of(operation_, size_);
    const double error = operation_.mean ? account.error / size_ : account.error;
    ASSERT_LE(error, budget.worst_case * (1 + 1e-12)) << "rank " << r;  // adding up the account rounds too
    ASSERT_LE(account.most_rows, static_cast<std::uint64_t>(operation_.depth)) << "rank " << r;
    std::uint64_t uncompressed = 0;
    std::uint64_t sends = 0;
    for (const Action& a : plan(r).actions) {
      if (a.act != Act::send) continue;
      uncompressed += count(r, plan(r).blocks[static_cast<std::size_t>(a.block)]) * sizeof(T);
      ++sends;
    }
    ASSERT_EQ(account.bytes_uncompressed, uncompressed) << "rank " << r;
    if (uncompressed > 0) {
      ASSERT_GE(account.bytes_sent, sends * wire::header_bytes) << "rank " << r;
    }
  }

  // All ranks that receive the same contributions have the same bits, and they are the expected ones.
  void check_results() {
    const bool lattice = size_ > 1 && on_lattice();
    for (std::int32_t b = 0; b < cut(); ++b) {
      int first = -1;
      for (int r = 0; r < size_; ++r) {
        if (!wants(r, b)) continue;
        if (first >= 0 && !operation_.per_hop &&
            sources_of(operation_, size_, first, b) == sources_of(operation_, size_, r, b)) {
          ASSERT_TRUE(same_bits(output(first, b), output(r, b), count(r, b)))
              << "ranks " << first << " and " << r << " hold different bits of block " << b;
          continue;
        }
        first = r;
        SCOPED_TRACE("block " + std::to_string(b) + " of rank " + std::to_string(r));
        ASSERT_NO_FATAL_FAILURE(check_block(r, b, lattice));
      }
    }
  }

 private:
  struct Part {
    std::vector<T> input;
    std::unique_ptr<Guarded> output;
    std::span<std::byte> input_on_device;
    std::span<std::byte> output_on_device;  // including its guard margins
  };

  struct Rank {
    Plan plan;
    std::map<std::int32_t, Part> parts;  // the blocks that the rank has or wants
    std::vector<Region> regions;
    Device* device = nullptr;  // the device that holds the numbers; null for the host
  };

  void bring_to_device(Rank& mine) {
    for (auto& [block, p] : mine.parts) {
      copy(mine, p.input_on_device.data(), p.input.data(), p.input_on_device.size());
      if (p.output == nullptr) continue;
      copy(mine, p.output_on_device.data(), p.output->with_margins().data(), p.output_on_device.size());
    }
  }
  void fetch(const Rank& mine, const Part& p) const {
    if (mine.device == nullptr || p.output == nullptr) return;
    copy(mine, p.output->with_margins().data(), p.output_on_device.data(), p.output_on_device.size());
  }
  void copy(const Rank& mine, void* to, const void* from, std::size_t bytes) const {
    if (bytes == 0) return;
    const Status s = mine.device->copy(to, from, bytes);
    ASSERT_TRUE(s.ok()) << s.message();
  }
  void lease_on_device(Rank& mine, Part& p, Region& region) {
    if (region.input != nullptr && region.input != region.output && !p.input.empty()) {
      p.input_on_device = mine.device->lease(p.input.size() * sizeof(T));
      region.input = p.input_on_device.data();
    }
    if (region.output == nullptr) return;
    p.output_on_device = mine.device->lease(p.output->with_margins().size());
    std::byte* at = p.output_on_device.data() + (p.output->bytes().data() - p.output->with_margins().data());
    if (region.input == region.output) region.input = at;
    region.output = at;
  }

  Rank& rank(int r) { return ranks_[static_cast<std::size_t>(r)]; }
  const Rank& rank(int r) const { return ranks_[static_cast<std::size_t>(r)]; }
  Part& part(int r, std::int32_t block) { return rank(r).parts.at(block); }
  const Part& part(int r, std::int32_t block) const { return rank(r).parts.at(block); }
  Ownership ownership(int r, std::int32_t block) const {
    return ownership_of(operation_.collective(), place_at(r, size_, operation_.root), block);
  }

  void place(int r, Kind kind, std::uint64_t seed) {
    Rank& mine = rank(r);
    std::size_t total = 0;
    for (std::int32_t b = 0; b < cut(); ++b) total += has(r, b) ? count(r, b) : 0;
    const std::vector<T> field = make_field<T>(kind, total, seed, r);
    auto next = field.begin();
    for (std::int32_t b = 0; b < cut(); ++b) {
      if (!has(r, b) && !wants(r, b)) continue;
      Part& p = mine.parts[b];
      if (has(r, b)) {
        const auto end = next + static_cast<std::ptrdiff_t>(count(r, b));
        p.input.assign(next, end);
        next = end;
      }
      if (wants(r, b)) p.output = std::make_unique<Guarded>(count(r, b) * sizeof(T));
    }
    for (const std::int32_t b : mine.plan.blocks) {
      Region region;
      if (const auto found = mine.parts.find(b); found != mine.parts.end()) {
        Part& p = found->second;
        region.count = count(r, b);
        if (p.output != nullptr) region.output = p.output->bytes().data();
        region.input = has(r, b) ? reinterpret_cast<const std::byte*>(p.input.data()) : nullptr;
        if (operation_.in_place && has(r, b) && p.output != nullptr) region.input = region.output;
        if (mine.device != nullptr) lease_on_device(mine, p, region);
      } else {
        // The rank does not know the size of a block that only passes through.
        region.count = 0;
      }
      mine.regions.push_back(region);
    }
  }

  static bool same_bits(const T* a, const T* b, std::size_t count) {
    return count == 0 || std::memcmp(a, b, count * sizeof(T)) == 0;
  }

  // Whether the codec rounds nothing.
  bool exact_codec() const { return operation_.codec->name() == "raw" || operation_.codec->name() == "lossless"; }

  void check_same_account(World& world) const {
    if (operation_.per_hop) return;
    if (!traits_of(operation_.collective()).replicates()) return;
    for (int r = 1; r < size_; ++r) ASSERT_EQ(world.run(r).account().error, world.run(0).account().error);
  }

  void check_block(int r, std::int32_t block, bool lattice) {
    const T* result = output(r, block);
    const std::vector<OwnBlock> sources = sources_of(operation_, size_, r, block);
    const std::size_t n = count(r, block);
    const bool moved = !operation_.reduction();
    const bool untouched = size_ == 1 || (moved && operation_.per_hop && sources[0].rank == r);
    if (untouched || (moved && exact_codec())) {
      ASSERT_TRUE(same_bits(input(sources[0]).data(), result, n)) << "not the bits that were sent";
      return;
    }
    if (lattice) {
      const std::vector<T> expected = lattice_result(r, block);
      ASSERT_TRUE(same_bits(expected.data(), result, n)) << "not what the lattice points are";
    }
    check_bound(result, n, sources, lattice);
  }

  void check_bound(const T* result, std::size_t count, const std::vector<OwnBlock>& sources, bool lattice) const {
    const Budget budget = budget_of(operation_, size_);
    // Numbers that are kept uncompressed round as plain sums do: each leaves the lattice once and is added once.
    const bool rounds = operation_.reduction() && !lattice;
    const long double rounding =
        rounds ? std::ldexp(static_cast<long double>(size_), 1 - std::numeric_limits<T>::digits) : 0;
    // Numbers that are decoded on the way are rounded to their type at each decode.
    const long double roundings = operation_.travel() == Travel::homomorphic ? 1 : budget.terms + 1;
    const long double divisor = operation_.mean ? size_ : 1;
    const auto ranks = static_cast<int>(sources.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Exact e =
          reduce_exactly(operation_.op, ranks, [&](int k) { return input(sources[static_cast<std::size_t>(k)])[i]; });
      const long double found = exactly(result[i]);
      // Plain sums may overflow on the way although the final sum is finite; so may these sums.
      if (rounds && operation_.op == Op::sum && e.magnitude > 0.5L * exactly(std::numeric_limits<T>::max())) continue;
      if (e.nan) {
        ASSERT_TRUE(std::isnan(found)) << "number " << i << " is " << found;
        continue;
      }
      if (e.infinite != 0) {
        ASSERT_TRUE(std::isinf(found) && (found > 0) == (e.infinite > 0)) << "number " << i << " is " << found;
        continue;
      }
      ASSERT_TRUE(std::isfinite(found)) << "number " << i;
      long double tolerance = budget.worst_case + roundings * half_ulp(result[i]);
      if (rounds) {
        tolerance += rounding * (e.magnitude / divisor + budget.worst_case);
        tolerance += size_ * exactly(std::numeric_limits<T>::denorm_min());
      }
      if (exact_codec() && operation_.op != Op::sum) tolerance = 0;
      ASSERT_LE(std::fabs(found - e.value / divisor), tolerance)
          << "number " << i << " is " << found << ", exactly " << e.value / divisor;
    }
  }

  Operation operation_;
  int size_;
  std::vector<std::size_t> counts_;
  std::vector<Rank> ranks_;
};

}  // namespace laconic::test
