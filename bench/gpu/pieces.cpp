// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "coded.hpp"
#include "measurements.hpp"

namespace laconic::bench {
namespace {

// Memory shared by host and device, for trivially copyable objects.
template <class T>
class Shared {
 public:
  explicit Shared(std::size_t count) : count_(count) {
    must(cudaHostAlloc(&memory_, count * sizeof(T), cudaHostAllocMapped));
    for (std::size_t i = 0; i < count; ++i) new (static_cast<T*>(memory_) + i) T{};
  }
  ~Shared() { cudaFreeHost(memory_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T& operator[](std::size_t i) { return static_cast<T*>(memory_)[i]; }
  std::span<const T> all() const { return {static_cast<const T*>(memory_), count_}; }

 private:
  void* memory_ = nullptr;
  std::size_t count_;
};

void measure(const Codec& codec, const Mode& mode, std::size_t pieces, const Machine& machine, const Options& options,
             Rows& rows) {
  const Dtype dtype = Dtype::f32;
  const DeviceCodec& kernels = *codec.on_device();
  const std::size_t each = options.piece_bytes / size_of(dtype), whole = pieces * each;
  const Bytes numbers = make_numbers(inputs(true)[0], dtype, whole, 0);
  const Coding coding = mode.coding(dtype, range_of(numbers, dtype));
  const std::size_t room = codec.capacity(each, dtype), large_room = codec.capacity(whole, dtype);
  const std::size_t slots = slots_beyond_l2(machine, numbers.size());
  if (Slots::total(slots, numbers.size() + pieces * (room + 256) + large_room) > free_memory() / 10 * 9) return;
  const Slots in(slots, numbers.size()), large(slots, large_room);
  std::vector<std::unique_ptr<Slots>> out;
  Shared<Piece> table(slots * pieces);
  Shared<Report> reports(pieces);
  for (std::size_t s = 0; s < slots; ++s) {
    must(cudaMemcpy(in.at(s), numbers.data(), numbers.size(), cudaMemcpyHostToDevice));
    out.push_back(std::make_unique<Slots>(pieces, room));
    for (std::size_t p = 0; p < pieces; ++p)
      table[s * pieces + p] = {in.at(s) + p * options.piece_bytes, each, out[s]->at(p), &reports[p]};
  }
  must(cudaDeviceSynchronize());  // the copies are not on the stream
  test::OneQueue queue;
  const auto stream = static_cast<cudaStream_t>(queue.native());
  const auto launch = [&](std::size_t s) {
    must(kernels.encode_pieces(table.all().subspan(s * pieces, pieces), coding, queue));
  };
  launch(0);
  must(cudaStreamSynchronize(stream));
  bool right = true;
  double frames = 0;
  for (std::size_t p = 0; p < pieces; ++p) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(p * options.piece_bytes);
    const Bytes expected =
        encoded(codec, Bytes(begin, begin + static_cast<std::ptrdiff_t>(options.piece_bytes)), coding);
    frames += static_cast<double>(expected.size());
    right = right && reports[p].fault == 0 && reports[p].bytes == expected.size() && equal(out[0]->at(p), expected);
  }
  const Spread many = spread_of(time_launches(stream, machine, options.repetitions, slots, launch));
  const Spread one = spread_of(time_launches(stream, machine, options.repetitions, slots, [&](std::size_t s) {
    must(kernels.encode(in.at(s), whole, coding, large.at(s), queue));
  }));
  Row row("pieces");
  row.text("codec", codec.name()).text("dtype", laconic::name_of(dtype)).text("mode", mode.name);
  row.number("pieces", static_cast<double>(pieces)).number("piece_bytes", static_cast<double>(options.piece_bytes));
  row.number("frame_bytes", frames).number("repetitions", options.repetitions);
  row.number("median_s", many.median).number("least_s", many.least).number("greatest_s", many.greatest);
  row.number("one_median_s", one.median).number("one_least_s", one.least).number("one_greatest_s", one.greatest);
  row.number("times_one", many.median / one.median).truth("equal", right);
  right ? rows.add(row) : rows.add_wrong(row);
}

}  // namespace

void measure_pieces(const Machine& machine, const Options& options, Rows& rows) {
  for (const Codec* codec : all_codecs()) {
    const auto modes = modes_of(*codec, Dtype::f32);
    if (modes.empty()) continue;
    for (const int pieces : options.piece_counts)
      if (!options.late()) measure(*codec, modes[0], static_cast<std::size_t>(pieces), machine, options, rows);
  }
}

}  // namespace laconic::bench
