// SPDX-License-Identifier: BSD-3-Clause
// The kernels of zfp, compared with the codec on the host: the same bytes written, the same numbers read, the same
// errors.
#ifdef LACONIC_HAVE_ZFP

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/combine.hpp"
#include "codec/device_codec.hpp"
#include "codec/zfp/cuda/shape.hpp"
#include "device/scratch.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using zfp::piece_values;

const Codec& host() { return *find_codec("zfp"); }
const DeviceCodec& kernels() { return *host().on_device(); }

Coding at_rate(Dtype dtype, double rate, std::uint32_t terms = 1, Op op = Op::sum) {
  Coding coding;
  coding.dtype = dtype;
  coding.rate = rate;
  coding.terms = terms;
  coding.op = op;
  return coding;
}

// An array on the device that begins `shift` numbers after an aligned address.
template <class T>
class Array {
 public:
  explicit Array(const std::vector<T>& x, std::size_t shift = 0)
      : shift_(shift), count_(x.size()), bytes_((x.size() + shift) * sizeof(T)) {
    std::vector<T> all(shift, T(1));
    all.insert(all.end(), x.begin(), x.end());
    if (!all.empty()) bytes_.write(all.data());
  }
  T* get() const { return reinterpret_cast<T*>(bytes_.get()) + shift_; }
  std::vector<T> read() const {
    std::vector<T> all(count_ + shift_);
    if (!all.empty()) bytes_.read(all.data(), all.size() * sizeof(T));
    return {all.begin() + static_cast<std::ptrdiff_t>(shift_), all.end()};
  }

 private:
  std::size_t shift_;
  std::size_t count_;
  DeviceBytes bytes_;
};

// Memory for a frame that begins `shift` bytes off alignment, with guard bytes on both sides.
class Room {
 public:
  Room(std::size_t capacity, std::size_t shift) : shift_(shift), size_(capacity + shift + margin), bytes_(size_) {
    const std::vector<std::byte> watched(size_, std::byte{0xa5});
    bytes_.write(watched.data());
  }
  std::byte* get() const { return bytes_.get() + shift_; }

  Bytes frame(std::size_t size) const {
    std::vector<std::byte> all(size_);
    bytes_.read(all.data(), size_);
    const auto untouched = [](std::byte b) { return b == std::byte{0xa5}; };
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(shift_);
    EXPECT_TRUE(std::all_of(all.begin(), begin, untouched)) << "bytes before the frame were written";
    EXPECT_TRUE(std::all_of(all.end() - margin, all.end(), untouched)) << "bytes behind its room were written";
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }

 private:
  static constexpr std::ptrdiff_t margin = 16;
  std::size_t shift_;
  std::size_t size_;
  DeviceBytes bytes_;
};

DeviceFrame device_frame(const Bytes& frame, const std::byte* there) {
  DeviceFrame in{there, frame.size(), {}};
  EXPECT_TRUE(wire::read_header(frame, in.header).ok());
  return in;
}

