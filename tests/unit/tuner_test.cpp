// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "support/seed.hpp"
#include "tune/tuner.hpp"

namespace laconic::test {
namespace {

// The codec codes about as fast as a core copies, and the frames have a fifth of the size of the numbers.
constexpr CodingCost fast_codec{1e-10, 1e-10, 1.5e-10, 1.5e-10, 1e-11, 0.2};

CallModel model_of(double bytes) {
  CallModel model;
  model.bytes = bytes;
  model.size = 4;
  return model;
}

// Several ranks that make the same calls.  Each has its own clock; agreements take the greatest values.
class World {
 public:
  World(double bytes, std::vector<double> clocks, const CodingCost& codec = fast_codec)
      : clocks_(std::move(clocks)), codec_(codec) {
    for (std::size_t r = 0; r < clocks_.size(); ++r) ranks_.push_back(std::make_unique<CallClass>(model_of(bytes)));
  }

  // One call, which takes so many seconds by a correct clock; a late rank measures only a
  // part of a plain call.  It measures all of a compressed call, because the ranks agree first.
  struct Times {
    double plain;
    std::function<double(const Algorithm&)> compressed;
  };
  struct Outcome {
    Decision decision;
    bool compressed;
    double seconds;
  };
  Outcome call(const Times& times, int late = -1) {
    Outcome outcome{ranks_[0]->begin(), false, 0};
    for (std::size_t r = 1; r < ranks_.size(); ++r) EXPECT_EQ(ranks_[r]->begin(), outcome.decision);
    if (outcome.decision != Decision::plain) {
      ++agreements;
      std::array<double, Measured::fields> all{};
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        if (outcome.decision == Decision::survey && ranks_[r]->needs_sample()) ranks_[r]->sampled(scaled(clocks_[r]));
        const auto mine = ranks_[r]->mine().to_array();
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = std::max(all[k], mine[k]);
      }
      const Algorithm* const algorithm =
          outcome.decision == Decision::compressed ? ranks_[0]->candidate()->algorithm : nullptr;
      for (const auto& rank : ranks_)
        if (algorithm != nullptr) {
          EXPECT_EQ(rank->candidate()->algorithm, algorithm);
        }
      outcome.compressed = ranks_[0]->agreed(Measured::from_array(all), path_between_nodes());
      for (std::size_t r = 1; r < ranks_.size(); ++r)
        EXPECT_EQ(ranks_[r]->agreed(Measured::from_array(all), path_between_nodes()), outcome.compressed);
      outcome.seconds = outcome.compressed ? times.compressed(*algorithm) : times.plain;
    } else {
      outcome.seconds = times.plain;
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      ranks_[r]->end(
          outcome.compressed,
          (static_cast<int>(r) == late && !outcome.compressed ? seen_late : 1) * outcome.seconds * clocks_[r],
          ranks_[r]->model().bytes);
    return outcome;
  }

  static constexpr double seen_late = 0.2;

  std::uint64_t agreements = 0;
  const CallClass& rank(std::size_t r) const { return *ranks_[r]; }

 private:
  CodingCost scaled(double clock) const {
    CodingCost c = codec_;
    for (double* seconds : {&c.encode, &c.decode, &c.fold, &c.add, &c.read}) *seconds *= clock;
    return c;
  }

