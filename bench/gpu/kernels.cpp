// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "coded.hpp"
#include "measurements.hpp"

namespace laconic::bench {
namespace {

// The largest count of numbers that kernels take at a time.
constexpr std::size_t most_numbers = std::size_t{1} << 28;

struct Case {
  const Codec* codec;
  Dtype dtype;
  Mode mode;
  Input input;
  std::size_t bytes;
};

// The time that the host takes to compute expected results, learnt from smaller cases.
class HostSpeed {
 public:
  // Whether the host is fast enough to compute the expected results of this case within most_seconds.
  bool suffices(const Case& c) const {
    const auto known = seconds_per_byte_.find({c.codec, c.dtype});
    return known == seconds_per_byte_.end() || known->second * static_cast<double>(c.bytes) < most_seconds;
  }
  void learn(const Case& c, double seconds) {
    seconds_per_byte_[{c.codec, c.dtype}] = seconds / static_cast<double>(c.bytes);
  }

 private:
  static constexpr double most_seconds = 6;
  std::map<std::pair<const Codec*, Dtype>, double> seconds_per_byte_;
};

// Numbers and their frames, with enough copies of each in device memory that no access hits the L2.
class Bench {
 public:
  // compared: whether results are compared with those of the host, which takes the longest time.
  Bench(const Case& c, bool compared, const Machine& machine, const Options& options, Rows& rows)
      : case_(c),
        compared_(compared),
        machine_(machine),
        options_(options),
        rows_(rows),
        count_(c.bytes / size_of(c.dtype)),
        slots_(slots_beyond_l2(machine, c.bytes)),
        x_(make_numbers(c.input, c.dtype, count_, 0)),
        y_(make_numbers(c.input, c.dtype, count_, 1)),
        coding_(c.mode.coding(c.dtype, range_of(x_, c.dtype))),
        frame_x_(frame_of(x_)),
        frame_y_(frame_of(y_)) {}

  static std::size_t memory(const Case& c, const Machine& machine) {
    const std::size_t frame = c.codec->capacity(c.bytes / size_of(c.dtype), c.dtype);
    return slots_beyond_l2(machine, c.bytes) * (2 * Slots::total(1, c.bytes) + 3 * Slots::total(1, frame));
  }

  void run() {
    lay_out();
    const Codec& codec = *case_.codec;
    const DeviceCodec& kernels = *codec.on_device();
    const auto numbers = static_cast<double>(x_.size()), a = static_cast<double>(frame_x_.size()),
               b = static_cast<double>(frame_y_.size());
    measure(
        {"encode", made_.get(), numbers, true}, [&] { return frame_x_; },
        [&](std::size_t s) { return kernels.encode(in_->at(s), count_, coding_, made_->at(s), queue_); });
    measure(
        {"decode", out_.get(), numbers + a, false}, [&] { return decoded(codec, frame_x_, count_, coding_); },
        [&](std::size_t s) { return kernels.decode(x(s), out_->at(s), count_, coding_, queue_); });
    measure(
        {"merge", out_.get(), 2 * numbers + b, false},
        [&] { return combined(x_, decoded(codec, frame_y_, count_, coding_), coding_); },
        [&](std::size_t s) { return kernels.decode_reduce(y(s), in_->at(s), out_->at(s), count_, coding_, queue_); });
    measure(
        {"fold", made_.get(), numbers + b, true}, [&] { return folded(codec, frame_y_, x_, coding_); },
        [&](std::size_t s) { return kernels.fold(y(s), in_->at(s), count_, coding_, made_->at(s), queue_); });
    measure(
        {"add", made_.get(), a + b, true}, [&] { return added(codec, frame_x_, frame_y_, count_, coding_); },
        [&](std::size_t s) { return kernels.add(x(s), y(s), count_, coding_, made_->at(s), queue_); });
  }

 private:
  using Launch = std::function<Status(std::size_t slot)>;
  struct Kind {
    const char* kernel;
    const Slots* result;
    double moved;  // bytes read and written, without the frame that the kernel makes
    bool makes_frame;
  };

  std::size_t capacity() const { return case_.codec->capacity(count_, case_.dtype); }
  Bytes frame_of(const Bytes& numbers) const {
    return compared_ ? encoded(*case_.codec, numbers, coding_) : encoded_on_device(*case_.codec, numbers, coding_);
  }
  DeviceFrame x(std::size_t s) const { return device_frame(*case_.codec, xs_->at(s), frame_x_, count_, case_.dtype); }
  DeviceFrame y(std::size_t s) const { return device_frame(*case_.codec, ys_->at(s), frame_y_, count_, case_.dtype); }

  void lay_out() {
    in_ = std::make_unique<Slots>(slots_, x_.size());
    out_ = std::make_unique<Slots>(slots_, x_.size());
    made_ = std::make_unique<Slots>(slots_, capacity());
    xs_ = std::make_unique<Slots>(slots_, frame_x_.size());
    ys_ = std::make_unique<Slots>(slots_, frame_y_.size());
    for (const auto& [slots, bytes] : {std::pair{in_.get(), &x_}, {xs_.get(), &frame_x_}, {ys_.get(), &frame_y_}}) {
      must(cudaMemcpyAsync(slots->at(0), bytes->data(), bytes->size(), cudaMemcpyHostToDevice, stream()));
      for (std::size_t s = 1; s < slots_; ++s)
        must(cudaMemcpyAsync(slots->at(s), slots->at(0), bytes->size(), cudaMemcpyDeviceToDevice, stream()));
      must(cudaStreamSynchronize(stream()));
    }
  }