class ZfpOnDevice : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) queue_ = std::make_unique<OneQueue>();
  }

  void TearDown() override {
    if (queue_ != nullptr) expect_clean_workspace();
  }

  // Values that other kernels take for epochs must not be left in the workspace.
  void expect_clean_workspace() {
    Status status;
    queue_->reached(status);
    const Workspace& workspace = queue_->workspace(1);
    ASSERT_TRUE(queue_->reached(status) && status.ok()) << status.message();  // it may be newly made
    std::vector<std::uint64_t> words(workspace.count);
    must(cudaMemcpy(words.data(), workspace.words, words.size() * sizeof(std::uint64_t), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], 0u) << "word " << i << " was left";
  }

  // The status of the launched work, from its report; `asked` itself if it is not ok.
  Status finish(const Status& asked) {
    if (!asked.ok()) return asked;
    Status status;
    queue_->reached(status);
    EXPECT_TRUE(status.ok()) << status.message();
    return kernels().status(report_of(*queue_)->fault);
  }

  Bytes frame_of(const Room& room) {
    const Report& report = *report_of(*queue_);
    const Bytes frame = room.frame(report.bytes);
    EXPECT_EQ(std::memcmp(frame.data(), report.header, sizeof report.header), 0);
    return frame;
  }

  template <class T>
  Bytes encode_there(const std::vector<T>& x, const Coding& coding, std::size_t shift = 0) {
    const Array<T> numbers(x, shift);
    const Room room(host().capacity(x.size(), coding.dtype), shift);
    const Status s = finish(kernels().encode(numbers.get(), x.size(), coding, room.get(), *queue_));
    EXPECT_TRUE(s.ok()) << s.message();
    return frame_of(room);
  }

  // Compares the frames and numbers of both, for every function with these numbers.
  template <class T>
  void compare(const std::vector<T>& x, const std::vector<T>& other, const Coding& coding, std::size_t shift) {
    const Bytes expected = encode(host(), x, coding);
    ASSERT_EQ(encode_there(x, coding, shift), expected) << "encode";
    const Bytes second = encode(host(), other, coding);
    const Array<T> own(other, shift);
    DeviceBytes first_there(expected.size());
    first_there.write(expected.data());
    DeviceBytes second_there(second.size());
    second_there.write(second.data());
    const DeviceFrame in = device_frame(expected, first_there.get());
    const std::size_t capacity = host().capacity(x.size(), coding.dtype);
    {
      const Room room(capacity, shift);
      const Status s = finish(kernels().fold(in, own.get(), x.size(), coding, room.get(), *queue_));
      ASSERT_TRUE(s.ok()) << s.message();
      ASSERT_EQ(frame_of(room), fold(host(), expected, other, coding)) << "fold";
    }
    {
      const Room room(capacity, shift);
      const DeviceFrame b = device_frame(second, second_there.get());
      const Status s = finish(kernels().add(in, b, x.size(), coding, room.get(), *queue_));
      ASSERT_TRUE(s.ok()) << s.message();
      ASSERT_EQ(frame_of(room), add(host(), expected, second, x.size(), coding)) << "add";
    }
    compare_reading(in, expected, other, coding, shift);
  }

  template <class T>
  void compare_reading(const DeviceFrame& in, const Bytes& frame, const std::vector<T>& other, Coding coding,
                       std::size_t shift) {
    coding.divisor = shift == 0 ? 1 : 3;
    const std::vector<T> numbers = decode<T>(host(), frame, other.size(), coding);
    const Array<T> out(other, shift);
    Status s = finish(kernels().decode(in, out.get(), other.size(), coding, *queue_));
    ASSERT_TRUE(s.ok()) << s.message();
    ASSERT_TRUE(equal(out.read(), numbers)) << "decode";
    const Array<T> both(other, shift);  // the result overwrites one of the two
    s = finish(kernels().decode_reduce(in, both.get(), both.get(), other.size(), coding, *queue_));
    ASSERT_TRUE(s.ok()) << s.message();
    std::vector<T> combined = other;
    combine(coding.op, combined.data(), numbers.data(), numbers.size());
    ASSERT_TRUE(equal(both.read(), combined)) << "decode and combine";
  }

  template <class T>
  static bool equal(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
  }

  template <class T>
  void compare_kinds() {
    Random random(base_seed());
    const double rates[] = {0.1, 3, 4, 5.25, 8, 12, 16, 24.75, 31.75, 32, 47, 63.75, 64};
    std::uint64_t seed = base_seed();
    for (const NamedKind& kind : all_kinds)
      for (const std::size_t count : {std::size_t{1}, std::size_t{6}, std::size_t{1027}, 2 * piece_values + 2051}) {
        const double rate = rates[random.below(std::size(rates))];
        const auto terms = static_cast<std::uint32_t>(1 + random.below(3));
        const auto op = static_cast<Op>(random.below(3));
        SCOPED_TRACE(seed_note() + ": " + std::string(kind.name) + ", " + std::to_string(count) + " numbers at " +
                     std::to_string(rate) + ", op " + std::to_string(static_cast<int>(op)));
        const auto x = make_field<T>(kind.kind, count, ++seed);
        const auto other = make_field<T>(kind.kind, count, ++seed);
        ASSERT_NO_FATAL_FAILURE(compare(x, other, at_rate(dtype_of<T>, rate, terms, op), random.below(4)));
      }
  }

  // Blocks of every possible length, in frames that begin at any offset.
  template <class T>
  void compare_rates() {
    std::size_t turn = 0;
    for (double rate = 2.25; rate <= 8 * sizeof(T); rate += 0.25, ++turn) {
      SCOPED_TRACE(std::to_string(rate));
      const std::size_t count = turn % 8 == 0 ? piece_values + 700 : 1030 + turn % 61;
      const auto x = make_field<T>(turn % 2 == 0 ? Kind::real : Kind::normal, count, turn);
      const Coding coding = at_rate(dtype_of<T>, rate);
      const Bytes frame = encode_there(x, coding, turn % 4);
      ASSERT_EQ(frame, encode(host(), x, coding));
    }
  }

  // Which pieces are raw is known only after coding; the other pieces then move up behind them.
  template <class T>
  void compare_raw_pieces() {
    constexpr std::size_t pieces = 4;
    const Coding coding = at_rate(dtype_of<T>, 8);
    for (unsigned raw = 0; raw < 1u << pieces; ++raw) {
      SCOPED_TRACE("raw pieces " + std::to_string(raw));
      auto x = make_field<T>(Kind::walk, pieces * piece_values - 500, raw);
      for (std::size_t p = 0; p < pieces; ++p)
        if ((raw >> p & 1) != 0)
          x[p * piece_values + (p * 1000 + raw * 77) % 3000] = std::numeric_limits<T>::quiet_NaN();
      ASSERT_EQ(encode_there(x, coding, raw % 4), encode(host(), x, coding));
    }
  }

  std::unique_ptr<OneQueue> queue_;
};

