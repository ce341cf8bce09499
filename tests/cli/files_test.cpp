// SPDX-License-Identifier: BSD-3-Clause
// Files of frames, whole and damaged, and output files that are complete or absent.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "codec_report.hpp"
#include "failure.hpp"
#include "frame_file.hpp"
#include "output_file.hpp"
#include "text.hpp"

namespace laconic::cli {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "laconic-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string name(const char* file) const { return (folder_ / file).string(); }
  static std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  static void put(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  // A random walk as numbers, and the bytes of its file of frames.
  std::string write_walk(std::size_t count, std::size_t chunk) {
    std::mt19937 random(7);
    Field field{"walk", Dtype::f32, count, Memory(count * 4)};
    float x = 0;
    for (std::size_t i = 0; i < count; ++i) {
      x += static_cast<float>(random() % 1000) * 1e-3F - 0.5F;
      std::memcpy(field.numbers.data() + 4 * i, &x, 4);
    }
    Coding coding;
    coding.allowance = 0.01;
    const FileSummary done = write_frames(*find_codec("quant"), coding, field, chunk, name("in.lac"));
    EXPECT_EQ(done.numbers, count);
    EXPECT_EQ(done.bytes, fs::file_size(name("in.lac")));
    return content(name("in.lac"));
  }

  void expect_rejected(const std::string& bytes, const std::string& why) {
    put(name("bad.lac"), bytes);
    const std::size_t before = files();
    EXPECT_THROW(read_frames(name("bad.lac"), name("out.f32")), Failure) << why;
    EXPECT_EQ(files(), before) << why;
  }

  fs::path folder_;
};

TEST_F(Files, RoundTrip) {
  for (const std::size_t count : {0, 1, 1000, 5001}) {
    write_walk(count, 1000);
    const FileSummary done = read_frames(name("in.lac"), name("out.f32"));
    EXPECT_EQ(done.numbers, count);
    EXPECT_EQ(done.frames, (count + 999) / 1000);
    EXPECT_EQ(fs::file_size(name("out.f32")), count * 4);
  }
}

TEST_F(Files, EveryTruncationIsRejected) {
  const std::string whole = write_walk(300, 100);
  for (std::size_t size = 0; size < whole.size(); ++size) expect_rejected(whole.substr(0, size), std::to_string(size));
  expect_rejected(whole + "x", "a byte too many");
}

TEST_F(Files, EveryChangedBitIsRejected) {
  const std::string whole = write_walk(200, 100);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string bad = whole;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    expect_rejected(bad, "bit " + std::to_string(bit));
  }
}

TEST_F(Files, AnOldFileSurvivesAFailure) {
  const std::string whole = write_walk(300, 100);
  put(name("out.f32"), "precious");
  expect_rejected(whole.substr(0, whole.size() - 1), "cut short");
  EXPECT_EQ(content(name("out.f32")), "precious");
}

TEST_F(Files, WhatIsNotAFileIsLeftAlone) {
  fs::create_directory(name("folder"));
  EXPECT_THROW(OutputFile(name("folder")), Failure);
  OutputFile("/dev/null").write("anything");  // a device is written to as it is
  EXPECT_THROW(OutputFile(name("nowhere/file")), Failure);
}

TEST(Crc32, CheckValue) { EXPECT_EQ(crc32(0, std::as_bytes(std::span("123456789", 9))), 0xcbf43926U); }

TEST(Json, EscapesText) {
  EXPECT_EQ(json_text("a\"b\\c\n\x01"), R"("a\"b\\c\u000a\u0001")");
  EXPECT_EQ(json_number(0.001), "0.001");
  EXPECT_EQ(json_number(unknown), "null");
}

}  // namespace
}  // namespace laconic::cli
