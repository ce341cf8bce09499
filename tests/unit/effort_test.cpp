// SPDX-License-Identifier: BSD-3-Clause
// The choice between light and dense: by the model, by measurements, by a profile, and for messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "codec/codec.hpp"
#include "tune/coding_cost.hpp"
#include "tune/message_tuner.hpp"
#include "tune/profile.hpp"
#include "tune/tuner.hpp"

namespace laconic::test {
namespace {

constexpr double megabyte = 1 << 20;

// A processor with the kernels of dense, and one without, where the reference runs.
constexpr CodingCost light{5e-11, 5e-11, 7e-11, 7e-11, 1e-10, 1 / 5.9};
constexpr CodingCost dense{5e-10, 3e-10, 9e-10, 1e-9, 1e-10, 1 / 8.1};
constexpr CodingCost dense_by_reference{2e-8, 1.5e-8, 4e-8, 5e-8, 1e-10, 1 / 8.1};

CallModel model_of(double bytes, Collective collective = Collective::allreduce) {
  CallModel model;
  model.collective = collective;
  model.bytes = bytes;
  model.size = 4;
  model.effort = Effort::automatic;
  return model;
}

Path path_of_rate(double bytes_per_second) {
  Path path = path_between_nodes();
  path.bytes_per_second = bytes_per_second;
  return path;
}

Effort first_choice(const CodingCosts& costs, double bytes_per_second, Collective collective) {
  const auto all = candidates(model_of(64 * megabyte, collective), costs, path_of_rate(bytes_per_second));
  return all.empty() ? Effort::unset : all[0].effort;
}

TEST(Effort, IsDenseOnSlowLinksOnly) {
  for (const Collective c : all_collectives) {
    EXPECT_EQ(first_choice({light, dense}, 1e7, c), Effort::dense) << name_of(c);
    EXPECT_EQ(first_choice({light, dense}, 1e11, c), Effort::light) << name_of(c);
  }
  EXPECT_EQ(first_choice({light, dense}, 1.25e8, Collective::allreduce), Effort::dense) << "1 Gbit/s";
  const auto within = candidates(model_of(64 * megabyte), {light, dense}, path_within_node());
  EXPECT_EQ(within[0].effort, Effort::light);
}

TEST(Effort, IsLightWhereDenseHasNoKernels) {
  for (const Collective c : all_collectives)
    EXPECT_EQ(first_choice({light, dense_by_reference}, 1e8, c), Effort::light) << name_of(c);
}

// The predictions of one effort are the same whether or not the other is predicted with it.
TEST(Effort, IsThatOfTheCostsThatAreKnown) {
  const auto both = candidates(model_of(megabyte), {light, dense}, path_between_nodes());
  std::size_t found = 0;
  for (const Effort effort : efforts) {
    const auto alone = candidates(model_of(megabyte), CodingCosts{light, dense}.only(effort), path_between_nodes());
    EXPECT_FALSE(alone.empty());
    for (const Candidate& c : alone) {
      const auto same = [&](const Candidate& other) {
        return c.algorithm == other.algorithm && c.rows == other.rows && c.effort == other.effort &&
               c.predicted == other.predicted;
      };
      EXPECT_EQ(c.effort, effort);
      EXPECT_TRUE(std::any_of(both.begin(), both.end(), same)) << c.algorithm->name() << " in " << c.rows << " rows";
    }
    found += alone.size();
  }
  EXPECT_EQ(both.size(), found);
}

// Ranks that make the same calls, each with its own clock; agreements take the greatest values.
class World {
 public:
  using Seconds = std::map<Effort, double>;  // of a compressed call

  explicit World(std::vector<double> clocks, double bytes = 16 * megabyte) : clocks_(std::move(clocks)) {
    for (std::size_t r = 0; r < clocks_.size(); ++r) ranks_.push_back(std::make_unique<CallClass>(model_of(bytes)));
  }