TEST_F(ZfpOnDevice, WritesAndReadsWhatTheHostDoesOfFloats) { compare_kinds<float>(); }
TEST_F(ZfpOnDevice, WritesAndReadsWhatTheHostDoesOfDoubles) { compare_kinds<double>(); }
TEST_F(ZfpOnDevice, WritesEveryRateOfFloats) { compare_rates<float>(); }
TEST_F(ZfpOnDevice, WritesEveryRateOfDoubles) { compare_rates<double>(); }
TEST_F(ZfpOnDevice, MovesPiecesBehindRawOnesOfFloats) { compare_raw_pieces<float>(); }
TEST_F(ZfpOnDevice, MovesPiecesBehindRawOnesOfDoubles) { compare_raw_pieces<double>(); }

// The largest number for which a sum of three has room is coded; the next larger one makes its piece raw.
TEST_F(ZfpOnDevice, CodesNumbersUpToTheLargest) {
  const Coding coding = at_rate(Dtype::f32, 31, 3);
  const float largest = std::numeric_limits<float>::max() / 3;
  std::vector<float> x(200);
  x[17] = largest;
  x[18] = -largest;
  const Bytes coded = encode(host(), x, coding);
  EXPECT_EQ(encode_there(x, coding), coded);
  x[18] = std::nextafter(x[18], -std::numeric_limits<float>::max());
  const Bytes raw = encode(host(), x, coding);
  EXPECT_EQ(encode_there(x, coding), raw);
  EXPECT_GT(raw.size(), coded.size());
}

// More pieces than one thread block has; raw ones in the first move those of the others.
TEST_F(ZfpOnDevice, SettlesManyPieces) {
  constexpr std::size_t count = 300 * piece_values + 9;
  auto x = make_field<float>(Kind::sparse, count, base_seed());
  const auto other = make_field<float>(Kind::walk, count, base_seed());
  for (const std::size_t piece : {std::size_t{3}, std::size_t{255}, std::size_t{256}, std::size_t{290}})
    x[piece * piece_values] = std::numeric_limits<float>::infinity();
  ASSERT_NO_FATAL_FAILURE(compare<float>(x, other, at_rate(Dtype::f32, 4), 1));
}

// A size that is wrong is found by the thread block of the last piece, whatever piece it is of; the next frame is read.
TEST_F(ZfpOnDevice, FindsFaultsInTheSizesOfManyPieces) {
  const Coding coding = at_rate(Dtype::f32, 4);
  const auto x = make_field<float>(Kind::walk, 300 * piece_values, base_seed());
  const Bytes good = encode(host(), x, coding);
  const Array<float> out(x);
  const Room room(host().capacity(x.size(), Dtype::f32), 0);
  for (const std::size_t piece : {std::size_t{0}, std::size_t{256}}) {
    SCOPED_TRACE("piece " + std::to_string(piece));
    Bytes bad = good;
    bad[zfp::Shape::index_at() + zfp::size_bytes * piece] ^= std::byte{1};
    std::vector<float> numbers(x.size());
    const Status expected = host().decode(bad, numbers.data(), x.size(), coding);
    ASSERT_FALSE(expected.ok());
    for (const Bytes* bytes : {&std::as_const(bad), &good}) {
      DeviceBytes there(bytes->size());
      there.write(bytes->data());
      const DeviceFrame in = device_frame(*bytes, there.get());
      const std::string message = bytes == &bad ? expected.message() : "";
      EXPECT_EQ(finish(kernels().decode(in, out.get(), x.size(), coding, *queue_)).message(), message);
      EXPECT_EQ(finish(kernels().fold(in, out.get(), x.size(), coding, room.get(), *queue_)).message(), message);
      expect_clean_workspace();
    }
  }
}

