// SPDX-License-Identifier: BSD-3-Clause
#include "base/bound.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <locale>
#include <string>
#include <vector>

namespace laconic::test {
namespace {

struct Valid {
  const char* text;
  BoundMode mode;
  double value;
  friend std::ostream& operator<<(std::ostream& out, const Valid& v) { return out << v.text; }
};

class ValidBound : public ::testing::TestWithParam<Valid> {};

TEST_P(ValidBound, IsRead) {
  Bound bound;
  const Status s = parse_bound(GetParam().text, bound);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(bound.mode, GetParam().mode);
  EXPECT_EQ(bound.value, GetParam().value);
  EXPECT_TRUE(check_bound(bound).ok());
  // The text that to_string() writes parses to the same bound.
  Bound again;
  ASSERT_TRUE(parse_bound(to_string(bound), again).ok()) << to_string(bound);
  EXPECT_EQ(again.mode, bound.mode);
  EXPECT_EQ(again.value, bound.value);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ValidBound,
    ::testing::Values(Valid{"abs:1e-3", BoundMode::abs, 1e-3}, Valid{"abs:1", BoundMode::abs, 1},
                      Valid{"abs:0.001", BoundMode::abs, 0.001}, Valid{"abs:1E-3", BoundMode::abs, 1e-3},
                      Valid{"abs:1e+3", BoundMode::abs, 1e3}, Valid{"abs:.5", BoundMode::abs, 0.5},
                      Valid{"abs:5.", BoundMode::abs, 5}, Valid{"abs:0000000000000000000000001", BoundMode::abs, 1},
                      Valid{"abs:5e-324", BoundMode::abs, 5e-324},
                      Valid{"abs:1.7976931348623157e308", BoundMode::abs, 1.7976931348623157e308},
                      Valid{"rel:1e-4", BoundMode::rel, 1e-4}, Valid{"rel:2", BoundMode::rel, 2},
                      Valid{"range:1e-4", BoundMode::range, 1e-4}, Valid{"block:1e-9", BoundMode::block, 1e-9},
                      Valid{"rms:0.1", BoundMode::rms, 0.1}, Valid{"rate:8", BoundMode::rate, 8},
                      Valid{"rate:0.5", BoundMode::rate, 0.5}, Valid{"lossless", BoundMode::lossless, 0}));

// Of a list for the drop-in the last bound counts, if it has no terms.
TEST(Bounds, OfAListTheLastCountsWithoutTerms) {
  const auto rest = [](std::string_view list) {
    Bound bound{BoundMode::rms, 7};
    EXPECT_TRUE(parse_bounds(list, bound).ok()) << list;
    return to_string(bound);
  };
  EXPECT_EQ(rest("abs:1"), "abs:1");
  EXPECT_EQ(rest("send=abs:2,rel:3"), "rel:3");
  EXPECT_EQ(rest("send+size>=1M=abs:2,comm:a=b=lossless,lossless"), "lossless");
  EXPECT_EQ(rest("send=abs:2"), "unset");
  for (const std::string_view list :
       {"", ",", "abs:1,", ",abs:1", "send=,abs:1", "send=abs:0,abs:1", "send,abs:1", "="}) {
    Bound bound;
    const Status s = parse_bounds(list, bound);
    EXPECT_FALSE(s.ok()) << list;
    EXPECT_NE(s.message().find("abs:E"), std::string::npos) << s.message();
  }
}

TEST(Bound, IsRefusedWhenItIsNotOneOfTheForms) {
  const std::vector<std::string> texts{"",
                                       " ",
                                       ":",
                                       "abs",
                                       "rel",
                                       "1e-3",
                                       "abs:",
                                       "rel:",
                                       "rms:",
                                       "rate:",
                                       "abs:0",
                                       "abs:-0",
                                       "abs:0.0",
                                       "abs:0e5",
                                       "rel:0",
                                       "rms:0",
                                       "rate:0",
                                       "abs:-1",
                                       "rel:-1e-3",
                                       "rate:-8",
                                       "abs:nan",
                                       "abs:-nan",
                                       "abs:NAN",
                                       "abs:nan(1)",
                                       "abs:inf",
                                       "abs:-inf",
                                       "abs:infinity",
                                       "abs:INF",
                                       "rel:inf",
                                       "abs:1e400",
                                       "abs:1e-400",
                                       "abs:1e999999999999",
                                       " abs:1",
                                       "abs :1",
                                       "abs: 1",
                                       "abs:1 ",
                                       "abs:1\n",
                                       "abs:1\t",
                                       "abs:+1",
                                       "abs:0x1p-3",
                                       "abs:0x1",
                                       "abs:1,5",
                                       "abs:1.5.2",
                                       "abs:1e",
                                       "abs:1e+",
                                       "abs:e5",
                                       "abs:.",
                                       "abs:1f",
                                       "abs:1d",
                                       "abs:1%",
                                       "abs:1:2",
                                       "abs::1",
                                       ":1",
                                       "ABS:1",
                                       "Abs:1",
                                       "absolute:1",
                                       "ab:1",
                                       "lossless:",
                                       "lossless:1",
                                       "lossless ",
                                       "Lossless",
                                       "loss",
                                       "unset",
                                       "none",
                                       "off",
                                       "plain",
                                       "rate:8bits",
                                       "snr:60",
                                       "abs:1e-3;",
                                       "abs=1e-3",
                                       "abs:--1",
                                       std::string("abs:1\0", 6),
                                       std::string("abs\0:1", 6)};
  for (const std::string& text : texts) {
    SCOPED_TRACE("'" + text + "'");
    Bound bound{BoundMode::rel, 0.25};
    const Status s = parse_bound(text, bound);
    EXPECT_FALSE(s.ok()) << "taken for " << to_string(bound);
    EXPECT_EQ(s.code(), Code::argument);
    EXPECT_EQ(bound.mode, BoundMode::rel) << "changed";
    EXPECT_EQ(bound.value, 0.25) << "changed";
    // The message tells the user which forms are valid.
    EXPECT_NE(s.message().find(std::string(bound_forms)), std::string::npos) << s.message();
  }
}

TEST(Bound, ReadsTheSameInEveryLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  // The set of installed locales is unknown. Any locale with a decimal comma will do; without one this test checks
  // less.
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    Bound bound;
    EXPECT_TRUE(parse_bound("abs:1.5", bound).ok()) << name;
    EXPECT_EQ(bound.value, 1.5) << name;
    EXPECT_FALSE(parse_bound("abs:1,5", bound).ok()) << name;
    EXPECT_EQ(to_string(Bound{BoundMode::abs, 1.5}), "abs:1.5") << name;
  }
  std::setlocale(LC_ALL, before.c_str());

  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale old = std::locale::global(std::locale(std::locale::classic(), new Comma));
  EXPECT_EQ(to_string(Bound{BoundMode::abs, 1234567.5}), "abs:1234567.5");
  Bound bound;
  EXPECT_TRUE(parse_bound("abs:1234567.5", bound).ok());
  EXPECT_EQ(bound.value, 1234567.5);
  std::locale::global(old);
}

TEST(Bound, IsCheckedHoweverItWasGiven) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const BoundMode mode :
       {BoundMode::abs, BoundMode::rel, BoundMode::range, BoundMode::block, BoundMode::rms, BoundMode::rate}) {
    for (const double bad : {0.0, -0.0, -1.0, inf, -inf, nan}) EXPECT_FALSE(check_bound({mode, bad}).ok()) << bad;
    for (const double good : {5e-324, 1e-3, 1.0, 1e308}) EXPECT_TRUE(check_bound({mode, good}).ok()) << good;
  }
  for (const double any : {0.0, -1.0, nan}) {
    EXPECT_TRUE(check_bound({BoundMode::lossless, any}).ok());
    EXPECT_TRUE(check_bound({BoundMode::unset, any}).ok());
  }
  for (const int mode : {8, 9, 100, 255}) EXPECT_FALSE(check_bound({static_cast<BoundMode>(mode), 1}).ok()) << mode;
}

TEST(Bound, IsUnsetUntilItIsSet) {
  EXPECT_EQ(Bound{}.mode, BoundMode::unset);
  EXPECT_EQ(to_string(Bound{}), "unset");
}

}  // namespace
}  // namespace laconic::test