  // The effort of the call; unset if it is left to MPI.
  Effort call(double plain, const Seconds& compressed, const CodingCosts& costs = {light, dense}) {
    const Decision decision = ranks_[0]->begin();
    for (std::size_t r = 1; r < ranks_.size(); ++r) EXPECT_EQ(ranks_[r]->begin(), decision);
    Effort effort = Effort::unset;
    if (decision != Decision::plain) {
      std::array<double, Measured::fields> all{};
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        if (decision == Decision::survey) ranks_[r]->sampled(costs);
        const auto mine = ranks_[r]->mine().to_array();
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = std::max(all[k], mine[k]);
      }
      if (decision == Decision::compressed) effort = ranks_[0]->candidate()->effort;
      for (const auto& rank : ranks_)
        if (effort != Effort::unset) {
          EXPECT_EQ(rank->candidate()->effort, effort);
        }
      const bool goes = ranks_[0]->agreed(Measured::from_array(all), path_between_nodes());
      for (std::size_t r = 1; r < ranks_.size(); ++r)
        EXPECT_EQ(ranks_[r]->agreed(Measured::from_array(all), path_between_nodes()), goes);
      if (!goes) effort = Effort::unset;
    }
    const double seconds = effort == Effort::unset ? plain : compressed.at(effort);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (effort != Effort::unset) ranks_[r]->coded(effort, frames.at(effort) * (r == 0 ? 1 : 0.9));
      ranks_[r]->end(effort != Effort::unset, seconds * clocks_[r], ranks_[r]->model().bytes);
    }
    return effort;
  }

  // How many of the calls have each effort.
  std::map<Effort, int> calls(int count, double plain, const Seconds& compressed) {
    std::map<Effort, int> counts;
    for (int k = 0; k < count; ++k) ++counts[call(plain, compressed)];
    return counts;
  }

  const CallClass& rank(std::size_t r) const { return *ranks_[r]; }
  std::map<Effort, double> frames{{Effort::light, light.frame}, {Effort::dense, dense.frame}};  // of calls

 private:
  std::vector<double> clocks_;
  std::vector<std::unique_ptr<CallClass>> ranks_;
};

// Where the model finds dense to be faster both are tried, and the faster one is kept, whatever the clocks say.
TEST(Effort, IsMeasuredWhereDenseIsPredictedToGain) {
  for (const auto& [seconds_light, seconds_dense] : {std::pair{0.05, 0.04}, std::pair{0.04, 0.05}}) {
    const Effort faster = seconds_light < seconds_dense ? Effort::light : Effort::dense;
    const Effort slower = faster == Effort::light ? Effort::dense : Effort::light;
    World world({1, 100, 0.01, 3});
    const World::Seconds seconds{{Effort::light, seconds_light}, {Effort::dense, seconds_dense}};
    auto first = world.calls(60, 0.2, seconds);
    EXPECT_GT(first[slower], 0) << "it was not tried";
    auto later = world.calls(1000, 0.2, seconds);
    EXPECT_EQ(later[slower], 0);
    EXPECT_GT(later[faster], 980);
  }
}

// Also where dense is slower than plain MPI, and light much slower than predicted for dense.
TEST(Effort, IsLightWhereDenseIsSlow) {
  for (const double seconds_light : {0.05, 0.15}) {
    World world({1, 7});
    const World::Seconds seconds{{Effort::light, seconds_light}, {Effort::dense, 1}};
    auto counts = world.calls(300, 0.2, seconds);
    EXPECT_GT(counts[Effort::dense], 0) << "it was not tried";
    EXPECT_LT(counts[Effort::dense], 10);
    EXPECT_GT(counts[Effort::light], 250);
  }
}

// Light is all that is tried where dense is predicted to gain nothing, or too little to be sure.
TEST(Effort, IsLightWhereDenseGainsLittle) {
  const Path slow = path_of_rate(1e6);
  CodingCost little = dense;
  little.frame = 0.97 * light.frame;
  const auto all = candidates(model_of(64 * megabyte), {light, little}, slow);
  const auto best = std::find_if(all.begin(), all.end(), [](const Candidate& c) { return c.effort == Effort::dense; });
  ASSERT_NE(best, all.end());
  EXPECT_LT(best->predicted, all[0].predicted);
  EXPECT_EQ(all[0].effort, Effort::light);
  World world({1, 3});
  const World::Seconds seconds{{Effort::light, 0.05}, {Effort::dense, 0.01}};
  for (int k = 0; k < 300; ++k) EXPECT_NE(world.call(0.2, seconds, {light, little}), Effort::dense);
}

