// SPDX-License-Identifier: BSD-3-Clause
// What kernels execute for each number stays within the second table of docs/kernels.md.  LACONIC_DOCS_ACCEPT=1 writes
// the table anew.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "ptx/control.hpp"
#include "ptx/operations.hpp"

namespace laconic::test {
namespace {

const std::string path = std::string(LACONIC_DOCS_DIR) + "/kernels.md";
const std::string begin_mark = "<!-- instructions: begin -->\n";
const std::string end_mark = "<!-- instructions: end -->\n";
constexpr std::size_t count = 128 * quant::block_values;
constexpr double wanted_ratio = 8;

struct Row {
  std::string name;             // codec and type
  std::vector<double> numbers;  // the ratio, then instructions of each operation
};

std::string text_of(const Row& row) {
  std::string text = "| " + row.name + " |";
  for (const double x : row.numbers) {
    char number[32];
    std::snprintf(number, sizeof number, " %.1f |", x);
    text += number;
  }
  return text + "\n";
}

// The bound, a power of two, with which the frame is as near to the wanted ratio as it gets.
template <class T>
Coding coding_at_ratio(const Codec& host, const std::vector<T>& x, bool relative, double& ratio) {
  Coding best;
  double distance = INFINITY;
  for (int exponent = -14; exponent <= 2; ++exponent) {
    Coding coding = coding_for<T>(relative ? 0 : std::ldexp(1.0, exponent), 2);
    coding.relative = relative ? std::ldexp(1.0, exponent) : 0;
    const double r = static_cast<double>(x.size() * sizeof(T)) / static_cast<double>(encode(host, x, coding).size());
    if (std::abs(std::log(r / wanted_ratio)) >= distance) continue;
    distance = std::abs(std::log(r / wanted_ratio));
    best = coding;
    ratio = r;
  }
  return best;
}

template <class T>
Row measure(const char* codec, const char* type, bool relative = false) {
  const Codec& host = *find_codec(codec);
  const OnDevice device(host, *host.on_device());
  const auto x = make_field<T>(Kind::walk, count, 1, 0), y = make_field<T>(Kind::walk, count, 1, 1);
  Row row{std::string(codec) + (relative ? ", relative bound | " : " | ") + type, {0}};
  Coding coding;
  if (host.name() == "zfp") {  // its kernels have a rate, in bits of each number
    coding = coding_for<T>(0, 2);
    coding.rate = 8 * sizeof(T) / wanted_ratio;
    row.numbers[0] = static_cast<double>(count * sizeof(T)) / static_cast<double>(encode(host, x, coding).size());
  } else {
    coding = coding_at_ratio(host, x, relative, row.numbers[0]);
  }
  for (const Operation& operation : operations(host, x, y, coding)) {
    ptx::take_executed();
    EXPECT_EQ(operation.run(device), operation.run(host)) << row.name << ' ' << operation.name;
    EXPECT_GT(row.numbers.emplace_back(32.0 * static_cast<double>(ptx::take_executed()) / static_cast<double>(count)),
              0)
        << row.name << ' ' << operation.name << " ran no kernel";
  }
  return row;
}

std::vector<Row> measure_all() {
  ptx::set_calm(true);
  std::vector<Row> rows{measure<float>("quant", "f32"),         measure<double>("quant", "f64"),
                        measure<Float16>("quant", "f16"),       measure<Bfloat16>("quant", "bf16"),
                        measure<float>("quant", "f32", true),   measure<double>("quant", "f64", true),
                        measure<Float16>("quant", "f16", true), measure<Bfloat16>("quant", "bf16", true)};
#ifdef LACONIC_HAVE_ZFP
  rows.push_back(measure<float>("zfp", "f32"));
  rows.push_back(measure<double>("zfp", "f64"));
#endif
  ptx::set_calm(false);
  return rows;
}

TEST(PtxBudget, InstructionsOfEachNumberAreWithinTheTable) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  const std::string text = all.str();
  const std::size_t begin = text.find(begin_mark), end = text.find(end_mark);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos) << path << " lacks the table";
  const std::size_t from = begin + begin_mark.size();
  const std::vector<Row> rows = measure_all();
  if (std::getenv("LACONIC_DOCS_ACCEPT") != nullptr) {
    std::string table = "| codec | type | ratio | encode | decode | fold | add |\n|---|---|---:|---:|---:|---:|---:|\n";
    for (const Row& row : rows) table += text_of(row);
    std::ofstream(path, std::ios::binary) << text.substr(0, from) << table << text.substr(end);
    return;
  }
  std::istringstream table(text.substr(from, end - from));
  std::map<std::string, std::vector<double>> granted;
  for (std::string line; std::getline(table, line);) {
    std::size_t at = 0;
    for (int bar = 0; bar < 3 && at != std::string::npos; ++bar) at = line.find('|', at + (bar > 0 ? 1 : 0));
    if (at == std::string::npos) continue;
    std::istringstream numbers(line.substr(at));
    std::vector<double>& row = granted[line.substr(2, at - 3)];
    char bar = 0;
    for (double x = 0; numbers >> bar >> x;) row.push_back(x);
  }
  for (const Row& row : rows) {
    const auto found = granted.find(row.name);
    ASSERT_NE(found, granted.end()) << row.name << " is not in " << path;
    ASSERT_EQ(found->second.size(), row.numbers.size()) << row.name;
    for (std::size_t k = 1; k < row.numbers.size(); ++k)
      EXPECT_LE(row.numbers[k], found->second[k] + 0.05)
          << row.name << ", operation " << k << ": more instructions than " << path
          << " grants; LACONIC_DOCS_ACCEPT=1 ./dev test --only ptx writes the table anew";
  }
}

}  // namespace
}  // namespace laconic::test
