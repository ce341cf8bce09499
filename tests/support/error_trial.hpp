// SPDX-License-Identifier: BSD-3-Clause
// One operation on ranks in this process, and the error of every number in its results. Needs no test framework.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/host/host_device.hpp"
#include "engine/plan.hpp"
#include "engine/run.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/operation.hpp"
#include "transport/loopback/loopback.hpp"

namespace laconic::test {

// The contribution of a rank.
using Bring = std::function<std::vector<float>(int rank, std::size_t count)>;

// Every rank has a part of the same field, each from a different place: the errors of the ranks are independent, as
// the model assumes. The fields come from data/, selected by number; a generated field replaces one that is not
// available.
inline Bring parts_of_field(std::size_t which, std::uint64_t seed) {
  return [which, seed](int rank, std::size_t count) {
    const std::vector<float>& field = detail::real_field(which);
    if (field.empty()) return make_field<float>(Kind::walk, count, seed, rank);
    Random random(seed * 1000003 + static_cast<std::uint64_t>(rank));
    const auto start = static_cast<std::size_t>(random.below(field.size()));
    std::vector<float> x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = field[(start + i) % field.size()];
    return x;
  };
}

// The difference between the greatest and the least number.
inline double range_of(const std::vector<float>& x) {
  const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
  return static_cast<double>(*greatest) - static_cast<double>(*least);
}

class ErrorTrial {
 public:
  ErrorTrial(const Operation& o, int size, const Bring& bring) : o_(o), size_(size), hub_(size, 1, {}) {
    for (int r = 0; r < size; ++r) ranks_.push_back(std::make_unique<Rank>(hub_.transport(r)));
    for (int r = 0; r < size; ++r) {
      const Place at = place_at(r, size, o.root);
      mine(r).plan = plan_of(o, at);
    }
    cut_ = mine(0).plan.cut;
    counts_ = block_counts(o, cut_);
    for (int r = 0; r < size; ++r) place(r, bring);
  }

  // The result minus the exact value, for every number that a rank other than its only source receives. Ranks that
  // hold the same bits are counted once.
  std::vector<double> run() {
    for (int r = 0; r < size_; ++r) mine(r).run.start(work(r));
    for (int busy = size_; busy > 0;) {
      busy = 0;
      for (int r = 0; r < size_; ++r) busy += !mine(r).run.poll();
    }
    std::vector<double> errors;
    for (int r = 0; r < size_; ++r)
      if (!mine(r).run.status().ok()) throw std::runtime_error(mine(r).run.status().message());
    const CollectiveTraits& traits = traits_of(o_.collective());
    const bool has_one_result = !traits.prefix() && !traits.neighborhood();
    for (std::int32_t b = 0; b < cut_; ++b) {
      for (int r = 0; r < size_; ++r) {
        if (!ownership(r, b).wants) continue;
        const std::vector<OwnBlock> sources = sources_of(o_, size_, r, b);
        if (sources.size() == 1 && sources[0].rank == r) continue;
        collect(r, b, sources, errors);
        if (!o_.per_hop && has_one_result) break;
      }
    }
    return errors;
  }

  // Every number that a rank has received.
  std::vector<float> results(int r) const {
    std::vector<float> all;
    for (const std::vector<float>& block : ranks_[static_cast<std::size_t>(r)]->output)
      all.insert(all.end(), block.begin(), block.end());
    return all;
  }

 private:
  struct Rank {
    explicit Rank(std::unique_ptr<Transport> t) : transport(std::move(t)), device(1), run(*transport, device) {}
    std::unique_ptr<Transport> transport;
    HostDevice device;
    Run run;
    Plan plan;
    std::vector<std::vector<float>> input;  // by block
    std::vector<std::vector<float>> output;
    std::vector<Region> regions;
  };

  Rank& mine(int r) { return *ranks_[static_cast<std::size_t>(r)]; }
  std::size_t count(int r, std::int32_t b) const { return count_of(o_, counts_, size_, r, b); }
  Ownership ownership(int r, std::int32_t b) const {
    return ownership_of(o_.collective(), place_at(r, size_, o_.root), b);
  }

  void place(int r, const Bring& bring) {
    Rank& rank = mine(r);
    std::size_t total = 0;
    for (std::int32_t b = 0; b < cut_; ++b) total += ownership(r, b).has ? count(r, b) : 0;
    const std::vector<float> field = bring(r, total);
    auto next = field.begin();
    rank.input.resize(static_cast<std::size_t>(cut_));
    rank.output.resize(static_cast<std::size_t>(cut_));
    for (std::int32_t b = 0; b < cut_; ++b) {
      const auto at = static_cast<std::size_t>(b);
      if (ownership(r, b).has) {
        rank.input[at].assign(next, next + static_cast<std::ptrdiff_t>(count(r, b)));
        next += static_cast<std::ptrdiff_t>(count(r, b));
      }
      if (ownership(r, b).wants) rank.output[at].resize(count(r, b));
    }
    for (const std::int32_t b : rank.plan.blocks) {
      const auto at = static_cast<std::size_t>(b);
      Region region;
      if (ownership(r, b).has) region.input = reinterpret_cast<const std::byte*>(rank.input[at].data());
      if (ownership(r, b).wants) region.output = reinterpret_cast<std::byte*>(rank.output[at].data());
      region.count = ownership(r, b).has || ownership(r, b).wants ? count(r, b) : 0;
      rank.regions.push_back(region);
    }
  }

  Work work(int r) {
    Work w;
    w.plan = &mine(r).plan;
    w.codec = o_.codec;
    w.coding = coding_of<float>(o_, size_);
    w.last_allowance = budget_of(o_, size_).last_allowance;
    w.regions = mine(r).regions;
    w.largest = *std::max_element(counts_.begin(), counts_.end());
    w.chunk = o_.chunk;
    w.depth = o_.depth;
    return w;
  }

  void collect(int r, std::int32_t b, const std::vector<OwnBlock>& sources, std::vector<double>& errors) {
    const auto at = static_cast<std::size_t>(b);
    const auto n = static_cast<int>(sources.size());
    for (std::size_t i = 0; i < count(r, b); ++i) {
      const Exact e = reduce_exactly(o_.op, n, [&](int k) {
        const OwnBlock& from = sources[static_cast<std::size_t>(k)];
        return mine(from.rank).input[static_cast<std::size_t>(from.block)][i];
      });
      errors.push_back(
          static_cast<double>(exactly(mine(r).output[at][i]) - e.value / static_cast<long double>(o_.mean ? n : 1)));
    }
  }

  Operation o_;
  int size_;
  LoopbackHub hub_;
  std::int32_t cut_ = 1;
  std::vector<std::size_t> counts_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

// Summary statistics of many errors.
struct ErrorSummary {
  double worst = 0;      // magnitude
  double likely = 0;     // magnitude that 95.44 % of them do not exceed
  double mean = 0;       // with its sign
  double deviation = 0;  // root of the mean square about the mean
};

inline ErrorSummary summarise(std::vector<double> errors) {
  ErrorSummary s;
  if (errors.empty()) return s;
  double squares = 0;
  for (const double e : errors) s.mean += e / static_cast<double>(errors.size());
  for (const double e : errors) squares += (e - s.mean) * (e - s.mean);
  s.deviation = std::sqrt(squares / static_cast<double>(errors.size()));
  for (double& e : errors) e = std::fabs(e);
  std::sort(errors.begin(), errors.end());
  s.worst = errors.back();
  s.likely = errors[std::min(errors.size() - 1, static_cast<std::size_t>(0.9544 * static_cast<double>(errors.size())))];
  return s;
}

}  // namespace laconic::test