// Numbers on devices: the call goes on with light, and the survey that follows does not know dense.
TEST(Effort, IsLightOnDevices) {
  CallClass calls(model_of(16 * megabyte));
  int replaced = 0;
  const auto call = [&](bool on_device) {
    const Decision decision = calls.begin();
    Effort effort = Effort::unset;
    if (decision != Decision::plain) {
      if (decision == Decision::survey) calls.sampled(on_device ? CodingCosts{light} : CodingCosts{light, dense});
      if (decision == Decision::compressed) effort = calls.candidate()->effort;
      const bool goes = calls.agreed(calls.mine(), path_between_nodes());
      if (on_device) {
        calls.leave_dense();
        if (effort == Effort::dense) effort = Effort::light, ++replaced;
      }
      if (!goes) effort = Effort::unset;
    }
    calls.end(effort != Effort::unset,
              effort == Effort::unset   ? 0.2
              : effort == Effort::dense ? 0.03
                                        : 0.04,
              16 * megabyte);
    return effort;
  };
  for (int k = 0; k < 60; ++k) call(false);
  ASSERT_EQ(call(false), Effort::dense);
  std::map<Effort, int> counts;
  for (int k = 0; k < 60; ++k) ++counts[call(true)];
  EXPECT_EQ(replaced, 1) << "dense is chosen again";
  EXPECT_GT(counts[Effort::light], 50);
  // A profile's choice, too.
  CallClass pinned(model_of(16 * megabyte));
  const Algorithm* const ring = find_algorithm(Collective::allreduce, AlgorithmName::ring);
  pinned.pin({ring, 4, Effort::dense, 1, 0.1, true});
  pinned.begin();
  EXPECT_TRUE(pinned.agreed({}, path_between_nodes()));
  pinned.leave_dense();
  EXPECT_EQ(pinned.begin(), Decision::compressed);
  EXPECT_EQ(pinned.candidate()->effort, Effort::light);
  EXPECT_EQ(pinned.candidate()->algorithm, ring);
}

TEST(Effort, WarmsUpInFewCalls) {
  World world({1});
  const World::Seconds seconds{{Effort::light, 0.05}, {Effort::dense, 0.04}};
  world.calls(30, 0.2, seconds);
  EXPECT_EQ(world.calls(20, 0.2, seconds)[Effort::dense], 20);
}

TEST(Effort, FollowsTheNetwork) {
  World world({1, 2});
  auto fast = world.calls(400, 0.02, {{Effort::light, 0.01}, {Effort::dense, 0.04}});
  EXPECT_GT(fast[Effort::light], 300);
  // The link is ten times as slow: the plain call that is made now and then finds out.
  world.calls(1500, 0.4, {{Effort::light, 0.08}, {Effort::dense, 0.06}});
  EXPECT_GT(world.calls(100, 0.4, {{Effort::light, 0.08}, {Effort::dense, 0.06}})[Effort::dense], 95);
  world.calls(1500, 0.02, {{Effort::light, 0.01}, {Effort::dense, 0.015}});
  EXPECT_GT(world.calls(100, 0.02, {{Effort::light, 0.01}, {Effort::dense, 0.015}})[Effort::light], 95);
}

// The frames of calls are smaller than those of samples; each effort learns its own ratio, the same on all ranks.
TEST(Effort, LearnsTheRatioOfEach) {
  World world({1, 5});
  world.frames = {{Effort::light, 0.9 * light.frame}, {Effort::dense, 0.8 * dense.frame}};
  const World::Seconds seconds{{Effort::light, 0.05}, {Effort::dense, 0.04}};
  auto counts = world.calls(100, 0.2, seconds);
  ASSERT_GT(counts[Effort::light], 0);
  ASSERT_GT(counts[Effort::dense], 0);
  for (const std::size_t rank : {std::size_t{0}, std::size_t{1}}) {
    EXPECT_DOUBLE_EQ(world.rank(rank).costs().light.frame, 0.9 * light.frame);
    EXPECT_DOUBLE_EQ(world.rank(rank).costs().dense.frame, 0.8 * dense.frame);
  }
  // What calls have found holds for later samples, too.
  int calls = 0;
  while (world.rank(0).decision() != Decision::survey && calls < 20000) {
    world.call(0.2, {{Effort::light, 0.5}, {Effort::dense, 0.5}}, {light, dense});
    ++calls;
  }
  ASSERT_EQ(world.rank(0).decision(), Decision::survey);
  EXPECT_DOUBLE_EQ(world.rank(1).costs().dense.frame, 0.8 * dense.frame);
}