  // Makes one launch and checks its result.
  bool is_right(const Kind& kind, const std::function<Bytes()>& expected, const Launch& launch) {
    *report_of(queue_) = {};
    must(cudaMemsetAsync(kind.result->at(0), 0xee, std::min(capacity(), x_.size()), stream()));
    must(launch(0));
    Status status;
    queue_.reached(status);
    must(status);
    return report_of(queue_)->fault == 0 && (!compared_ || equal(kind.result->at(0), expected()));
  }

  void measure(const Kind& kind, const std::function<Bytes()>& expected, const Launch& launch) {
    if (options_.late()) return;
    const bool right = is_right(kind, expected, launch);
    const double made = kind.makes_frame ? static_cast<double>(report_of(queue_)->bytes) : 0;
    const auto seconds =
        time_launches(stream(), machine_, options_.repetitions, slots_, [&](std::size_t s) { must(launch(s)); });
    add_row(kind, made, right, spread_of(seconds));
  }

  void add_row(const Kind& kind, double made, bool right, const Spread& t) {
    const auto numbers = static_cast<double>(x_.size());
    const double frame = kind.makes_frame ? made : static_cast<double>(frame_x_.size()), moved = kind.moved + made;
    Row row("kernel");
    row.text("codec", case_.codec->name()).text("dtype", laconic::name_of(case_.dtype)).text("mode", case_.mode.name);
    row.text("data", case_.input.name).text("kernel", kind.kernel).number("bytes", numbers);
    row.number("frame_bytes", frame).number("ratio", numbers / frame).number("moved_bytes", moved);
    row.number("repetitions", options_.repetitions).number("slots", static_cast<double>(slots_));
    row.number("median_s", t.median).number("least_s", t.least).number("greatest_s", t.greatest);
    row.number("input_gbs", 1e-9 * numbers / t.median).number("moved_gbs", 1e-9 * moved / t.median);
    row.number("copy_share", moved / t.median / machine_.copy_rate).truth("compared", compared_).truth("equal", right);
    if (std::string_view(kind.kernel) == "decode")
      row.number("greatest_error", greatest_error(out_->at(0), x_, case_.dtype));
    right ? rows_.add(row) : rows_.add_wrong(row);
  }

  cudaStream_t stream() { return static_cast<cudaStream_t>(queue_.native()); }

  Case case_;
  bool compared_;
  const Machine& machine_;
  const Options& options_;
  Rows& rows_;
  std::size_t count_;
  std::size_t slots_;
  Bytes x_, y_;
  Coding coding_;
  Bytes frame_x_, frame_y_;
  test::OneQueue queue_;
  std::unique_ptr<Slots> in_, out_, made_, xs_, ys_;
};

// The cases in order of importance: all sizes with the usual type, mode and data, then all modes and data at the usual
// size, then the other types and modes over the sizes.
std::vector<Case> cases(const Options& options) {
  std::vector<Case> all;
  std::set<std::tuple<const Codec*, Dtype, std::string, std::string, std::size_t>> there;
  const auto add = [&](const Codec* codec, Dtype dtype, const Mode& mode, const Input& input, std::size_t bytes) {
    if (bytes / size_of(dtype) > most_numbers) return;
    if (there.insert({codec, dtype, mode.name, input.name, bytes}).second)
      all.push_back({codec, dtype, mode, input, bytes});
  };
  const auto data = inputs(options.sizes.size() < 4);
  const auto for_all = [&](const std::function<void(const Codec*, Dtype, const std::vector<Mode>&)>& f) {
    for (const Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16})
      for (const Codec* codec : all_codecs())
        if (const auto modes = modes_of(*codec, dtype); !modes.empty()) f(codec, dtype, modes);
  };
  for_all([&](const Codec* codec, Dtype dtype, const std::vector<Mode>& modes) {
    for (const std::size_t bytes : options.sizes)
      if (dtype == Dtype::f32) add(codec, dtype, modes[0], data[0], bytes);
  });
  for_all([&](const Codec* codec, Dtype dtype, const std::vector<Mode>& modes) {
    if (dtype != Dtype::f32) return;
    for (const Input& input : data)
      for (const Mode& mode : modes) add(codec, dtype, mode, input, options.usual_size);
  });
  for_all([&](const Codec* codec, Dtype dtype, const std::vector<Mode>& modes) {
    add(codec, dtype, modes[0], data[0], options.usual_size);
  });
  for_all([&](const Codec* codec, Dtype dtype, const std::vector<Mode>& modes) {
    for (const Mode& mode : modes)
      for (const std::size_t bytes : options.sizes) add(codec, dtype, mode, data[0], bytes);
  });
  return all;
}

}  // namespace

void measure_kernels(const Machine& machine, const Options& options, Rows& rows) {
  int left_out = 0;
  HostSpeed host;
  for (const Case& c : cases(options)) {
    if (options.late() || Bench::memory(c, machine) > free_memory() / 10 * 9) {
      ++left_out;
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    const bool compared = host.suffices(c);
    Bench(c, compared, machine, options, rows).run();
    if (compared) host.learn(c, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  rows.add(Row("left_out").text("topic", "kernels").number("cases", left_out));
}

}  // namespace laconic::bench