  std::vector<double> clocks_;
  CodingCost codec_;
  std::vector<std::unique_ptr<CallClass>> ranks_;
};

constexpr double megabyte = 1 << 20;

World::Times constant(double plain, double compressed) {
  return {plain, [compressed](const Algorithm&) { return compressed; }};
}

TEST(Tuner, CompressesWhereThatIsFaster) {
  World world(16 * megabyte, {1});
  for (int k = 0; k < 20; ++k) world.call(constant(0.2, 0.05));
  int compressed = 0;
  double seconds = 0;
  for (int k = 0; k < 2000; ++k) {
    const auto outcome = world.call(constant(0.2, 0.05));
    compressed += outcome.compressed ? 1 : 0;
    seconds += outcome.seconds;
  }
  EXPECT_GT(compressed, 1960) << "plain is tried in less than 2 % of the calls";
  EXPECT_LT(compressed, 2000) << "plain is tried again";
  EXPECT_LT(seconds, 1.03 * 2000 * 0.05);
}

// A trial takes some milliseconds however small the calls are.
TEST(Tuner, TriesWhenPlainCallsHaveTakenLong) {
  constexpr CodingCost free_codec{1e-13, 1e-13, 1e-13, 1e-13, 1e-13, 0.2};
  const auto seconds_before = [&](double bytes, double plain, std::vector<double> clocks) {
    World world(bytes, std::move(clocks), free_codec);
    double seconds = 0;
    for (; seconds < 1 && !world.call(constant(plain, plain / 2)).compressed; seconds += plain) {
    }
    EXPECT_LE(world.agreements, 5u) << bytes << " bytes, " << plain << " s";
    return seconds;
  };
  for (const double bytes : {megabyte / 64, megabyte / 16, megabyte})
    for (const double plain : {0.2e-3, 0.5e-3, 1.5e-3, 20e-3}) {
      const double calls = 3 + 4 * megabyte / bytes;  // before the first survey
      const double seconds = seconds_before(bytes, plain, {1});
      EXPECT_GE(seconds, 49e-3) << bytes << " bytes, " << plain << " s";
      EXPECT_LE(seconds, std::max(51e-3 + calls * plain, 2 * calls * plain)) << bytes << " bytes, " << plain << " s";
      EXPECT_LE(seconds_before(bytes, plain, {0.1, 1, 100}), seconds) << "the greatest time of all ranks counts";
    }
}

// The calls of a root take less time than those of the other ranks, and only the root has numbers.
TEST(Tuner, AsksForSamplesWhereTheRootIsFaster) {
  CallModel model = model_of(megabyte / 16);
  model.collective = Collective::bcast;
  CallClass root(model);
  CallClass leaf(model);
  bool compressed = false;
  for (int k = 0; k < 300 && !compressed; ++k) {
    const Decision decision = root.begin();
    ASSERT_EQ(leaf.begin(), decision);
    if (decision != Decision::plain) {
      if (decision == Decision::survey && root.needs_sample()) root.sampled(fast_codec);
      auto all = root.mine().to_array();
      const auto others = leaf.mine().to_array();
      for (std::size_t f = 0; f < all.size(); ++f) all[f] = std::max(all[f], others[f]);
      compressed = root.agreed(Measured::from_array(all), path_between_nodes());
      ASSERT_EQ(leaf.agreed(Measured::from_array(all), path_between_nodes()), compressed);
    }
    root.end(compressed, 0.3e-3, model.bytes);
    leaf.end(compressed, 1e-3, model.bytes);
  }
  EXPECT_TRUE(compressed);
}

// The network has credit for bursts, so that the first calls are faster than later ones.
TEST(Tuner, TriesSoonWhereLaterCallsTakeLonger) {
  World world(megabyte, {1});
  int calls = 0;
  while (calls < 1000 && !world.call(constant(calls < 10 ? 0.3e-3 : 20e-3, 5e-3)).compressed) ++calls;
  EXPECT_LT(calls, 30);
}

// Within a node the same bytes take less time.
TEST(Tuner, SurveysLaterWithinANode) {
  const auto calls_before = [](bool within_node) {
    Tuner tuner(false);
    tuner.set_within_node(within_node);
    CallClass& calls = tuner.class_of(model_of(megabyte));
    int before = 0;
    for (; calls.begin() == Decision::plain && before < 10000; ++before) calls.end(false, 1e-4, megabyte);
    return before;
  };
  EXPECT_EQ(calls_before(false), 6);
  EXPECT_EQ(calls_before(true), 130);
}

TEST(Tuner, IsNotMisledByRanksThatComeLate) {
  constexpr int ranks = 4;
  World world(megabyte / 16, std::vector<double>(ranks, 1.0));
  int compressed = 0;
  for (int k = 0; k < 2000; ++k) compressed += world.call(constant(2e-3, 1e-3), k % (ranks + 1)).compressed ? 1 : 0;
  EXPECT_GT(compressed, 1900) << "each rank comes late once in five calls, which is as many as a rank remembers";
}

// The model cannot know everything: compressed calls may take much longer than predicted.
TEST(Tuner, LosesLittleWhereCompressionIsSlower) {
  std::uint64_t turn = 0;
  for (const double bytes : {megabyte / 64, megabyte / 16, megabyte, 16 * megabyte, 64 * megabyte})
    for (const double slower : {1.05, 1.5, 3.0, 7.0}) {
      if (++turn % one_in != 0) continue;
      const double plain = bytes / 1e9;
      World world(bytes, {1});
      double seconds = 0;
      for (int k = 0; k < 50; ++k) seconds += world.call(constant(plain, slower * plain)).seconds;
      EXPECT_LE(seconds / (50 * plain), slower > 3 ? 1.26 : 1.10) << bytes << " bytes, " << slower;
      seconds = 0;
      const std::uint64_t before = world.agreements;
      for (int k = 0; k < 5000; ++k) seconds += world.call(constant(plain, slower * plain)).seconds;
      EXPECT_LE(seconds / (5000 * plain), 1.02) << bytes << " bytes, " << slower;
      EXPECT_LE(world.agreements - before, bytes < 8 * megabyte ? 120u : 400u) << bytes << " bytes, " << slower;
    }
}

TEST(Tuner, PicksTheFastestOfTheCandidatesThatItTries) {
  World world(16 * megabyte, {1});
  const World::Times times{0.2, [](const Algorithm& a) { return a.id == AlgorithmName::ring ? 0.1 : 0.05; }};
  for (int k = 0; k < 40; ++k) world.call(times);
  ASSERT_TRUE(world.rank(0).compresses());
  EXPECT_NE(world.rank(0).candidate()->algorithm->id, AlgorithmName::ring);
}

TEST(Tuner, NoticesThatTheNetworkHasChanged) {
  World world(16 * megabyte, {1});
  for (int k = 0; k < 200; ++k) world.call(constant(0.2, 0.05));
  ASSERT_TRUE(world.rank(0).compresses());
  // A faster network: the plain call that is made now and then finds out.
  int calls = 0;
  while (world.rank(0).compresses() && calls < 3000) world.call(constant(0.01, 0.04)), ++calls;
  EXPECT_FALSE(world.rank(0).compresses());
  EXPECT_LT(calls, 1000);
  // A slower one: plain calls take longer, and the next survey finds out.
  calls = 0;
  while (!world.rank(0).compresses() && calls < 3000) world.call(constant(0.2, 0.05)), ++calls;
  EXPECT_TRUE(world.rank(0).compresses());
}

// Data that do not compress after a while: compressed calls get slower.
TEST(Tuner, LeavesWhenCompressedCallsGetSlower) {
  World world(16 * megabyte, {1});
  for (int k = 0; k < 100; ++k) world.call(constant(0.2, 0.05));
  ASSERT_TRUE(world.rank(0).compresses());
  int calls = 0;
  while (world.rank(0).compresses() && calls < 1000) world.call(constant(0.2, 0.3)), ++calls;
  EXPECT_LE(calls, 16);
}

// For some calls something else slows down the machine, so that compressed calls take longer than plain ones did
// before.
TEST(Tuner, IsNotMisledByADisturbance) {
  for (const double slower : {1.6, 5.0})
    for (int disturbed = 1; disturbed <= 40; disturbed += 3) {
      World world(megabyte, {1, 2});
      for (int k = 0; k < 100; ++k) world.call(constant(3e-3, 2e-3));
      ASSERT_TRUE(world.rank(0).compresses());
      for (int k = 0; k < disturbed; ++k) world.call(constant(slower * 3e-3, slower * 2e-3));
      int compressed = 0;
      for (int k = 0; k < 200; ++k) compressed += world.call(constant(3e-3, 2e-3)).compressed ? 1 : 0;
      EXPECT_GT(compressed, 180) << disturbed << " calls disturbed, " << slower << " times slower";
    }
}

// On a link with credit for bursts, some plain calls that follow compressed ones take less time than usual.
TEST(Tuner, KeepsCompressionWhereSomePlainCallsFindCredit) {
  constexpr double usual = 4e-3, with_credit = 1e-3, compressed = 2e-3;
  World world(megabyte, {1, 1});
  bool after_compressed = false;
  int found = 0, kept = 0;
  for (int k = 0; k < 20000; ++k) {
    const bool credit = after_compressed && found % 5 < 2;
    const auto outcome = world.call(constant(credit ? with_credit : usual, compressed));
    kept += outcome.compressed ? 1 : 0;
    found += after_compressed && !outcome.compressed ? 1 : 0;
    after_compressed = outcome.compressed;
  }
  EXPECT_GT(kept, 19500);
}

TEST(Tuner, RanksDecideAlikeWhateverTheirClocksSay) {
  for (const bool wins : {true, false}) {
    World world(4 * megabyte, {1, 100, 0.01, 3});
    double plain = 0.02;
    for (int k = 0; k < 3000; ++k) {
      if (k % 700 == 699) plain *= 3;
      world.call(constant(plain, wins ? 0.01 : 0.05));  // checks that all ranks decide alike
    }
    EXPECT_EQ(world.rank(0).calls(), 3000u);
  }
}

// The first calls touch memory that later ones find in place, so they take longer.  Compression that is faster than
// these alone ends after a few calls.
TEST(Tuner, IsNotMisledByFirstCalls) {
  World world(16 * megabyte, {1, 1.1});
  int compressed = 0;
  for (int k = 0; k < 60; ++k) {
    const bool is_compressed = world.call(constant(k < 5 ? 0.25 : 0.1, 0.14)).compressed;
    compressed += is_compressed ? 1 : 0;
    if (k >= 40) {
      EXPECT_FALSE(is_compressed) << k;
    }
  }
  EXPECT_GT(compressed, 3) << "it was not tried";
  // Where it is faster than later ones, too, it stays.
  World faster(16 * megabyte, {1, 1.1});
  for (int k = 0; k < 40; ++k) faster.call(constant(k < 5 ? 0.25 : 0.1, 0.07));
  compressed = 0;
  for (int k = 0; k < 60; ++k) compressed += faster.call(constant(0.1, 0.07)).compressed ? 1 : 0;
  EXPECT_GE(compressed, 54) << "all but two plain calls, and a survey with two more, because plain times have changed";
}

// The first compressed calls are cold, the plain calls that they are compared with are not.
TEST(Tuner, TriesAgainWhatWasCloseToPlainCalls) {
  constexpr double plain = 0.7e-3, cold = 0.75e-3, warm = 0.4e-3;
  int in_trial = 0;
  World always_cold(megabyte / 16, {1, 1});
  for (int k = 0; k < 150; ++k) in_trial += always_cold.call(constant(plain, cold)).compressed ? 1 : 0;
  ASSERT_GT(in_trial, 4) << "the best candidate was not tried once more";

  // The last calls of the trial are those with the best candidate once more.
  World world(megabyte / 16, {1, 1});
  int compressed = 0;
  const World::Times times{plain, [&](const Algorithm&) { return ++compressed <= in_trial - 3 ? cold : warm; }};
  for (int k = 0; k < 150; ++k) world.call(times);
  const int before = compressed;
  for (int k = 0; k < 100; ++k) world.call(times);
  EXPECT_GT(compressed - before, 90);
}

TEST(Tuner, HasOneClassForSimilarSizes) {
  Tuner tuner(false);
  CallClass& one = tuner.class_of(model_of(1000000));
  EXPECT_EQ(&one, &tuner.class_of(model_of(1040000)));
  EXPECT_NE(&one, &tuner.class_of(model_of(1100000)));
  CallModel other = model_of(1000000);
  other.collective = Collective::bcast;
  EXPECT_NE(&one, &tuner.class_of(other));
  other = model_of(1000000);
  other.settings = 1;
  EXPECT_NE(&one, &tuner.class_of(other));
  EXPECT_EQ(tuner.find(other), &tuner.class_of(other));
  EXPECT_EQ(tuner.find(model_of(5)), nullptr);
}

// Two ranks, of which the second has no numbers: a class knows the size of its calls from the call that surveys.
TEST(Tuner, PredictsCallsOfAnySizeForTheSizeOfTheSurvey) {
  constexpr double bytes = 16 * megabyte, plain = 50e-3, compressed = 10e-3;
  CallModel model = model_of(megabyte);
  model.any_size = true;
  CallClass rank(model), other(model);
  int surveys = 0, calls = 0;
  while (surveys == 0 && calls < 1000) {
    ++calls;
    const Decision decision = rank.begin();
    ASSERT_EQ(other.begin(), decision);
    bool goes = false;
    if (decision == Decision::survey) {
      ++surveys;
      rank.survey_of(bytes);
      other.survey_of(0);
      rank.sampled(fast_codec);
      auto all = rank.mine().to_array();
      const auto others = other.mine().to_array();
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = std::max(all[k], others[k]);
      for (CallClass* each : {&rank, &other}) {
        each->survey_of_all(bytes);
        goes = each->agreed(Measured::from_array(all), path_between_nodes());
      }
    }
    rank.end(goes, goes ? compressed : plain, bytes);
    other.end(goes, goes ? compressed : plain, 0);
  }
  ASSERT_EQ(surveys, 1);
  EXPECT_EQ(rank.model().bytes, bytes);
  EXPECT_DOUBLE_EQ(rank.plain_seconds(), plain) << "neither scaled to another size nor that of a rank without numbers";
  EXPECT_DOUBLE_EQ(other.plain_seconds(), plain);
  EXPECT_GT(rank.best().predicted, bytes * fast_codec.encode);
  EXPECT_LT(rank.best().predicted, plain);
}

TEST(Tuner, FindsAClassOfAnySizeAfterASurvey) {
  Tuner tuner(false);
  CallModel model = model_of(megabyte);
  model.any_size = true;
  CallClass& one = tuner.class_of(model);
  one.survey_of_all(100 * megabyte);
  EXPECT_EQ(&one, &tuner.class_of(model));
  EXPECT_NE(&one, &tuner.class_of(model_of(megabyte)));
}

TEST(Tuner, CompressesEveryCallOnDevices) {
  CallClass calls(model_of(megabyte), true);
  EXPECT_EQ(calls.begin(), Decision::survey) << "only an agreement tells where the numbers of the other ranks are";
  calls.set_on_devices();
  calls.end(false, 1, megabyte);
  for (int k = 0; k < 500; ++k) {
    ASSERT_EQ(calls.begin(), Decision::compressed);
    EXPECT_EQ(calls.candidate(), nullptr);
    ASSERT_TRUE(calls.agreed({1e-9, 1, fast_codec}, path_within_node()));
    calls.end(true, 1, megabyte);
  }
}

// Large calls have more rows than the model walks along; their times are extrapolated.
TEST(Tuner, PredictsTimesInProportionToLargeSizes) {
  for (const Path& path : {path_within_node(), path_between_nodes()})
    for (const Collective collective : all_collectives) {
      CallModel model = model_of(64 * megabyte);
      model.collective = collective;
      model.chunk = 1 << 16;
      CallModel twice = model;
      twice.bytes *= 2;
      for (const Candidate& one : candidates(model, fast_codec, path))
        for (const Candidate& two : candidates(twice, fast_codec, path))
          if (one.algorithm == two.algorithm) {
            EXPECT_NEAR(two.predicted / one.predicted, 2, 0.1) << name_of(collective) << " " << one.algorithm->name();
          }
    }
}

// Few rows where a message costs much, many where the wire is slow and ranks pass numbers on.
TEST(Tuner, ChoosesRowsByTheCostOfAMessage) {
  const auto rows_of = [](const CallModel& model, const Path& path) {
    for (const Candidate& c : candidates(model, fast_codec, path))
      if (c.algorithm->id == AlgorithmName::chain) return c.rows;
    return 0;
  };
  CallModel model = model_of(megabyte);
  model.collective = Collective::bcast;
  Path slow = path_between_nodes();
  slow.bytes_per_second = 1e7;
  Path dear = path_between_nodes();
  dear.bytes_per_second = 1e10;
  dear.posting = 1e-3;
  EXPECT_EQ(rows_of(model, dear), 2) << "chunks of 512 KiB";
  EXPECT_EQ(rows_of(model, slow), 16) << "the most that are tried";
  model.chunk = 1 << 15;
  EXPECT_EQ(rows_of(model, dear), 8) << "the chunk is the user's";
}

TEST(Tuner, TriesTheNextNumbersOfRowsOfTheFastestAlgorithm) {
  World world(16 * megabyte, {1});
  std::vector<std::pair<AlgorithmName, int>> tried;
  const World::Times times{0.2, [](const Algorithm&) { return 0.05; }};
  for (int k = 0; k < 60; ++k) {
    world.call(times);
    if (!world.rank(0).compresses()) continue;
    const Candidate& c = *world.rank(0).candidate();
    if (tried.empty() || tried.back() != std::pair{c.algorithm->id, c.rows})
      tried.emplace_back(c.algorithm->id, c.rows);
  }
  ASSERT_GE(tried.size(), 3u);
  EXPECT_GT(std::count_if(tried.begin(), tried.end(), [&](const auto& t) { return t.first == tried[0].first; }), 1);
  for (std::size_t k = 0; k + 1 < tried.size(); ++k)
    EXPECT_EQ(std::count(tried.begin(), tried.end() - 1, tried[k]), 1) << "tried twice";
}

// In builds for devices the first call agrees.  That alone teaches nothing, and must not delay the next survey.
TEST(Tuner, SurveysSoonAfterAFirstCallThatAgrees) {
  CallClass first(model_of(megabyte), true);
  CallClass usual(model_of(megabyte));
  ASSERT_EQ(first.begin(), Decision::survey);
  first.sampled(fast_codec);
  EXPECT_FALSE(first.agreed(first.mine(), path_between_nodes()));
  first.end(false, 1, megabyte);
  int calls = 1;
  while (first.begin() != Decision::survey && calls < 100) first.end(false, 1, megabyte), ++calls;
  int calls_of_usual = 1;
  while (usual.begin() != Decision::survey && calls_of_usual < 100) usual.end(false, 1, megabyte), ++calls_of_usual;
  EXPECT_LE(calls, calls_of_usual);
}

// A path that is found from the time of a plain call predicts that time.
TEST(Tuner, LearnsThePathFromPlainCalls) {
  for (const double bytes : {16 * megabyte, 64 * megabyte})
    for (const double rate : {12.5e6, 125e6, 1.25e9, 3e9}) {
      CallModel model = model_of(bytes);
      const double seconds = 1.5 * bytes / rate + 1e-3;
      const Path path = path_of(model, seconds, path_between_nodes());
      EXPECT_LT(path.bytes_per_second, 1.01 * rate) << bytes;
      EXPECT_GT(path.bytes_per_second, 0.1 * rate) << bytes;
      const auto found = candidates(model, fast_codec, path);
      ASSERT_FALSE(found.empty());
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end(),
                                 [](const Candidate& a, const Candidate& b) { return a.predicted < b.predicted; }));
    }
}

}  // namespace
}  // namespace laconic::test