Profile profile() {
  Profile p;
  p.ranks = 4;
  p.remark = "MPI, 4 ranks";
  p.coding = {light, dense};
  const Algorithm* const ring = find_algorithm(Collective::allreduce, AlgorithmName::ring);
  p.classes.push_back({Collective::allreduce, 1 << 20, 0.02, Effort::light, ring, 2, 0.012});
  p.classes.push_back({Collective::allreduce, 1 << 26, 1.0, Effort::dense, ring, 8, 0.15});
  return p;
}

TEST(Effort, IsInTheProfile) {
  const Profile written = profile();
  Profile read;
  ASSERT_TRUE(Profile::parse(written.text(), read).ok()) << Profile::parse(written.text(), read).message();
  EXPECT_EQ(read.text(), written.text());
  // Two readings of one file give the same decisions.
  for (const double bytes : {1 << 14, 1 << 20, 1 << 23, 1 << 26, 1 << 28})
    for (const Collective c : all_collectives) {
      const auto a = written.decide(model_of(bytes, c));
      const auto b = read.decide(model_of(bytes, c));
      EXPECT_TRUE(a.algorithm == b.algorithm && a.rows == b.rows && a.effort == b.effort) << name_of(c) << bytes;
    }
  EXPECT_EQ(read.decide(model_of(1 << 20)).effort, Effort::light);
  EXPECT_EQ(read.decide(model_of(1 << 26)).effort, Effort::dense);
  EXPECT_TRUE(read.decide(model_of(1 << 26)).measured);
}

// A call that must not use the effort of its class is predicted.
TEST(Effort, OfAProfileIsThatOfTheCall) {
  const Profile p = profile();
  CallModel call = model_of(1 << 26);
  call.effort = Effort::light;
  const auto verdict = p.decide(call);
  EXPECT_EQ(verdict.effort, Effort::light);
  EXPECT_FALSE(verdict.measured);
  EXPECT_GT(verdict.compressed, 0.15);
  // Where that effort was not measured, the profile's only costs count.
  Profile one = p;
  one.coding.dense = {};
  one.classes.pop_back();
  call.effort = Effort::dense;
  EXPECT_EQ(one.decide(call).effort, Effort::dense);
  EXPECT_NE(one.decide(call).algorithm, nullptr);
}

TEST(Effort, OfMessagesIsTheFaster) {
  const auto survey = [](const CodingCosts& costs, double plain) {
    MessageClass messages(megabyte, 0);
    MessageClock clock;
    double now = 1;
    while (messages.begin(megabyte, now, clock) != Decision::survey) clock.received(now += plain);
    messages.surveyed(costs, false);
    return messages.compresses() ? messages.effort() : Effort::unset;
  };
  EXPECT_EQ(survey({light, dense}, megabyte / 1e8), Effort::dense);
  EXPECT_EQ(survey({light, dense}, megabyte / 2e9), Effort::light);
  EXPECT_EQ(survey({light, dense_by_reference}, megabyte / 1e8), Effort::light);
  EXPECT_EQ(survey({light, dense}, megabyte / 1e11), Effort::unset);
  EXPECT_EQ(survey(CodingCosts{light, dense}.only(Effort::dense), megabyte / 1e8), Effort::dense);
}

// Light is tried after dense, also where that is slower than plain, and the faster one is kept.
TEST(Effort, OfMessagesIsMeasured) {
  for (const auto& [seconds_dense, faster] :
       {std::pair{0.1, Effort::light}, {0.005, Effort::light}, {0.003, Effort::dense}}) {
    MessageClass messages(megabyte, 0);
    MessageClock clock;
    double now = 1;
    std::map<Effort, int> compressed;
    for (int k = 0; k < 2000; ++k) {
      const Decision decision = messages.begin(megabyte, now, clock);
      if (decision == Decision::survey) messages.surveyed({light, dense}, false);
      const bool codes = decision == Decision::compressed;
      if (codes) ++compressed[messages.effort()];
      clock.received(now += !codes ? 0.01 : messages.effort() == Effort::dense ? seconds_dense : 0.004);
    }
    const Effort slower = faster == Effort::light ? Effort::dense : Effort::light;
    EXPECT_GT(compressed[slower], 0) << seconds_dense;
    EXPECT_LT(compressed[slower], 15) << seconds_dense;
    EXPECT_GT(compressed[faster], 1000) << seconds_dense;
  }
}

