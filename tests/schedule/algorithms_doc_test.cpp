// SPDX-License-Identifier: BSD-3-Clause
// docs/algorithms.md describes every algorithm, and its table holds the numbers of the code. To
// regenerate the table: LACONIC_DOCS_ACCEPT=1 test_schedule --gtest_filter='AlgorithmsDoc.*'
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "schedule/audit.hpp"
#include "schedule/messages.hpp"
#include "support/place.hpp"

namespace laconic::test {
namespace {

const std::string path = std::string(LACONIC_DOCS_DIR) + "/algorithms.md";
const std::string begin_mark = "<!-- begin: generated from the code -->\n";
const std::string end_mark = "<!-- end -->\n";
constexpr int sizes[] = {4, 7, 8, 16, 64};

std::string read() {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string text_of(Terms terms) {
  return terms.final == 0          ? std::to_string(terms.intermediate)
         : terms.intermediate == 0 ? "+" + std::to_string(terms.final)
                                   : std::to_string(terms.intermediate) + "+" + std::to_string(terms.final);
}

std::string cell(const Algorithm& algorithm, int size) {
  if (!algorithm.fits(ranks_of(size))) return "–";
  const Cost cost = audit(algorithm, ranks_of(size)).cost;
  char text[64];
  const int messages = audit(algorithm, ranks_of(size), 0, {}, all_blocks).cost.messages;
  std::snprintf(text, sizeof text, "%.0f · %d · %.2f · ", cost.hops, messages, cost.share);
  return text + text_of(algorithm.terms(ranks_of(size), Travel::reencoding)) + " · " +
         text_of(algorithm.terms(ranks_of(size), Travel::per_hop));
}

std::string table() {
  std::string text = "| collective | algorithm |";
  for (const int size : sizes) text += " " + std::to_string(size) + " ranks |";
  text += "\n|---|---|";
  for (std::size_t i = 0; i < std::size(sizes); ++i) text += "---|";
  text += "\n";
  for (const Algorithm& algorithm : all_algorithms()) {
    text += "| " + std::string(name_of(algorithm.collective)) + " | `" + std::string(algorithm.name()) + "` |";
    for (const int size : sizes) text += " " + cell(algorithm, size) + " |";
    text += "\n";
  }
  return text;
}

TEST(AlgorithmsDoc, HasTheNumbersOfTheCode) {
  const std::string text = read();
  const std::size_t begin = text.find(begin_mark);
  ASSERT_NE(begin, std::string::npos) << path << " lacks the line " << begin_mark;
  const std::size_t from = begin + begin_mark.size();
  const std::size_t to = text.find(end_mark, from);
  ASSERT_NE(to, std::string::npos) << path << " lacks the line " << end_mark;
  if (std::getenv("LACONIC_DOCS_ACCEPT") != nullptr)
    std::ofstream(path, std::ios::binary) << text.substr(0, from) << table() << text.substr(to);
  else
    EXPECT_EQ(text.substr(from, to - from), table()) << "LACONIC_DOCS_ACCEPT=1 writes the table of " << path << " anew";
}

TEST(AlgorithmsDoc, DescribesEveryAlgorithm) {
  const std::string text = read();
  for (const Algorithm& algorithm : all_algorithms()) {
    const std::string title = "\n## " + std::string(name_of(algorithm.collective)) + "\n";
    const std::size_t begin = text.find(title);
    ASSERT_NE(begin, std::string::npos) << title;
    const std::string section = text.substr(begin, text.find("\n## ", begin + 1) - begin);
    EXPECT_NE(section.find("| `" + std::string(algorithm.name()) + "` |"), std::string::npos)
        << title << algorithm.name();
  }
}

}  // namespace
}  // namespace laconic::test
