// SPDX-License-Identifier: BSD-3-Clause
// The functions *_on_stream of laconic/codec.h in CUDA graphs, and the calls that they refuse.
#include <memory>

#include "device/on_stream.hpp"
#include "device/scratch.hpp"

namespace laconic::test {
namespace {

class StreamGraph : public DeviceTest {};
class StreamRefusals : public DeviceTest {};

// A graph that has been captured from a stream.
class Graph {
 public:
  explicit Graph(cudaStream_t stream) : stream_(stream) {
    must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  }
  ~Graph() {
    cudaGraphExecDestroy(exec_);
    cudaGraphDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void end() {
    must(cudaStreamEndCapture(stream_, &graph_));
    must(cudaGraphInstantiate(&exec_, graph_, 0));
  }
  void launch() const {
    must(cudaGraphLaunch(exec_, stream_));
    must(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// The graph sums two arrays: encode, fold, decode.
template <class T>
void replays(const Way& way) {
  SCOPED_TRACE(std::string(way.bound) + ", " + seed_note());
  const HeldCoder coder(coding_of<T>(way));
  const std::size_t count = 12345, capacity = coder.capacity(count);
  const std::vector<T> zeros(count);
  There x_there(zeros), y_there(zeros);
  const There numbers(zeros), frame(capacity), sum(capacity);
  const ResultThere results[3];
  const OwnStream stream;
  ASSERT_EQ(laconic_coder_prepare_device(coder, count), LACONIC_OK) << laconic_codec_error();
  Graph graph(stream);
  EXPECT_EQ(laconic_coder_encode_on_stream(coder, x_there.get(), count, frame.get(), capacity, results[0], stream),
            LACONIC_OK)
      << laconic_codec_error();
  EXPECT_EQ(laconic_coder_fold_on_stream(coder, frame.get(), capacity, y_there.get(), count, sum.get(), capacity,
                                         results[1], stream),
            LACONIC_OK)
      << laconic_codec_error();
  EXPECT_EQ(laconic_coder_decode_on_stream(coder, sum.get(), capacity, numbers.get(), count, 2, results[2], stream),
            LACONIC_OK)
      << laconic_codec_error();
  graph.end();
  // A larger workspace takes the place of the one that the graph knows, and stays out of its way.
  ASSERT_EQ(laconic_coder_prepare_device(coder, 1 << 21), LACONIC_OK) << laconic_codec_error();
  EXPECT_EQ(results[0].get().written, 0u) << "what is captured has not run";
  std::uint64_t seed = base_seed();
  for (const Kind kind : {Kind::walk, Kind::special, Kind::normal}) {
    SCOPED_TRACE(name_of(kind));
    const auto x = make_field<T>(kind, count, ++seed, 0), y = make_field<T>(Kind::walk, count, seed, 1);
    x_there.set(x.data());
    y_there.set(y.data());
    graph.launch();
    for (const ResultThere& result : results) ASSERT_EQ(result.check(), LACONIC_OK) << laconic_codec_error();
    const Bytes of_x = coder.encode(x), of_both = coder.fold(of_x, y);
    std::vector<T> expected(count);
    ASSERT_TRUE(coder.decode(of_both, expected, 2));
    ASSERT_EQ(frame.first(results[0].get().bytes), of_x);
    ASSERT_EQ(sum.first(results[1].get().bytes), of_both);
    ASSERT_TRUE(same_bits(numbers.template as<T>(), expected));
    // Outside of the graph, too.
    ASSERT_EQ(laconic_coder_encode_on_stream(coder, y_there.get(), count, frame.get(), capacity, results[0], stream),
              LACONIC_OK);
    stream.wait();
    ASSERT_EQ(frame.first(results[0].get().bytes), coder.encode(y));
  }
}
TEST_F(StreamGraph, ReplaysQuantFloat) { replays<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}); }
TEST_F(StreamGraph, ReplaysQuantDouble) { replays<double>({LACONIC_CODEC_QUANT, "rms:1e-2"}); }
TEST_F(StreamGraph, ReplaysQuantFloat16) { replays<Float16>({LACONIC_CODEC_QUANT, "abs:1e-2"}); }
TEST_F(StreamGraph, ReplaysRaw) { replays<float>({LACONIC_CODEC_RAW, "lossless"}); }
#ifdef LACONIC_HAVE_ZFP
TEST_F(StreamGraph, ReplaysZfp) { replays<float>({LACONIC_CODEC_ZFP, "rate:8"}); }
#endif

TEST_F(StreamGraph, NeedsItsMemoryBeforehand) {
  const HeldCoder coder(coding_of<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}));
  const std::size_t few = 1000, many = 1 << 21;
  const There numbers(std::vector<float>(few, 1.0f)), frame(coder.capacity(many));
  const ResultThere result;
  const OwnStream stream;
  ASSERT_EQ(laconic_coder_prepare_device(coder, few), LACONIC_OK);
  Graph graph(stream);
  EXPECT_EQ(laconic_coder_encode_on_stream(coder, numbers.get(), many, frame.get(), frame.size(), result, stream),
            LACONIC_ERROR_ARGUMENT);
  EXPECT_NE(std::string(laconic_codec_error()).find("laconic_coder_prepare_device"), std::string::npos)
      << laconic_codec_error();
  EXPECT_EQ(laconic_coder_encode_on_stream(coder, numbers.get(), few, frame.get(), frame.size(), result, stream),
            LACONIC_OK)
      << laconic_codec_error();
  ASSERT_NO_THROW(graph.end()) << "the refused call must not end the capture";
  graph.launch();
  EXPECT_EQ(result.check(), LACONIC_OK) << laconic_codec_error();
}

// What `call` answers has this code, and a message that holds this text.
void expect_refused(int answer, int code, const char* text) {
  EXPECT_EQ(answer, code) << laconic_codec_error();
  EXPECT_NE(std::string(laconic_codec_error()).find(text), std::string::npos) << laconic_codec_error();
}

TEST_F(StreamRefusals, Codings) {
  const There memory(std::size_t{1} << 20);
  const ResultThere result;
  const auto encode = [&](const HeldCoder& coder, std::size_t count) {
    return laconic_coder_encode_on_stream(coder, memory.get(), count, memory.get(), memory.size(), result, nullptr);
  };
  const HeldCoder relative(coding_of<float>({LACONIC_CODEC_QUANT, "rel:1e-3"}));
  expect_refused(encode(relative, 10), LACONIC_ERROR_ARGUMENT, "abs:E with E = rel * (greatest - least)");
  expect_refused(laconic_coder_add_on_stream(relative, memory.get(), 100, memory.get(), 100, 10, memory.get(), 100,
                                             result, nullptr),
                 LACONIC_ERROR_ARGUMENT, "abs:E");
  for (const Way& way : {Way{LACONIC_CODEC_DENSE, "abs:1e-3"}, Way{LACONIC_CODEC_LOSSLESS, "lossless"},
                         Way{LACONIC_CODEC_QUANT, "block:1e-3"}}) {
    const HeldCoder coder(coding_of<float>(way));
    expect_refused(encode(coder, 10), LACONIC_ERROR_ARGUMENT, "quant with abs:E, rms:R");
    expect_refused(laconic_coder_prepare_device(coder, 10), LACONIC_ERROR_ARGUMENT, "quant with abs:E, rms:R");
  }
  const HeldCoder small(coding_of<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}, 1000));
  expect_refused(encode(small, 1001), LACONIC_ERROR_COUNT, "coding->frame_elements");
  expect_refused(laconic_coder_prepare_device(small, 1001), LACONIC_ERROR_COUNT, "coding->frame_elements");
}

