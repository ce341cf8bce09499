// SPDX-License-Identifier: BSD-3-Clause
#include "tune/profile.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tune/tuner.hpp"

namespace laconic::test {
namespace {

Profile profile() {
  Profile p;
  p.ranks = 8;
  p.remark = "MPI, 8 ranks";
  p.coding.light = {5e-10, 2.5e-10, 7e-10, 7e-10, 1e-10, 0.25};
  const auto add = [&](Collective c, double bytes, double plain, AlgorithmName algorithm, int rows, double compressed) {
    p.classes.push_back({c, bytes, plain, Effort::light, find_algorithm(c, algorithm), rows, compressed});
  };
  add(Collective::allreduce, 1 << 16, 2e-4, AlgorithmName::recursive_doubling, 1, 3e-4);
  add(Collective::allreduce, 1 << 24, 0.3, AlgorithmName::ring, 8, 0.1);
  add(Collective::bcast, 1 << 20, 1e-2, AlgorithmName::chain, 4, 4e-3);
  return p;
}

CallModel call(Collective collective, double bytes, int size = 8) {
  CallModel model;
  model.collective = collective;
  model.bytes = bytes;
  model.size = size;
  return model;
}

TEST(Profile, ReadsWhatItHasWritten) {
  const Profile written = profile();
  Profile read;
  ASSERT_TRUE(Profile::parse(written.text(), read).ok());
  EXPECT_EQ(read.text(), written.text());
  EXPECT_EQ(read.remark, "MPI, 8 ranks");
  EXPECT_EQ(read.coding.light.frame, 0.25);
  ASSERT_EQ(read.classes.size(), 3u);
  EXPECT_EQ(read.classes[2].rows, 4);
  EXPECT_EQ(read.classes[2].algorithm, find_algorithm(Collective::bcast, AlgorithmName::chain));
}

TEST(Profile, PredictsAClassFromTheOthers) {
  const Profile all = profile();
  Profile without = all;
  without.classes.erase(without.classes.begin());
  const CallModel small = call(Collective::allreduce, 1 << 16);
  EXPECT_FALSE(without.decide(small).measured);
  EXPECT_EQ(all.predicted_from_others(all.classes[0]), without.decide(small).compressed);
  EXPECT_NE(all.predicted_from_others(all.classes[0]), all.classes[0].compressed);
}

TEST(Profile, RefusesOtherText) {
  const std::string good = profile().text();
  Profile read = profile();
  const auto refused = [&](const std::string& text, const std::string& says) {
    const Status s = Profile::parse(text, read);
    EXPECT_FALSE(s.ok()) << text;
    EXPECT_NE(s.message().find(says), std::string::npos) << s.message();
    EXPECT_EQ(read.text(), good) << "a profile was half read";
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  refused("", "ranks, coding, class and end");
  refused("{}\n", "line 1");
  refused(with("profile 3", "profile 2"), "line 1: 'laconic profile 2'");
  refused(with("profile 3", "profile 2"), "valid is 'laconic profile 3', as `laconic tune`");
  refused(with("ranks 8\n", "ranks 1\n"), "ranks 1");
  refused(with("ranks 8\n", "ranks 8x\n"), "ranks 8x");
  refused(with("ranks 8\n", ""), "ranks, coding, class and end");
  refused(with("within_node 0", "within_node 2"), "within_node 2");
  refused(with("light 5e-10", "light 0"), "coding light 0");
  refused(with("light 5e-10", "light nan"), "coding light nan");
  refused(with("light 5e-10 ", "light "), "coding");
  refused(with("class allreduce", "class allreduces"), "allreduces");
  refused(with("65536", "65537"), "65537");
  refused(with("ring", "chain"), "chain");
  refused(with("ring 8", "ring 0"), "ring 0");
  refused(with("ring 8", "ring"), "ring");
  refused(with("bcast 1048576 0.01", "bcast 1048576 -1"), "-1");
  refused(with("0.01 light chain", "inf light chain"), "inf");
  refused(with("light chain", "heavy chain"), "heavy");
  refused(with("light chain", "chain"), "bcast");
  refused(with("coding light", "coding"), "coding");
  refused(with("light chain", "dense chain"), "no line 'coding dense'");
  refused(with("end", "something"), "something");
  refused(good + "ranks 8\n", "after the end");
  for (std::size_t length = 0; length < good.size(); ++length) refused(good.substr(0, length), "");
  EXPECT_FALSE(Profile::read("/no/such/profile", read).ok());
}

TEST(Profile, RefusesAlgorithmsThatDoNotServeItsRanks) {
  Profile p = profile();
  p.classes.push_back({Collective::allgather, 1024, 1, Effort::light,
                       find_algorithm(Collective::allgather, AlgorithmName::recursive_doubling), 1, 1});
  Profile read;
  EXPECT_TRUE(Profile::parse(p.text(), read).ok());
  p.ranks = 7;
  EXPECT_NE(Profile::parse(p.text(), read).message().find("recursive-doubling"), std::string::npos);
}

TEST(Profile, DecidesOnMeasuredClassesByTheMeasurements) {
  const Profile p = profile();
  const auto small = p.decide(call(Collective::allreduce, 1 << 16));
  EXPECT_TRUE(small.measured);
  EXPECT_EQ(small.algorithm, nullptr);
  EXPECT_EQ(small.plain, 2e-4);
  const auto large = p.decide(call(Collective::allreduce, (1 << 23) + 1));
  EXPECT_TRUE(large.measured);
  ASSERT_NE(large.algorithm, nullptr);
  EXPECT_EQ(large.algorithm->id, AlgorithmName::ring);
  EXPECT_EQ(large.rows, 8);
  EXPECT_EQ(large.compressed, 0.1);
}

TEST(Profile, PredictsTheOthersFromTheMostSimilarClass) {
  const Profile p = profile();
  // Four times the data of a measured class on the same path take about four times as long.
  const auto larger = p.decide(call(Collective::allreduce, 1 << 26));
  EXPECT_FALSE(larger.measured);
  EXPECT_NEAR(larger.plain, 4 * 0.3, 0.05);
  EXPECT_NEAR(larger.compressed, 4 * 0.1, 0.1);
  ASSERT_NE(larger.algorithm, nullptr);
  // Other ranks and other collectives.
  EXPECT_FALSE(p.decide(call(Collective::allreduce, 1 << 24, 16)).measured);
  const auto gather = p.decide(call(Collective::gather, 1 << 20));
  EXPECT_FALSE(gather.measured);
  EXPECT_GT(gather.plain, 0);
  // A network on which plain MPI is fast leaves calls to MPI.
  Profile fast = p;
  for (Profile::Class& c : fast.classes) {
    c.plain = 1e-5;
    c.compressed = 1;
  }
  for (const double bytes : {1e3, 1e5, 1e7})
    EXPECT_EQ(fast.decide(call(Collective::alltoall, bytes)).algorithm, nullptr) << bytes;
}

TEST(Profile, PinsTheClassesOfATuner) {
  const Profile p = profile();
  Tuner tuner(true);
  for (const auto& [bytes, expected] :
       {std::pair{1 << 16, Decision::plain}, std::pair{1 << 24, Decision::compressed}}) {
    CallClass& pinned = tuner.class_of(call(Collective::allreduce, bytes), &p);
    for (int k = 0; k < 20000; ++k) {
      ASSERT_EQ(pinned.begin(), expected) << k;
      if (expected == Decision::compressed) {
        ASSERT_TRUE(pinned.agreed({1e-9, 10, {}}, path_between_nodes()));
        ASSERT_EQ(pinned.candidate()->algorithm->id, AlgorithmName::ring);
      }
      pinned.end(expected == Decision::compressed, k % 2 == 0 ? 10 : 1e-9, bytes);
    }
    EXPECT_EQ(pinned.compresses(), expected == Decision::compressed);
  }
}

}  // namespace
}  // namespace laconic::test