TEST(Effort, IsSampledWithTheRowsOfTheNumbers) {
  // Rows of 1500 numbers, each nearly that above, which only pieces of several rows show.
  std::vector<float> numbers(std::size_t{1} << 22);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i < 1500) state = state * 1664525 + 1013904223;
    numbers[i] = i < 1500 ? static_cast<float>(state >> 16) : numbers[i - 1500];
  }
  const std::vector<RangeJob::Part> all{{numbers.data(), numbers.size()}};
  const auto coding_of = [](const Range&) {
    Coding coding;
    coding.allowance = 1;
    return coding;
  };
  const auto sample = [&](CodecName name, Effort effort, double bearable) {
    CodingSampler sampler;
    return sampler.measure(*find_codec(name), Dtype::f32, coding_of, all, true,
                           SampleSize::of(effort, numbers.size(), bearable));
  };
  const CodingCost of_light = sample(CodecName::quant, Effort::light, 0);
  const CodingCost of_dense = sample(CodecName::dense, Effort::dense, 0);
  ASSERT_TRUE(of_light.known() && of_dense.known());
  EXPECT_LT(of_dense.frame, 0.2 * of_light.frame);
  EXPECT_GT(of_dense.fold, 0);
  // An encode that takes too long ends the sample: its cost is known and too high.
  const CodingCost hopeless = sample(CodecName::dense, Effort::dense, 1e-15);
  EXPECT_TRUE(hopeless.known());
  EXPECT_EQ(hopeless.fold, 0);
  EXPECT_GT(hopeless.encode, 1e-15);
}

// The sample of dense is left out where links are so fast that it cannot gain.
TEST(Effort, IsSampledOnSlowLinksOnly) {
  std::vector<float> numbers(std::size_t{1} << 20);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 1000);
  const std::vector<RangeJob::Part> all{{numbers.data(), numbers.size()}};
  const EffortCodecs both{find_codec(CodecName::quant), find_codec(CodecName::dense)};
  int with_dense = 0;
  const auto coding_of = [&](const Codec& codec, const Range&) {
    with_dense += &codec == both.dense;
    Coding coding;
    coding.allowance = 1e-3;
    return coding;
  };
  CodingSampler sampler;
  const auto sample = [&](const EffortCodecs& codecs, double plain) {
    with_dense = 0;
    return sampler.measure_efforts(codecs, Dtype::f32, coding_of, all, true, plain);
  };
  for (const double plain : {0.0, 1e-15}) {
    const CodingCosts fast = sample(both, plain);
    EXPECT_TRUE(fast.light.known());
    EXPECT_FALSE(fast.dense.known());
    EXPECT_EQ(with_dense, 0);
  }
  const CodingCosts slow = sample(both, 1);
  EXPECT_TRUE(slow.light.known() && slow.dense.known());
  EXPECT_GT(with_dense, 0);
  EXPECT_EQ(slow.dense.read, slow.light.read);
  // Nothing is to be gained from numbers that light does not compress.
  std::mt19937 random(1);
  std::vector<float> noise(numbers.size());
  for (float& x : noise) x = std::uniform_real_distribution<float>(-1e6f, 1e6f)(random);
  with_dense = 0;
  const CodingCosts of_noise = sampler.measure_efforts(
      both, Dtype::f32, coding_of, std::vector<RangeJob::Part>{{noise.data(), noise.size()}}, true, 1);
  EXPECT_TRUE(of_noise.light.known());
  EXPECT_FALSE(of_noise.light.compresses());
  EXPECT_EQ(with_dense, 0);
  // A pinned effort is sampled whatever the link.
  EXPECT_TRUE(sample({nullptr, both.dense}, 0).dense.known());
  EXPECT_FALSE(sample({both.light, nullptr}, 1).dense.known());
  // What one sample has found of the speed of dense, the next need not find again.
  const double hopeless = slow.dense.encode / 100 / slow.light.frame;
  sample(both, hopeless);
  EXPECT_EQ(with_dense, 0);
}

}  // namespace
}  // namespace laconic::test
