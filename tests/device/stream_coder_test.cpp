// SPDX-License-Identifier: BSD-3-Clause
// The functions *_on_stream of laconic/codec.h: the bytes of the host's functions, without a wait in between.
#include "device/on_stream.hpp"
#include "device/scratch.hpp"
#include "wire/frame.hpp"

namespace laconic::test {
namespace {

class StreamCoding : public DeviceTest {};

std::vector<Way> ways(Dtype dtype) {
  std::vector<Way> all{
      {LACONIC_CODEC_QUANT, "abs:1e-3"}, {LACONIC_CODEC_QUANT, "abs:1e-2", LACONIC_REDUCTION_MAX},
      {LACONIC_CODEC_QUANT, "rms:1e-2"}, {LACONIC_CODEC_QUANT, "rms:0.5", LACONIC_REDUCTION_MIN},
      {LACONIC_CODEC_QUANT, "lossless"}, {LACONIC_CODEC_RAW, "lossless", LACONIC_REDUCTION_MIN},
  };
#ifdef LACONIC_HAVE_ZFP
  if (SingleAndDouble::has(dtype)) {
    all.push_back({LACONIC_CODEC_ZFP, "rate:8"});
    all.push_back({LACONIC_CODEC_ZFP, "rate:11.25", LACONIC_REDUCTION_MAX});
  }
#endif
  (void)dtype;
  return all;
}

// Encodes two arrays, folds, adds and decodes, all of it enqueued before anything is waited for.
template <class T>
void follow_each_other(const HeldCoder& coder, const std::vector<T>& x, const std::vector<T>& y) {
  const std::size_t count = x.size();
  const Bytes of_x = coder.encode(x), of_y = coder.encode(y);
  const Bytes folded = coder.fold(of_x, y);
  const Bytes sum = coder.add(folded, of_y, count);
  std::vector<T> expected(count);
  ASSERT_TRUE(coder.decode(sum, expected, 3)) << laconic_codec_error();

  const OwnStream stream;
  const There x_there(x), y_there(y), numbers(x);
  const std::size_t capacity = coder.capacity(count);
  const There frame_x(capacity), frame_y(capacity), frame_folded(capacity), frame_sum(capacity);
  const ResultThere results[5];
  ASSERT_EQ(laconic_coder_encode_on_stream(coder, x_there.get(), count, frame_x.get(), capacity, results[0], stream),
            LACONIC_OK)
      << laconic_codec_error();
  ASSERT_EQ(laconic_coder_encode_on_stream(coder, y_there.get(), count, frame_y.get(), capacity, results[1], stream),
            LACONIC_OK)
      << laconic_codec_error();
  ASSERT_EQ(laconic_coder_fold_on_stream(coder, frame_x.get(), capacity, y_there.get(), count, frame_folded.get(),
                                         capacity, results[2], stream),
            LACONIC_OK)
      << laconic_codec_error();
  ASSERT_EQ(laconic_coder_add_on_stream(coder, frame_folded.get(), capacity, frame_y.get(), capacity, count,
                                        frame_sum.get(), capacity, results[3], stream),
            LACONIC_OK)
      << laconic_codec_error();
  ASSERT_EQ(
      laconic_coder_decode_on_stream(coder, frame_sum.get(), capacity, numbers.get(), count, 3, results[4], stream),
      LACONIC_OK)
      << laconic_codec_error();
  stream.wait();
  for (const ResultThere& result : results) ASSERT_EQ(result.check(), LACONIC_OK) << laconic_codec_error();
  ASSERT_EQ(frame_x.first(results[0].get().bytes), of_x);
  ASSERT_EQ(frame_folded.first(results[2].get().bytes), folded);
  ASSERT_EQ(frame_sum.first(results[3].get().bytes), sum);
  ASSERT_EQ(results[4].get().bytes, sum.size());
  ASSERT_TRUE(same_bits(numbers.template as<T>(), expected));
  if (count == 0) return;
  wire::Header header;
  ASSERT_TRUE(wire::read_header(sum, header).ok());
  EXPECT_EQ(results[3].get().error, header.error);
  EXPECT_EQ(results[4].get().error, header.error);
}

template <class T>
void writes_the_bytes_of_the_host() {
  std::uint64_t seed = base_seed();
  for (const Way& way : ways(dtype_of<T>)) {
    const HeldCoder coder(coding_of<T>(way));
    for (const std::size_t count : {0, 1, 3, 777, 1024, 5000, 20001})
      for (const Kind kind : {Kind::walk, Kind::special}) {
        SCOPED_TRACE(std::string(way.bound) + ", count " + std::to_string(count) + ", " + name_of(kind) + ", " +
                     seed_note());
        ++seed;
        ASSERT_NO_FATAL_FAILURE(
            follow_each_other(coder, make_field<T>(kind, count, seed, 0), make_field<T>(Kind::normal, count, seed, 1)));
      }
  }
}
TEST_F(StreamCoding, WritesTheBytesOfTheHostFloat) { writes_the_bytes_of_the_host<float>(); }
TEST_F(StreamCoding, WritesTheBytesOfTheHostDouble) { writes_the_bytes_of_the_host<double>(); }
TEST_F(StreamCoding, WritesTheBytesOfTheHostFloat16) { writes_the_bytes_of_the_host<Float16>(); }
TEST_F(StreamCoding, WritesTheBytesOfTheHostBfloat16) { writes_the_bytes_of_the_host<Bfloat16>(); }

// Enough blocks that kernels look back over the index.
TEST_F(StreamCoding, LongFrames) {
  const std::size_t count = 1030 * std::size_t{1024} + 77;
  const HeldCoder coder(coding_of<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}));
  follow_each_other(coder, make_field<float>(Kind::walk, count, base_seed(), 0),
                    make_field<float>(Kind::walk, count, base_seed(), 1));
}

