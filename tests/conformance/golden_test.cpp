// Frames as files: bytes written today must be those that are written tomorrow, on every machine.
//
// To accept changed bytes after a deliberate change of the format (which is a new wire version):
//   LACONIC_GOLDEN_ACCEPT=1 test_conformance --gtest_filter='Golden*'
// and commit tests/golden/*.frame.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>

#include "support/exact.hpp"
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
std::function<Bytes(const Codec&)> at_rate(Kind kind, std::size_t count, double rate) {
  return [=](const Codec& codec) {
    Coding coding = coding_for<T>(0);
    coding.rate = rate;
    return encode(codec, make_field<T>(kind, count, 7), coding);
  };
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

// No encoder writes this: truncated blocks of szx whose middles and words are infinite and NaN.
template <class T>
Bytes not_finite(const Codec& codec) {
  using Bits = BitsOf<T>;
  constexpr int down = 8 * sizeof(T) - 16;
  constexpr std::uint16_t infinity = sizeof(T) == 4 ? 0x7f80 : 0x7ff0;  // the high bits of one
  constexpr std::array<std::uint16_t, 8> words{
      infinity, infinity | 0x8000, infinity | 1, infinity | 0x800f, infinity | 8, 0, infinity - 0x40, 0x8000};
  constexpr std::array<Bits, 4> middles{Bits{infinity} << down, (Bits{infinity} << down) + 0x12345, ~Bits{0},
                                        Bits{infinity - 0x30} << down};
  Bytes chunk{std::byte{0x0f}};
  const auto put = [&](const auto& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    chunk.insert(chunk.end(), bytes, bytes + sizeof value);
  };
  for (const Bits middle : middles) {
    put(std::uint8_t{16});  // the length: words of two bytes
    put(middle);
    const std::size_t n = middle == middles.back() ? 8 : 128;
    chunk.resize(chunk.size() + n / 4);  // no byte is left out
    for (std::size_t i = 0; i < n; ++i) put(words[i % words.size()]);
  }
  Bytes frame(wire::header_bytes);
  const auto size = static_cast<std::uint32_t>(chunk.size());
  wire::Header header;
  header.codec = codec.id();
  header.dtype = dtype_of<T>;
  header.count = 3 * 128 + 8;
  header.payload = size + sizeof size;
  wire::write_header(header, frame);
  const auto* index = reinterpret_cast<const std::byte*>(&size);
  frame.insert(frame.end(), index, index + sizeof size);
  frame.insert(frame.end(), chunk.begin(), chunk.end());
  return frame;
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
      {"szx_f32_not_finite", "szx", not_finite<float>},
      {"szx_f64_not_finite", "szx", not_finite<double>},
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
      {"zfp_f32_walk", "zfp", encoded<float>(Kind::walk, 4103, 0x1p-7, 4)},
      {"zfp_f64_walk", "zfp", encoded<double>(Kind::walk, 230, 1e-12, 8)},
      {"zfp_f64_huge_range", "zfp", encoded<double>(Kind::huge_range, 210, 1e290, 1)},
      {"zfp_f32_special", "zfp", encoded<float>(Kind::special, 400, 1e-3, 2)},
      {"zfp_f32_sparse", "zfp", encoded<float>(Kind::sparse, 257, 0.3, 2)},
      {"zfp_f32_rate", "zfp", at_rate<float>(Kind::normal, 331, 7.25)},
      {"zfp_f64_rate", "zfp", at_rate<double>(Kind::walk, 131, 21)},
      {"zfp_f32_lowest_rate", "zfp", at_rate<float>(Kind::walk, 402, 2.25)},
      {"zfp_f64_exact", "zfp", encoded<double>(Kind::normal, 9, 0, 1)},
      {"zfp_f64_sum", "zfp", summed<double>(Kind::walk, 103, 1e-5, Op::sum)},
      {"zfp_f32_empty", "zfp", encoded<float>(Kind::zero, 0, 1e-3, 2)},
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
