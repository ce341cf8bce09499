// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "tune/message_tuner.hpp"

namespace laconic::test {
namespace {

constexpr double bytes = 1 << 20;

// The codec takes 0.2 ms for a message and leaves a quarter of it.
const CodingCost cost{2e-10, 2e-10, 0, 0, 0, 0.25};

// A program that sends the same messages again and again, on a clock of its own.
class Program {
 public:
  explicit Program(double of_message = bytes, bool on_one_node = false)
      : messages(of_message, 0), within_node(on_one_node) {}

  // One send; true if it is compressed.
  bool send() {
    const Decision decision = messages.begin(messages.bytes(), now, clock);
    if (decision == Decision::survey) {
      ++surveys;
      messages.surveyed(cost, within_node);
    }
    return decision == Decision::compressed;
  }
  void wait(double seconds) {
    now += seconds;
    clock.received(now);
  }
  // Something else than messages.
  void compute(double seconds) { now += seconds; }

  // A ping-pong, or an exchange with neighbours; returns the number of compressed messages.
  int exchange(int sends, double plain, double compressed) {
    int count = 0;
    for (int k = 0; k < sends; ++k) count += send();
    wait(count > 0 ? compressed : plain);
    return count;
  }

  MessageClass messages;
  bool within_node;
  MessageClock clock;
  double now = 100;
  int surveys = 0;
};

// The share of compressed messages in the last half of so many exchanges.
double share(const std::function<int(int)>& exchange, int count, int sends = 1) {
  int compressed = 0;
  for (int k = 0; k < count; ++k) {
    const int here = exchange(k);
    if (k >= count / 2) compressed += here;
  }
  return static_cast<double>(compressed) / (sends * (count - count / 2));
}

TEST(MessageTuner, CompressesOnASlowNetwork) {
  Program p;
  EXPECT_GT(share([&](int) { return p.exchange(1, 8e-3, 2.5e-3); }, 400), 0.98);
  EXPECT_EQ(p.surveys, 1);
  EXPECT_NEAR(p.messages.plain_seconds(), 8e-3, 1e-9);
  EXPECT_NEAR(p.messages.compressed_seconds(), 2.5e-3, 1e-9);
}

// A survey and a trial take most of a millisecond however small the messages are.  The bursts before the first survey
// are doubled until they have taken long enough.
TEST(MessageTuner, SurveysWhenPlainMessagesHaveTakenLong) {
  for (const double of_message : {bytes / 64, bytes / 16, bytes})
    for (const double plain : {20e-6, 0.3e-3, 3e-3}) {
      Program p(of_message);
      double seconds = 0;
      for (; p.surveys == 0 && seconds < 1; seconds += plain) p.exchange(1, plain, plain);
      EXPECT_GE(seconds, 19e-3) << of_message << " bytes, " << plain << " s";
      EXPECT_LE(seconds, std::max(40e-3, 30 * plain)) << of_message << " bytes, " << plain << " s";
    }
}

// Ranks that exchange with changing partners wait for the slowest, so nothing is faster before all of them compress.
// Their clocks differ by a few percent.
TEST(MessageTuner, RanksTryTogether) {
  for (const double plain : {1.1e-3, 1.6e-3, 2.1e-3, 3.3e-3}) {
    std::vector<Program> ranks(4, Program(bytes / 4));
    int compressed = 0;
    constexpr int count = 3000;
    for (int k = 0; k < count; ++k) {
      int here = 0;
      for (Program& rank : ranks) here += rank.send() ? 1 : 0;
      for (std::size_t r = 0; r < ranks.size(); ++r)
        ranks[r].wait((here == 4 ? plain / 4 : plain) * (1 + 0.05 * static_cast<double>(r)));
      if (k >= count / 2) compressed += here;
    }
    EXPECT_GT(compressed, 0.9 * 4 * (count / 2)) << plain << " s";
  }
}

// A transposition: one exchange for each of the other ranks, the first of which waits for the ranks that compute
// longer.
TEST(MessageTuner, ComparesExchangesOfWholeTranspositions) {
  for (const int ranks : {2, 3, 4, 7})
    for (int before = 0; before < ranks - 1; ++before) {
      Program p;
      const auto exchange = [&](int k) {
        const double wait = (k + before) % (ranks - 1) == 0 ? 4e-3 : 0;
        return p.exchange(1, 1.5e-3 + wait, 0.5e-3 + wait);
      };
      EXPECT_GT(share(exchange, 400), 0.95) << ranks << " ranks, " << before << " exchanges before";
    }
}

TEST(MessageTuner, LeavesMessagesToMpiWithoutATrialWhereCodingCannotWin) {
  Program p;
  EXPECT_EQ(share([&](int) { return p.exchange(1, 2e-4, 6e-4); }, 400), 0);
  EXPECT_EQ(p.messages.compressed_calls(), 0u);
  EXPECT_GE(p.surveys, 2);
}

TEST(MessageTuner, GivesUpWhatIsSlower) {
  Program p;
  EXPECT_LT(share([&](int) { return p.exchange(1, 7e-4, 1.4e-3); }, 1000), 0.02);
  EXPECT_GT(p.messages.compressed_calls(), 0u);
  EXPECT_LT(p.messages.compressed_calls(), 20u);
}

// Something else disturbs one of the first compressed bursts.
TEST(MessageTuner, GoesOnAfterASlowBurst) {
  for (int slow = 1; slow < 12; ++slow) {
    Program p;
    int compressed = 0;
    for (int k = 0; k < 60; ++k) compressed += p.exchange(1, 8e-3, compressed == slow ? 12e-3 : 2.5e-3);
    EXPECT_EQ(p.surveys, 1) << slow;
    EXPECT_TRUE(p.messages.compresses()) << slow;
  }
}

// Encoding and decoding take 0.42 ms each MiB and save three quarters of the time.  Large messages are coded while
// other chunks are on the wire.
TEST(MessageTuner, DoesNotTryWhatCodingMakesSlower) {
  for (const double of_message : {bytes, bytes / 8}) {
    const bool in_chunks = of_message == bytes;
    Program p(of_message);
    const double plain = 5e-4 * of_message / bytes;
    for (int k = 0; k < 2000; ++k) p.exchange(1, plain, 2 * plain);
    EXPECT_GT(p.surveys, 1);
    EXPECT_EQ(p.messages.compressed_calls() > 0, in_chunks);
  }
}

// A message takes more of a node's processors than of a network's.
TEST(MessageTuner, TriesLessWithinANode) {
  for (const bool within_node : {false, true}) {
    Program p(bytes, within_node);
    for (int k = 0; k < 1000; ++k) p.exchange(1, 7e-4, 3e-4);
    EXPECT_EQ(p.messages.compresses(), !within_node);
  }
}

// The first compressed messages set up memory.
TEST(MessageTuner, DoesNotCountTheSetUp) {
  Program p;
  int compressed = 0;
  for (int k = 0; k < 120; ++k) compressed += p.exchange(1, 1e-3, compressed == 0 ? 2.2e-3 : 0.5e-3);
  EXPECT_TRUE(p.messages.compresses());
  EXPECT_GT(compressed, 80);
  EXPECT_NEAR(p.messages.compressed_seconds(), 0.5e-3, 1e-9);
}

// What the program computes between its exchanges takes much longer than they do.
TEST(MessageTuner, DoesNotCountOtherWork) {
  Program p;
  const auto exchange = [&](int k) {
    p.compute(k % 10 == 0 ? 1.0 : 0.05);
    return p.exchange(4, 8e-3, 2.5e-3);
  };
  EXPECT_GT(share(exchange, 400, 4), 0.98);
}

// All sends until the program waits are decided alike, and are timed together: each of them returns at once.
TEST(MessageTuner, DecidesOnBursts) {
  Program p;
  for (int k = 0; k < 300; ++k) {
    const int compressed = p.exchange(6, 8e-3, 2.5e-3);
    EXPECT_TRUE(compressed == 0 || compressed == 6) << compressed;
  }
  EXPECT_TRUE(p.messages.compresses());
  EXPECT_NEAR(p.messages.plain_seconds(), 8e-3 / 6, 1e-9);
}

// A process that only sends is slowed down by the network, not by waiting.
TEST(MessageTuner, LearnsFromAProcessThatWaitsForNothing) {
  Program p;
  int compressed = 0;
  for (int k = 0; k < 4000; ++k) {
    const bool one = p.send();
    compressed += one;
    p.compute(one ? 2.5e-3 : 8e-3);
  }
  EXPECT_GT(compressed, 2500);
}

// Times that have little to do with the messages differ by more than compression could save.
TEST(MessageTuner, IsNotMisledByOtherWork) {
  Program p;
  int compressed = 0;
  for (int k = 0; k < 4000; ++k) compressed += p.exchange(1, 10e-3 + 1e-4 * (k * 7 % 13), 10e-3 + 1e-4 * (k * 7 % 11));
  EXPECT_LT(compressed, 100);
}

// For a while something else slows down the machine.
TEST(MessageTuner, IsNotMisledByADisturbance) {
  for (const double slower : {1.6, 5.0})
    for (int disturbed = 1; disturbed <= 40; disturbed += 3) {
      Program p;
      for (int k = 0; k < 100; ++k) p.exchange(1, 3e-3, 2e-3);
      ASSERT_TRUE(p.messages.compresses());
      int compressed = 0;
      for (int k = 0; k < 5 * 200; ++k) {
        if (k % 200 == 0)
          for (int d = 0; d < disturbed; ++d) p.exchange(1, slower * 3e-3, slower * 2e-3);
        compressed += p.exchange(1, 3e-3, 2e-3);
      }
      EXPECT_GT(compressed, 5 * 170) << disturbed << " exchanges disturbed, " << slower << " times slower";
    }
}

TEST(MessageTuner, NoticesThatTheNetworkHasChanged) {
  Program p;
  EXPECT_GT(share([&](int) { return p.exchange(1, 8e-3, 2.5e-3); }, 400), 0.98);
  EXPECT_LT(share([&](int) { return p.exchange(1, 3e-4, 9e-4); }, 4000), 0.02);
  EXPECT_GT(share([&](int) { return p.exchange(1, 8e-3, 2.5e-3); }, 20000), 0.98);
}

// Plain messages are made now and then, to compare, and take little of the time.
TEST(MessageTuner, SpendsLittleOnComparisons) {
  Program p;
  double lost = 0;
  double all = 0;
  for (int k = 0; k < 20000; ++k) {
    const int compressed = p.exchange(1, 8e-3, 4e-4);
    const double seconds = compressed ? 4e-4 : 8e-3;
    if (k < 1000) continue;
    all += seconds;
    lost += seconds - 4e-4;
  }
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost / all, 0.02);
}

// Messages of two sizes follow each other.  The second kind takes most of the time and is never compressed, but the
// time of the first does not contain it.
TEST(MessageTuner, TimesClassesApart) {
  for (const bool by_laconic : {true, false}) {
    MessageTuner tuner;
    ReceivedElsewhere elsewhere;
    double now = 100;
    const auto exchange = [&](MessageClass& sending, double plain, double compressed, const CodingCost& coding) {
      const Decision decision = tuner.begin(sending, sending.bytes(), now, elsewhere);
      if (decision == Decision::survey) sending.surveyed(coding, false);
      now += decision == Decision::compressed ? compressed : plain;
      by_laconic ? tuner.clock().received(now) : elsewhere.note(now);
    };
    MessageClass& small = tuner.class_of(1 << 18, {0});
    MessageClass& large = tuner.class_of(1 << 24, {0});
    for (int k = 0; k < 200; ++k) {
      exchange(small, 2e-3, 1e-3, cost);
      exchange(large, 0.2, 0.2, {1, 1, 0, 0, 0, 1});
    }
    EXPECT_TRUE(small.compresses());
    EXPECT_NEAR(small.plain_seconds(), 2e-3, 1e-6);
    EXPECT_NEAR(small.compressed_seconds(), 1e-3, 1e-6);
    EXPECT_FALSE(large.compresses());
    EXPECT_NEAR(large.plain_seconds(), 0.2, 1e-6);
  }
}

// One class that stays plain, and one that begins in the middle.
TEST(MessageTuner, PassesMessagesWhoseTimesAreOfNoInterest) {
  MessageTuner tuner;
  ReceivedElsewhere elsewhere;
  double now = 100;
  int surveys = 0;
  int passed = 0;
  // Counts every exchange of `sending` as the tuner would without passes(), too.
  const auto exchange = [&](MessageClass& sending, double plain, double compressed) {
    Decision decision = Decision::plain;
    if (tuner.passes(sending)) {
      ++passed;
    } else {
      decision = tuner.begin(sending, sending.bytes(), now, elsewhere);
      if (decision == Decision::survey) {
        ++surveys;
        sending.surveyed(cost, false);
      }
    }
    now += decision == Decision::compressed ? compressed : plain;
    tuner.clock().received(now);
  };
  MessageClass& one = tuner.class_of(1 << 20, {0});
  Program told;
  for (int k = 0; k < 5000; ++k) {
    exchange(one, 2e-4, 6e-4);
    told.exchange(1, 2e-4, 6e-4);
  }
  EXPECT_GT(passed, 4500);
  EXPECT_EQ(one.calls(), 5000u);
  EXPECT_EQ(surveys, told.surveys);
  EXPECT_NEAR(one.plain_seconds(), 2e-4, 1e-9);

  // All messages end the bursts of a class that is measured, and its times do not contain theirs.
  MessageClass& other = tuner.class_of(1 << 18, {0});
  passed = 0;
  for (int k = 0; k < 200; ++k) {
    exchange(other, 2e-3, 1e-3);
    exchange(one, 2e-4, 6e-4);
  }
  EXPECT_EQ(passed, 0);
  EXPECT_TRUE(other.compresses());
  EXPECT_NEAR(other.compressed_seconds(), 1e-3, 1e-6);

  // A network that has become slow is noticed at the next survey, with times of then.
  for (int k = 0; k < 20000 && !one.compresses(); ++k) exchange(one, 8e-3, 2.5e-3);
  EXPECT_TRUE(one.compresses());
  EXPECT_NEAR(one.plain_seconds(), 8e-3, 1e-9);
}

TEST(MessageTuner, ClassesAreSizesAndSettings) {
  MessageTuner tuner;
  MessageClass& one = tuner.class_of(100000, {1});
  EXPECT_EQ(&tuner.class_of(131072, {1}), &one);
  EXPECT_NE(&tuner.class_of(131073, {1}), &one);
  EXPECT_NE(&tuner.class_of(100000, {2}), &one);
  EXPECT_EQ(tuner.classes().size(), 3u);
}

TEST(MessageTuner, IsPinnedByAProfile) {
  Profile profile;
  const std::string text =
      "laconic profile 3\n# test\nranks 2\nwithin_node 0\ncoding light 5e-10 3e-10 6e-10 6e-10 1e-10 0.2\n"
      "class bcast 65536 2e-5 light binomial 1 1e-4\nclass bcast 1048576 9e-3 light binomial 4 3e-3\nend\n";
  ASSERT_TRUE(Profile::parse(text, profile).ok()) << Profile::parse(text, profile).message();
  MessageTuner tuner;
  MessageClock clock;
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(tuner.class_of(65536, {0}, &profile).begin(65536, k, clock), Decision::plain);
    EXPECT_EQ(tuner.class_of(1 << 20, {0}, &profile).begin(1 << 20, k, clock), Decision::compressed);
  }
}

}  // namespace
}  // namespace laconic::test