TEST_F(StreamCoding, RawTakesIntegers) {
  std::vector<std::int16_t> x(5001), y(5001);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<std::int16_t>(i * 31);
    y[i] = static_cast<std::int16_t>(i * 17);
  }
  laconic_coding coding = coding_of<float>({LACONIC_CODEC_RAW, "lossless"});
  coding.dtype = LACONIC_INT16;
  const HeldCoder coder(coding);
  follow_each_other(coder, x, y);
}

// The frames of a bound relative to the range of an array can be decoded, with whatever step they have.
TEST_F(StreamCoding, DecodesOtherSteps) {
  const auto x = make_field<float>(Kind::walk, 3000, base_seed());
  const HeldCoder there(coding_of<float>({LACONIC_CODEC_QUANT, "abs:1"}));
  const OwnStream stream;
  for (const char* bound : {"rel:1e-3", "abs:1e-2", "lossless"}) {
    SCOPED_TRACE(bound);
    const HeldCoder coder(coding_of<float>({LACONIC_CODEC_QUANT, bound}));
    const Bytes frame = coder.encode(x);
    std::vector<float> expected(x.size());
    ASSERT_TRUE(coder.decode(frame, expected));
    for (const laconic_coder c : {laconic_coder(there), laconic_coder(coder)}) {
      const There frame_there(frame), numbers(x);
      const ResultThere result;
      ASSERT_EQ(laconic_coder_decode_on_stream(c, frame_there.get(), frame_there.size(), numbers.get(), x.size(), 1,
                                               result, stream),
                LACONIC_OK)
          << laconic_codec_error();
      stream.wait();
      ASSERT_EQ(result.check(), LACONIC_OK) << laconic_codec_error();
      ASSERT_EQ(numbers.as<float>(), expected);
    }
  }
}