TEST_F(ZfpOnDevice, WritesAndReadsNoNumbers) {
  const Coding coding = at_rate(Dtype::f64, 8);
  ASSERT_NO_FATAL_FAILURE(compare<double>({}, {}, coding, 0));
}

// More arrays than one launch takes, of different lengths, including empty ones.
TEST_F(ZfpOnDevice, WritesManyArraysAtOnce) {
  const Coding coding = at_rate(Dtype::f32, 6);
  constexpr std::size_t arrays = 70;
  Report* reports = nullptr;
  must(cudaHostAlloc(&reports, arrays * sizeof(Report), cudaHostAllocMapped));
  std::vector<std::vector<float>> x;
  std::vector<std::unique_ptr<Array<float>>> there;
  std::vector<std::unique_ptr<Room>> rooms;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < arrays; ++i) {
    reports[i] = {};
    x.push_back(make_field<float>(i % 5 == 0 ? Kind::special : Kind::walk, i % 7 * 911, i));
    there.push_back(std::make_unique<Array<float>>(x[i], i % 4));
    rooms.push_back(std::make_unique<Room>(host().capacity(x[i].size(), Dtype::f32), i % 3));
    pieces.push_back({there[i]->get(), x[i].size(), rooms[i]->get(), &reports[i]});
  }
  const Status s = finish(kernels().encode_pieces(pieces, coding, *queue_));
  ASSERT_TRUE(s.ok()) << s.message();
  for (std::size_t i = 0; i < arrays; ++i) {
    ASSERT_EQ(reports[i].fault, 0u);
    ASSERT_EQ(rooms[i]->frame(reports[i].bytes), encode(host(), x[i], coding)) << "array " << i;
  }
  cudaFreeHost(reports);
}

// For every defect of a frame, the host gives the same error message; nothing is read beyond the end of the frame.
TEST_F(ZfpOnDevice, RefusesWhatTheHostRefuses) {
  Random random(base_seed() + 5);
  const std::size_t count = 2 * piece_values + 300;
  const Coding coding = at_rate(Dtype::f32, 7);
  const auto x = make_field<float>(Kind::special, count, base_seed());
  const Bytes good = encode(host(), x, coding);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    Bytes bad = good;
    const std::size_t at = 32 + random.below(i % 2 == 0 ? 12 : good.size() - 32);
    bad[at] ^= static_cast<std::byte>(1u << random.below(8));
    if (i % 5 == 0) bad.resize(32 + random.below(good.size() - 32));
    if (i % 7 == 0) bad.insert(bad.end(), 1 + random.below(5), std::byte{0});
    const auto payload = static_cast<std::uint32_t>(bad.size() - 32);
    std::memcpy(bad.data() + 12, &payload, 4);
    std::vector<float> numbers(count);
    const Status expected = host().decode(bad, numbers.data(), count, coding);
    DeviceBytes there(bad.size());
    there.write(bad.data());
    const Array<float> out(x);
    const DeviceFrame in = device_frame(bad, there.get());
    const Status s = finish(kernels().decode(in, out.get(), count, coding, *queue_));
    ASSERT_EQ(s.code(), expected.code()) << seed_note() << ": " << i << ": " << s.message();
    ASSERT_EQ(s.message(), expected.message()) << seed_note() << ": " << i;
    if (expected.ok()) {
      ASSERT_TRUE(equal(out.read(), numbers)) << seed_note() << ": " << i;
      continue;
    }
    ++refused;
    const Room room(host().capacity(count, Dtype::f32), 0);
    const Status folded = finish(kernels().fold(in, out.get(), count, coding, room.get(), *queue_));
    ASSERT_EQ(folded.message(), expected.message()) << seed_note() << ": fold " << i;
    if (refused % 4 != 0) continue;
    DeviceBytes good_there(good.size());
    good_there.write(good.data());
    const DeviceFrame other = device_frame(good, good_there.get());
    const bool first = refused % 8 == 0;
    const Status added =
        finish(kernels().add(first ? in : other, first ? other : in, count, coding, room.get(), *queue_));
    ASSERT_EQ(added.message(), expected.message()) << seed_note() << ": add " << i;
    expect_clean_workspace();
  }
  EXPECT_GT(refused, 60);
}

