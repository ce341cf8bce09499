// SPDX-License-Identifier: BSD-3-Clause
#include "many_ranks.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "codec/quant/kernels.hpp"
#include "support/error_trial.hpp"
#include "support/watchdog.hpp"

namespace laconic::sweep {
namespace {

constexpr std::chrono::seconds longest_sum{300};

std::vector<float> read_field(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::vector<float> field;
  if (!file) return field;
  float part[4096];
  while (const std::size_t n = std::fread(part, sizeof(float), std::size(part), file.get()))
    field.insert(field.end(), part, part + n);
  return field;
}

// The parts of all ranks, from random places of a field, and their exact sum.
struct Parts {
  Parts(const std::vector<float>& field, int ranks, std::size_t count, std::uint64_t seed) : sum(count) {
    test::Random random(seed);
    for (int r = 0; r < ranks; ++r) {
      const std::size_t from = random.below(field.size());
      std::vector<float>& x = of_rank.emplace_back(count);
      for (std::size_t i = 0; i < count; ++i) {
        x[i] = field[(from + i) % field.size()];
        least = std::min(least, x[i]);
        greatest = std::max(greatest, x[i]);
        sum[i] += static_cast<long double>(x[i]);
      }
    }
  }
  double range() const { return static_cast<double>(greatest) - static_cast<double>(least); }

  std::vector<std::vector<float>> of_rank;
  std::vector<long double> sum;
  float least = std::numeric_limits<float>::infinity();
  float greatest = -std::numeric_limits<float>::infinity();
};

}  // namespace

bool try_many_ranks(const std::string& path, const Extent& extent, Tally& tally) {
  const std::vector<float> field = read_field(path);
  if (field.empty()) return false;
  const int ranks = extent.quick ? 16 : 64;
  const std::size_t count = extent.quick ? 3000 : 20000;
  const Parts parts(field, ranks, count, extent.seed);
  std::vector<std::unique_ptr<Codec>> codecs;
  for (const quant::Kernels* kernels : quant::available_kernels()) codecs.push_back(quant::make_codec(*kernels));
  std::size_t turn = 0;
  for (const double share : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    std::vector<float> first;
    for (const Algorithm& algorithm : all_algorithms()) {
      if (algorithm.collective != Collective::allreduce || !algorithm.fits(test::ranks_of(ranks))) continue;
      for (std::size_t k = 0; k < codecs.size(); ++k) {
        test::Operation o;
        o.algorithm = &algorithm;
        o.codec = codecs[k].get();
        o.bound = share * (parts.range() > 0 ? parts.range() : 1);
        o.count = count;
        o.chunk = ++turn % 2 == 0 ? 100 : 1 << 20;
        const test::Watchdog watchdog(longest_sum, [&] { return path + ", " + test::to_text(o, ranks); });
        test::ErrorTrial trial(o, ranks,
                               [&](int r, std::size_t) { return parts.of_rank[static_cast<std::size_t>(r)]; });
        trial.run();
        const std::vector<float> result = trial.results(0);
        const auto fault = [&](std::uint64_t& counter, const std::string& what) {
          ++counter;
          if (tally.first.empty()) tally.first = test::to_text(o, ranks) + ": " + what;
        };
        for (std::size_t i = 0; i < count; ++i) {
          const auto error = static_cast<double>(std::fabs(static_cast<long double>(result[i]) - parts.sum[i]));
          tally.worst = std::max(tally.worst, error / o.bound);
          tally.strict += error > o.bound;
          if (error > o.bound + static_cast<double>(test::half_ulp(result[i])))
            fault(tally.beyond, "number " + std::to_string(i) + " is off by " + std::to_string(error));
        }
        tally.numbers += count;
        if (first.empty()) first = result;
        const auto same = [&](const std::vector<float>& other) {
          return std::memcmp(other.data(), first.data(), count * sizeof(float)) == 0;
        };
        if (!same(result)) fault(tally.differing, "other bits than with the first algorithm");
        for (int r = 1; r < ranks; ++r)
          if (!same(trial.results(r))) fault(tally.differing, "other bits on rank " + std::to_string(r));
      }
    }
  }
  return true;
}

}  // namespace laconic::sweep