// Every bit of the header of a frame, which stands at the end of its memory.  The device accepts what the host accepts.
template <class T>
void damaged_headers(const Way& way) {
  SCOPED_TRACE(std::string(way.bound) + ", " + seed_note());
  const HeldCoder coder(coding_of<T>(way));
  const std::size_t count = 1500;
  const auto x = make_field<T>(Kind::walk, count, base_seed(), 0);
  const Bytes good = coder.encode(x);
  const There good_there(good), x_there(x), numbers(x);
  There bad_there(good);
  const std::size_t capacity = coder.capacity(count);
  const There out(capacity), next(capacity);
  const OwnStream stream;
  const ResultThere decoded, folded, first, second, after;
  std::vector<T> ignored(count);
  for (std::size_t bit = 0; bit < 8 * wire::header_bytes; ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit % 8) + " of byte " + std::to_string(bit / 8));
    if (sanitized && bit % 3 != 0) continue;
    Bytes bad = good;
    bad[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
    bad_there.set(bad.data());
    ASSERT_EQ(
        laconic_coder_decode_on_stream(coder, bad_there.get(), bad.size(), numbers.get(), count, 1, decoded, stream),
        LACONIC_OK);
    ASSERT_EQ(laconic_coder_add_on_stream(coder, bad_there.get(), bad.size(), good_there.get(), good.size(), count,
                                          out.get(), capacity, first, stream),
              LACONIC_OK);
    ASSERT_EQ(laconic_coder_add_on_stream(coder, good_there.get(), good.size(), bad_there.get(), bad.size(), count,
                                          out.get(), capacity, second, stream),
              LACONIC_OK);
    ASSERT_EQ(laconic_coder_fold_on_stream(coder, bad_there.get(), bad.size(), x_there.get(), count, out.get(),
                                           capacity, folded, stream),
              LACONIC_OK);
    ASSERT_EQ(laconic_coder_fold_on_stream(coder, out.get(), capacity, x_there.get(), count, next.get(), capacity,
                                           after, stream),
              LACONIC_OK);
    stream.wait();
    EXPECT_EQ(decoded.check() == LACONIC_OK, coder.decode(bad, ignored)) << laconic_codec_error();
    EXPECT_EQ(first.check() == LACONIC_OK, !coder.add(bad, good, count).empty()) << laconic_codec_error();
    EXPECT_EQ(second.check() == LACONIC_OK, !coder.add(good, bad, count).empty()) << laconic_codec_error();
    const Bytes fold = coder.fold(bad, x);
    ASSERT_EQ(folded.check(), fold.empty() ? LACONIC_ERROR_FRAME : LACONIC_OK) << laconic_codec_error();
    ASSERT_EQ(after.check(), folded.check())
        << "what is made of a frame that could not be made: " << laconic_codec_error();
    if (!fold.empty()) continue;
    wire::Header failed;
    ASSERT_TRUE(wire::read_header(out.first(folded.get().bytes), failed).ok());
    EXPECT_TRUE(failed.failed() && failed.count == count && failed.dtype == dtype_of<T>);
    ASSERT_NE(after.check(), LACONIC_OK);
    EXPECT_NE(std::string(laconic_codec_error()).find("could not be produced"), std::string::npos);
  }
}
TEST_F(StreamCoding, DamagedHeadersOfQuant) { damaged_headers<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}); }
TEST_F(StreamCoding, DamagedHeadersOfScaledQuant) { damaged_headers<double>({LACONIC_CODEC_QUANT, "rms:1e-2"}); }
TEST_F(StreamCoding, DamagedHeadersOfRaw) { damaged_headers<Float16>({LACONIC_CODEC_RAW, "lossless"}); }
#ifdef LACONIC_HAVE_ZFP
TEST_F(StreamCoding, DamagedHeadersOfZfp) { damaged_headers<float>({LACONIC_CODEC_ZFP, "rate:8"}); }
#endif

// Damage behind the header, and memory that ends before the frame does.
TEST_F(StreamCoding, DamagedBodies) {
  SCOPED_TRACE(seed_note());
  Random random(base_seed());
  for (const Way& way : ways(Dtype::f32)) {
    SCOPED_TRACE(way.bound);
    const HeldCoder coder(coding_of<float>(way));
    const std::size_t count = 3000;
    const auto x = make_field<float>(Kind::walk, count, base_seed());
    const Bytes good = coder.encode(x);
    const There numbers(x);
    const OwnStream stream;
    const ResultThere result;
    std::vector<float> expected(count);
    for (int round = 0; round < 20; ++round) {
      Bytes bad = good;
      for (int k = 0; k < 3; ++k)
        bad[32 + random.below(round % 2 == 0 ? 12 : bad.size() - 32)] = std::byte(random.below(256));
      const There there(bad);
      ASSERT_EQ(laconic_coder_decode_on_stream(coder, there.get(), bad.size(), numbers.get(), count, 1, result, stream),
                LACONIC_OK);
      stream.wait();
      const bool valid = coder.decode(bad, expected);
      ASSERT_EQ(result.check() == LACONIC_OK, valid) << laconic_codec_error();
      if (valid) {
        ASSERT_TRUE(same_bits(numbers.as<float>(), expected));
      }
    }
    const Bytes cut(good.begin(), good.end() - 8);
    const There there(cut);
    const int asked =
        laconic_coder_decode_on_stream(coder, there.get(), cut.size(), numbers.get(), count, 1, result, stream);
    stream.wait();
    EXPECT_EQ(asked == LACONIC_OK ? result.check() : asked, LACONIC_ERROR_FRAME) << laconic_codec_error();
  }
}

}  // namespace
}  // namespace laconic::test