TEST_F(StreamRefusals, Buffers) {
  const HeldCoder coder(coding_of<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}));
  const std::size_t count = 100, capacity = coder.capacity(count);
  const There numbers(std::vector<float>(count + 1, 1.0f)), frame(capacity + 8);
  std::vector<float> on_host(2000);
  const ResultThere result;
  auto* const bytes = static_cast<std::byte*>(frame.get());
  auto* const first = static_cast<std::byte*>(numbers.get());
  const auto encode = [&](const void* from, void* to, std::size_t room, laconic_stream_result* told) {
    return laconic_coder_encode_on_stream(coder, from, count, to, room, told, nullptr);
  };
  const auto decode = [&](const void* from, std::size_t room, void* to, double divisor) {
    return laconic_coder_decode_on_stream(coder, from, room, to, count, divisor, result, nullptr);
  };
  expect_refused(encode(nullptr, bytes, capacity, result), LACONIC_ERROR_ARGUMENT, "numbers is NULL");
  expect_refused(encode(on_host.data(), bytes, capacity, result), LACONIC_ERROR_ARGUMENT,
                 "numbers is memory of the host");
  expect_refused(encode(first + 2, bytes, capacity, result), LACONIC_ERROR_ARGUMENT, "multiple of 4");
  expect_refused(encode(first, on_host.data(), capacity, result), LACONIC_ERROR_ARGUMENT,
                 "frame is memory of the host");
  expect_refused(encode(first, bytes + 4, capacity, result), LACONIC_ERROR_ARGUMENT, "multiple of 8");
  expect_refused(encode(first, bytes, capacity - 1, result), LACONIC_ERROR_CAPACITY, "laconic_coder_capacity");
  expect_refused(encode(first, bytes, capacity, nullptr), LACONIC_ERROR_ARGUMENT, "result is NULL");
  laconic_stream_result here;
  expect_refused(encode(first, bytes, capacity, &here), LACONIC_ERROR_ARGUMENT, "result is memory of the host");
  expect_refused(decode(bytes, 31, first, 1), LACONIC_ERROR_CAPACITY, "32");
  expect_refused(decode(bytes, 32, first, 1), LACONIC_ERROR_FRAME, "index");
  expect_refused(decode(bytes, capacity, first, 0), LACONIC_ERROR_ARGUMENT, "divisor");
  expect_refused(laconic_coder_encode_on_stream(nullptr, first, count, bytes, capacity, result, nullptr),
                 LACONIC_ERROR_ARGUMENT, "coder is NULL");
  expect_refused(laconic_stream_result_check(nullptr), LACONIC_ERROR_ARGUMENT, "result is NULL");
  const laconic_stream_result unwritten{};
  expect_refused(laconic_stream_result_check(&unwritten), LACONIC_ERROR_ARGUMENT, "not written");
  EXPECT_EQ(encode(first, bytes, capacity, result), LACONIC_OK) << laconic_codec_error();
  EXPECT_EQ(result.check(), LACONIC_OK) << laconic_codec_error();
}