// The kernels of quant keep epochs in the same workspace: neither kernel is affected by the other.
TEST_F(ZfpOnDevice, SharesTheWorkspaceWithQuant) {
  const Codec& quant = *find_codec("quant");
  const Coding lattice = coding_for<float>(1e-3);
  for (std::size_t i = 0; i < 12; ++i) {
    const std::size_t count = 3000 + i * 1711 % 9000;
    const auto x = make_field<float>(Kind::special, count, i);
    const auto other = make_field<float>(Kind::walk, count, i);
    ASSERT_NO_FATAL_FAILURE(compare(x, other, at_rate(Dtype::f32, 9), 0)) << i;
    const Array<float> there(x);
    const Room room(quant.capacity(count, Dtype::f32), 0);
    must(quant.on_device()->encode(there.get(), count, lattice, room.get(), *queue_));
    Status status;
    queue_->reached(status);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(room.frame(report_of(*queue_)->bytes), encode(quant, x, lattice)) << i;
    *report_of(*queue_) = {};
  }
  queue_ = nullptr;  // with the epochs of quant in its workspace
}

// Words that kernels of other codecs have left are not read, by any kernel and for frames with faults, either.
TEST_F(ZfpOnDevice, WritesWordsOfTheWorkspaceBeforeItReadsThem) {
  const Coding coding = at_rate(Dtype::f32, 8);
  const std::size_t largest = 3 * piece_values + 5;
  const auto fill = [&] {
    const Workspace& workspace = queue_->workspace(kernels().workspace_words(largest, Dtype::f32));
    std::vector<std::uint64_t> words(workspace.count - Workspace::first_free);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = 0x0000000500000100 + i;
    Status status;
    ASSERT_TRUE(queue_->reached(status) && status.ok()) << status.message();
    must(cudaMemcpy(workspace.words + Workspace::first_free, words.data(), words.size() * sizeof(std::uint64_t),
                    cudaMemcpyHostToDevice));
  };
  for (const std::size_t count : {std::size_t{0}, std::size_t{7}, std::size_t{1500}, largest}) {
    SCOPED_TRACE(std::to_string(count) + " numbers");
    const auto x = make_field<float>(Kind::special, count, base_seed());
    const auto other = make_field<float>(Kind::walk, count, base_seed());
    ASSERT_NO_FATAL_FAILURE(fill());
    ASSERT_EQ(encode_there(x, coding), encode(host(), x, coding));
    ASSERT_NO_FATAL_FAILURE(fill());
    ASSERT_NO_FATAL_FAILURE(compare(x, other, coding, 0));
    Bytes bad = encode(host(), x, coding);
    bad.push_back(std::byte{0});
    const auto payload = static_cast<std::uint32_t>(bad.size() - wire::header_bytes);
    std::memcpy(bad.data() + wire::payload_offset, &payload, sizeof payload);
    DeviceBytes there(bad.size());
    there.write(bad.data());
    const Array<float> own(other);
    const Room room(host().capacity(count, Dtype::f32), 0);
    ASSERT_NO_FATAL_FAILURE(fill());
    ASSERT_FALSE(
        finish(kernels().fold(device_frame(bad, there.get()), own.get(), count, coding, room.get(), *queue_)).ok());
    ASSERT_NO_FATAL_FAILURE(fill());
    ASSERT_FALSE(finish(kernels().decode(device_frame(bad, there.get()), own.get(), count, coding, *queue_)).ok());
  }
  queue_ = nullptr;  // with other words in its workspace
}

TEST_F(ZfpOnDevice, LeavesToTheHostWhatHasNoRate) {
  EXPECT_FALSE(kernels().supports(coding_for<float>(1e-3)));
  EXPECT_FALSE(kernels().supports(coding_for<float>(0)));
  EXPECT_FALSE(kernels().supports(at_rate(Dtype::bf16, 8)));
  EXPECT_TRUE(kernels().supports(at_rate(Dtype::f64, 0.1)));
  std::byte none{};
  EXPECT_EQ(kernels().encode(nullptr, 4, coding_for<float>(1e-3), &none, *queue_).code(), Code::argument);
}

}  // namespace
}  // namespace laconic::test

#endif
