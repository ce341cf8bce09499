// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "coded.hpp"
#include "measurements.hpp"

namespace laconic::bench {
namespace {

// Kernels take no more numbers at a time.
constexpr std::size_t most_numbers = std::size_t{1} << 28;

struct Case {
  const Codec* codec;
  Dtype dtype;
  Mode mode;
  Input input;
  std::size_t bytes;
};

// Numbers, their frames, and what is to become of them, on the host; and memory of the device for as many of each as
// it takes to find nothing in the L2.
class Bench {
 public:
  Bench(const Case& c, const Machine& machine, const Options& options, Rows& rows)
      : case_(c),
        machine_(machine),
        options_(options),
        rows_(rows),
        count_(c.bytes / size_of(c.dtype)),
        slots_(slots_beyond_l2(machine, c.bytes)),
        x_(make_numbers(c.input, c.dtype, count_, 0)),
        y_(make_numbers(c.input, c.dtype, count_, 1)),
        coding_(c.mode.coding(c.dtype, range_of(x_, c.dtype))),
        frame_x_(encoded(*c.codec, x_, coding_)),
        frame_y_(encoded(*c.codec, y_, coding_)) {}

  std::size_t memory() const {
    return 2 * Slots::total(slots_, x_.size()) + Slots::total(slots_, capacity()) +
           Slots::total(slots_, frame_x_.size()) + Slots::total(slots_, frame_y_.size());
  }

  void run() {
    lay_out();
    const DeviceCodec& kernels = *case_.codec->on_device();
    const auto numbers = static_cast<double>(x_.size()), a = static_cast<double>(frame_x_.size()),
               b = static_cast<double>(frame_y_.size());
    measure("encode", frame_x_, made_.get(), numbers + a,
            [&](std::size_t s) { return kernels.encode(in_->at(s), count_, coding_, made_->at(s), queue_); }, {});
    measure(
        "decode", [&] { return decoded(*case_.codec, frame_x_, count_, coding_); }, out_.get(), numbers + a,
        [&](std::size_t s) { return kernels.decode(x(s), out_->at(s), count_, coding_, queue_); }, {});
    measure(
        "merge", [&] { return combined(x_, decoded(*case_.codec, frame_y_, count_, coding_), coding_); }, out_.get(),
        2 * numbers + b,
        [&](std::size_t s) { return kernels.decode_combine(y(s), in_->at(s), out_->at(s), count_, coding_, queue_); },
        {});
    const Bytes folded_xy = folded(*case_.codec, frame_y_, x_, coding_);
    measure(
        "fold", folded_xy, made_.get(), numbers + b + static_cast<double>(folded_xy.size()),
        [&](std::size_t s) { return kernels.fold(y(s), in_->at(s), count_, coding_, made_->at(s), queue_); },
        folded_xy.size());
    const Bytes sum = added(*case_.codec, frame_x_, frame_y_, count_, coding_);
    measure(
        "add", sum, made_.get(), a + b + static_cast<double>(sum.size()),
        [&](std::size_t s) { return kernels.add(x(s), y(s), count_, coding_, made_->at(s), queue_); }, sum.size());
  }

 private:
  using Launch = std::function<Status(std::size_t slot)>;

  std::size_t capacity() const { return case_.codec->capacity(count_, case_.dtype); }
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

  void measure(const char* kernel, const std::function<Bytes()>& expected, const Slots* result, double moved,
               const Launch& launch, std::optional<std::size_t> made) {
    measure(kernel, expected(), result, moved, launch, made);
  }

  // result: where it makes what is expected; moved: bytes read and written; made: bytes of the frame, of its own kind.
  void measure(const char* kernel, const Bytes& expected, const Slots* result, double moved, const Launch& launch,
               std::optional<std::size_t> made) {
    if (options_.late()) return;
    *queue_.report() = {};
    must(cudaMemsetAsync(result->at(0), 0xee, expected.size(), stream()));
    must(launch(0));
    Status status;
    queue_.reached(status);
    must(status);
    const bool right = queue_.report()->fault == 0 && equal(result->at(0), expected);
    const Spread t = spread_of(
        time_launches(stream(), machine_, options_.repetitions, slots_, [&](std::size_t s) { must(launch(s)); }));
    Row row("kernel");
    row.text("codec", case_.codec->name()).text("dtype", laconic::name_of(case_.dtype)).text("mode", case_.mode.name);
    row.text("data", case_.input.name).text("kernel", kernel).number("bytes", static_cast<double>(x_.size()));
    const auto frame = static_cast<double>(made.value_or(frame_x_.size()));
    row.number("frame_bytes", frame).number("ratio", static_cast<double>(x_.size()) / frame);
    row.number("moved_bytes", moved)
        .number("repetitions", options_.repetitions)
        .number("slots", static_cast<double>(slots_));
    row.number("median_s", t.median).number("least_s", t.least).number("greatest_s", t.greatest);
    row.number("input_gbs", 1e-9 * static_cast<double>(x_.size()) / t.median);
    row.number("moved_gbs", 1e-9 * moved / t.median).number("copy_share", moved / t.median / machine_.copy_rate);
    row.truth("equal", right);
    right ? rows_.add(row) : rows_.add_wrong(row);
  }

  cudaStream_t stream() { return static_cast<cudaStream_t>(queue_.native()); }

  Case case_;
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

// What is asked about first comes first: the sizes of the usual type, mode and data, then all modes and data of the
// usual size, then the other types and modes over the sizes.
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
  for (const Case& c : cases(options)) {
    if (options.late()) {
      ++left_out;
      continue;
    }
    Bench bench(c, machine, options, rows);
    if (bench.memory() > free_memory() / 10 * 9) {
      ++left_out;
      continue;
    }
    bench.run();
  }
  rows.add(Row("left_out").text("topic", "kernels").number("cases", left_out));
}

}  // namespace laconic::bench
