// Frames as files: bytes written today must be those that are written tomorrow, on every machine.
//
// To accept changed bytes after a deliberate change of the format (which is a new wire version):
//   LACONIC_GOLDEN_ACCEPT=1 test_conformance --gtest_filter='Golden*'
// and commit tests/golden/*.frame.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "support/fields.hpp"
#include "support/frames.hpp"

namespace laconic::test {
namespace {

struct Golden {
  const char* name;
  const char* codec;
  std::function<Bytes(const Codec&)> make;
};

template <class T>
std::function<Bytes(const Codec&)> encoded(Kind kind, std::size_t count, double allowance, std::uint32_t terms) {
  return
      [=](const Codec& codec) { return encode(codec, make_field<T>(kind, count, 7), coding_for<T>(allowance, terms)); };
}

template <class T>
std::function<Bytes(const Codec&)> summed(Kind kind, std::size_t count, double allowance, Op op) {
  return [=](const Codec& codec) {
    const Coding coding = coding_for<T>(allowance, 3, op);
    const Bytes a = encode(codec, make_field<T>(kind, count, 7, 0), coding);
    const Bytes b = fold(codec, a, make_field<T>(kind, count, 7, 1), coding);
    return add(codec, encode(codec, make_field<T>(kind, count, 7, 2), coding), b, count, coding);
  };
}

const std::vector<Golden>& goldens() {
  static const std::vector<Golden> g{
      {"quant_f32_normal", "quant", encoded<float>(Kind::normal, 1500, 0x1p-8, 4)},
      {"quant_f64_walk", "quant", encoded<double>(Kind::walk, 2100, 0x1p-12, 8)},
      {"quant_f32_ties", "quant", encoded<float>(Kind::ties, 300, 0x1p-10, 2)},
      {"quant_f32_sparse", "quant", encoded<float>(Kind::sparse, 1040, 1e-3, 2)},
      {"quant_f32_special", "quant", encoded<float>(Kind::special, 1100, 0x1p-6, 2)},
      {"quant_f32_zero", "quant", encoded<float>(Kind::zero, 5000, 1e-3, 2)},
      {"quant_f64_fill", "quant", encoded<double>(Kind::constant, 2048, 0, 2)},
      {"quant_f32_wide", "quant", encoded<float>(Kind::normal, 100, 1e-8, 2)},
      {"quant_f32_sum", "quant", summed<float>(Kind::walk, 1030, 0x1p-9, Op::sum)},
      {"quant_f64_max", "quant", summed<double>(Kind::normal, 600, 0x1p-5, Op::max)},
      {"quant_f32_empty", "quant", encoded<float>(Kind::zero, 0, 1e-3, 2)},
      {"raw_f32_special", "raw", encoded<float>(Kind::special, 100, 1e-3, 2)},
      {"raw_f64_sum", "raw", summed<double>(Kind::normal, 50, 1e-3, Op::sum)},
      {"szx_f32_walk", "szx", encoded<float>(Kind::walk, 5300, 0x1p-7, 4)},
      {"szx_f64_walk", "szx", encoded<double>(Kind::walk, 900, 1e-9, 8)},
      {"szx_f32_special", "szx", encoded<float>(Kind::special, 1100, 1e-4, 2)},
      {"szx_f32_sparse", "szx", encoded<float>(Kind::sparse, 259, 0.7, 2)},
      {"szx_f32_zero", "szx", encoded<float>(Kind::zero, 6000, 1e-3, 2)},
      {"szx_f64_lossless", "szx", encoded<double>(Kind::constant, 130, 0, 2)},
      {"szx_f32_sum", "szx", summed<float>(Kind::walk, 1030, 1e-3, Op::sum)},
      {"szx_f64_max", "szx", summed<double>(Kind::normal, 600, 1e-2, Op::max)},
      {"szx_f32_empty", "szx", encoded<float>(Kind::zero, 0, 1e-3, 2)},
      {"raw_bf16_sum", "raw", summed<Bfloat16>(Kind::normal, 50, 0, Op::sum)},
      {"lossless_f32_walk", "lossless", encoded<float>(Kind::walk, 2100, 0, 2)},
      {"lossless_f32_normal", "lossless", encoded<float>(Kind::normal, 1030, 0, 2)},
      {"lossless_f32_special", "lossless", encoded<float>(Kind::special, 1100, 0, 2)},
      {"lossless_f32_sparse", "lossless", encoded<float>(Kind::sparse, 1040, 0, 2)},
      {"lossless_f32_signs_of_zero", "lossless", encoded<float>(Kind::negative_zero, 1024, 0, 2)},
      {"lossless_f32_random_bits", "lossless", encoded<float>(Kind::random_bits, 33, 0, 2)},
      {"lossless_f32_zero", "lossless", encoded<float>(Kind::zero, 5000, 0, 2)},
      {"lossless_f32_empty", "lossless", encoded<float>(Kind::zero, 0, 0, 2)},
      {"lossless_f64_ramp", "lossless", encoded<double>(Kind::ramp, 1500, 0, 2)},
      {"lossless_f64_fill", "lossless", encoded<double>(Kind::constant, 1030, 0, 2)},
      {"lossless_f64_max", "lossless", summed<double>(Kind::normal, 200, 0, Op::max)},
      {"lossless_f16_walk", "lossless", encoded<Float16>(Kind::walk, 1100, 0, 2)},
      {"lossless_bf16_sum", "lossless", summed<Bfloat16>(Kind::walk, 1100, 0, Op::sum)},
      {"lossless_i8_normal", "lossless", encoded<std::int8_t>(Kind::normal, 777, 0, 2)},
      {"lossless_u8_walk", "lossless", encoded<std::uint8_t>(Kind::walk, 1031, 0, 2)},
      {"lossless_i16_ramp", "lossless", encoded<std::int16_t>(Kind::ramp, 1100, 0, 2)},
      {"lossless_u16_ties", "lossless", encoded<std::uint16_t>(Kind::ties, 500, 0, 2)},
      {"lossless_i32_sum", "lossless", summed<std::int32_t>(Kind::extreme, 100, 0, Op::sum)},
      {"lossless_u32_walk", "lossless", encoded<std::uint32_t>(Kind::walk, 1500, 0, 2)},
      {"lossless_i64_walk", "lossless", encoded<std::int64_t>(Kind::walk, 1100, 0, 2)},
      {"lossless_u64_min", "lossless", summed<std::uint64_t>(Kind::normal, 150, 0, Op::min)},
      {"failed", "raw",
       [](const Codec&) {
         Bytes frame(wire::header_bytes);
         wire::write_failed_frame(1234, Dtype::f64, frame);
         return frame;
       }},
  };
  return g;
}

std::string path_of(const Golden& golden) {
  const char* folder = std::getenv("LACONIC_TEST_GOLDEN");
#ifdef LACONIC_TEST_GOLDEN_DIR
  if (folder == nullptr) folder = LACONIC_TEST_GOLDEN_DIR;
#endif
  return std::string(folder != nullptr ? folder : "tests/golden") + "/" + golden.name + ".frame";
}

Bytes read(const std::string& path) {
  Bytes bytes;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return bytes;
  std::byte buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
    bytes.insert(bytes.end(), buffer, buffer + n);
  std::fclose(file);
  return bytes;
}

void write(const std::string& path, const Bytes& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr) << path;
  ASSERT_EQ(std::fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
  ASSERT_EQ(std::fclose(file), 0);
}

class GoldenFrame : public ::testing::TestWithParam<std::size_t> {};

TEST_P(GoldenFrame, IsReproduced) {
  const Golden& golden = goldens()[GetParam()];
  if (std::getenv("LACONIC_GOLDEN_ACCEPT") != nullptr) write(path_of(golden), golden.make(*find_codec(golden.codec)));
  const Bytes expected = read(path_of(golden));
  ASSERT_FALSE(expected.empty()) << "cannot read " << path_of(golden);
  for (const Subject& subject : all_subjects())
    if (subject.codec->name() == golden.codec) {
      EXPECT_EQ(golden.make(*subject.codec), expected) << subject.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Frames, GoldenFrame, ::testing::Range(std::size_t{0}, goldens().size()),
                         [](const auto& i) { return std::string(goldens()[i.param].name); });

}  // namespace
}  // namespace laconic::test
