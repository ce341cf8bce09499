// SPDX-License-Identifier: BSD-3-Clause
// The numbers in every golden frame, pinned to the bit next to it as NAME.f32, NAME.bf16, ... (the decoder of
// docs/educational is held to the same files), and the frames of tests/golden/malformed, which must be refused with the
// words that its errors.txt says.
//
// To write the numbers of a new frame:  LACONIC_GOLDEN_ACCEPT=1 test_conformance --gtest_filter='GoldenNumbers*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "support/frames.hpp"

namespace laconic::test {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  if (const char* chosen = std::getenv("LACONIC_TEST_GOLDEN")) return chosen;
#ifdef LACONIC_TEST_GOLDEN_DIR
  return LACONIC_TEST_GOLDEN_DIR;
#else
  return "tests/golden";
#endif
}

Bytes read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << "cannot read " << path;
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Bytes bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

std::vector<Subject> subjects_of(std::uint8_t codec) {
  std::vector<Subject> found;
  for (const Subject& subject : all_subjects())
    if (subject.codec->id() == codec) found.push_back(subject);
  return found;
}

// Kernels for devices know no blocks that frames bounded by the range of each block have alone.
bool on_device(const Subject& subject) { return subject.name.ends_with("_device"); }
bool by_range(const fs::path& path) { return path.stem().string().find("_by_range") != std::string::npos; }

TEST(GoldenNumbers, AreDecodedToTheBit) {
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() != ".frame") continue;
    const Bytes frame = read(entry.path());
    wire::Header header;
    ASSERT_TRUE(wire::read_header(frame, header).ok()) << entry.path();
    fs::path numbers = entry.path();
    numbers.replace_extension("." + std::string(name_of(header.dtype)));
    // Failed frames hold no numbers, and a codec may be missing from this build.
    for (const Subject& subject : header.failed() ? std::vector<Subject>{} : subjects_of(header.codec)) {
      if (on_device(subject) && by_range(entry.path())) continue;
      Guarded out(header.count * size_of(header.dtype));
      Coding coding;
      coding.dtype = header.dtype;
      const Status s = subject.codec->decode(frame, out.bytes().data(), header.count, coding);
      ASSERT_TRUE(s.ok()) << entry.path() << ": " << s.message();
      const Bytes decoded = out.copy<std::byte>();
      if (std::getenv("LACONIC_GOLDEN_ACCEPT") != nullptr) {
        std::ofstream file(numbers, std::ios::binary);
        file.write(reinterpret_cast<const char*>(decoded.data()), static_cast<std::streamsize>(decoded.size()));
      }
      EXPECT_EQ(decoded, read(numbers)) << subject.name << ", " << numbers;
      ++compared;
    }
  }
  EXPECT_GT(compared, 10u);
}

// Every function of the codec must refuse the frame, and decode() must give this message.
void expect_refused(const Subject& subject, const Bytes& frame, const std::string& words) {
  SCOPED_TRACE(subject.name);
  Coding coding;
  if (frame.size() > 6 && known(static_cast<Dtype>(frame[6]))) coding.dtype = static_cast<Dtype>(frame[6]);
  std::uint32_t count = 0;
  if (frame.size() >= wire::header_bytes) std::memcpy(&count, frame.data() + 8, sizeof count);
  ASSERT_LE(count, 100000u);
  Guarded numbers(count * size_of(coding.dtype));
  const Status s = subject.codec->decode(frame, numbers.bytes().data(), count, coding);
  EXPECT_EQ(s.code(), Code::frame);
  if (!on_device(subject) || frame.size() <= 7 || (static_cast<unsigned>(frame[7]) & wire::flag_scaled) == 0) {
    EXPECT_NE(s.message().find(words), std::string::npos) << "it says: " << s.message();
  }
  EXPECT_TRUE(numbers.intact());

  const std::vector<std::byte> zeros(count * size_of(coding.dtype));
  Bytes good(subject.codec->capacity(count, coding.dtype));
  good.resize(subject.codec->encode(zeros.data(), count, coding, good).bytes);
  Guarded out(subject.codec->capacity(count, coding.dtype));
  EXPECT_FALSE(subject.codec->fold(frame, zeros.data(), count, coding, out.bytes()).status.ok());
  EXPECT_FALSE(subject.codec->add(frame, good, count, coding, out.bytes()).status.ok());
  EXPECT_FALSE(subject.codec->add(good, frame, count, coding, out.bytes()).status.ok());
  EXPECT_TRUE(out.intact());
}

TEST(GoldenMalformed, IsRefusedInTheWordsExpected) {
  std::ifstream table(folder() / "malformed" / "errors.txt");
  ASSERT_TRUE(table.good());
  std::size_t rows = 0;
  for (std::string line; std::getline(table, line); ++rows) {
    std::istringstream cells(line);
    std::string name;
    std::string words;
    std::getline(cells, name, '\t');
    std::getline(cells, words);
    SCOPED_TRACE(name);
    ASSERT_FALSE(words.empty());
    const Bytes frame = read(folder() / "malformed" / (name + ".frame"));
    const auto codec = static_cast<std::uint8_t>(frame.size() > 5 ? frame[5] : std::byte{0});
    // A frame that belongs to no codec must be refused by all codecs.
    constexpr std::uint8_t last_codec = 6;
    for (const Subject& subject : codec == wire::codec_none || codec > last_codec ? all_subjects() : subjects_of(codec))
      expect_refused(subject, frame, words);
  }
  EXPECT_GT(rows, 50u);
}

}  // namespace
}  // namespace laconic::test