// Kernels reach pinned memory of the host.
TEST_F(StreamRefusals, NotOfPinnedMemory) {
  const HeldCoder coder(coding_of<double>({LACONIC_CODEC_QUANT, "abs:1e-3"}));
  const auto x = make_field<double>(Kind::walk, 3000, base_seed());
  const std::size_t capacity = coder.capacity(x.size());
  const auto pinned = [](std::size_t bytes) {
    void* at = nullptr;
    must(cudaHostAlloc(&at, bytes, cudaHostAllocMapped));
    return std::unique_ptr<void, cudaError_t (*)(void*)>(at, [](void* p) { return cudaFreeHost(p); });
  };
  const auto numbers = pinned(x.size() * sizeof(double)), frame = pinned(capacity), result = pinned(64);
  std::memcpy(numbers.get(), x.data(), x.size() * sizeof(double));
  const OwnStream stream;
  auto* const told = static_cast<laconic_stream_result*>(result.get());
  ASSERT_EQ(laconic_coder_encode_on_stream(coder, numbers.get(), x.size(), frame.get(), capacity, told, stream),
            LACONIC_OK)
      << laconic_codec_error();
  stream.wait();
  ASSERT_EQ(laconic_stream_result_check(told), LACONIC_OK) << laconic_codec_error();
  const auto* const bytes = static_cast<const std::byte*>(frame.get());
  EXPECT_EQ(Bytes(bytes, bytes + told->bytes), coder.encode(x));
}

}  // namespace
}  // namespace laconic::test
