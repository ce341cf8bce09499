// SPDX-License-Identifier: BSD-3-Clause
// The codecs of others on the inputs of ours.  Their kernels are called as their users call them, through their API.
#include "peers/peer.hpp"

#include <algorithm>
#include <string>

#include "measurements.hpp"

namespace laconic::bench {
namespace {

Peers peers() {
  Peers all;
#if LACONIC_BENCH_CUSZP
  add_cuszp(all);
#endif
#if LACONIC_BENCH_CUZFP
  add_cuzfp(all);
#endif
  return all;
}

// A stream that waits for the default stream, and for which that waits: peers work on both.
class Stream {
 public:
  Stream() { must(cudaStreamCreate(&stream_)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

std::size_t memory(const Peer& peer, std::size_t bytes, const Machine& machine) {
  const std::size_t count = bytes / sizeof(float);
  return slots_beyond_l2(machine, bytes) *
         (Slots::total(2, peer.number_room(count)) + Slots::total(1, peer.frame_room(count)));
}

void measure(const Peer& peer, const Mode& mode, const Input& input, const Bytes& numbers, const Machine& machine,
             const Options& options, Rows& rows) {
  const std::size_t count = numbers.size() / sizeof(float), slots = slots_beyond_l2(machine, numbers.size());
  const double bound = mode.relative * range_of(numbers, Dtype::f32);
  const Slots in(slots, peer.number_room(count)), out(slots, peer.number_room(count));
  const Slots frames(slots, peer.frame_room(count));
  const Stream stream;
  std::vector<std::size_t> bytes(slots);
  const auto compress = [&](std::size_t s) {
    bytes[s] = peer.compress(in.at(s), count, mode, bound, frames.at(s), stream.get());
  };
  const auto decompress = [&](std::size_t s) {
    peer.decompress(frames.at(s), bytes[s], count, mode, bound, out.at(s), stream.get());
  };
  for (std::size_t s = 0; s < slots; ++s) {
    must(cudaMemset(in.at(s), 0, peer.number_room(count)));
    must(cudaMemset(out.at(s), 0xee, peer.number_room(count)));
    must(cudaMemcpy(in.at(s), numbers.data(), numbers.size(), cudaMemcpyHostToDevice));
    compress(s);
  }
  must(cudaDeviceSynchronize());
  decompress(0);
  must(cudaDeviceSynchronize());
  const double error = greatest_error(out.at(0), numbers, Dtype::f32);
  const Spread made = spread_of(time_launches(stream.get(), machine, options.repetitions, slots, compress));
  const Spread read = spread_of(time_launches(stream.get(), machine, options.repetitions, slots, decompress));
  const auto whole = static_cast<double>(numbers.size()), frame = static_cast<double>(bytes[0]);
  Row row("peer");
  row.text("codec", peer.name()).text("dtype", "f32").text("mode", mode.name).text("data", input.name);
  row.number("bytes", whole).number("frame_bytes", frame).number("ratio", whole / frame);
  row.number("repetitions", options.repetitions).number("slots", static_cast<double>(slots));
  row.number("encode_s", made.median).number("encode_least_s", made.least).number("encode_greatest_s", made.greatest);
  row.number("decode_s", read.median).number("decode_least_s", read.least).number("decode_greatest_s", read.greatest);
  row.number("encode_gbs", 1e-9 * whole / made.median).number("decode_gbs", 1e-9 * whole / read.median);
  rows.add(row.number("bound", bound).number("greatest_error", error));
}

}  // namespace

void measure_peers(const Machine& machine, const Options& options, Rows& rows) {
  const Peers all = peers();
  int left_out = 0;
  const auto measure_all = [&](const Input& input, std::size_t bytes, bool usual_mode) {
    Bytes numbers;
    for (const auto& peer : all)
      for (const Mode& mode : peer->modes()) {
        if (usual_mode && mode.name != peer->modes()[0].name) continue;
        if (options.late() || memory(*peer, bytes, machine) > free_memory() / 10 * 9) {
          ++left_out;
          continue;
        }
        if (numbers.empty()) numbers = make_numbers(input, Dtype::f32, bytes / sizeof(float), 0);
        measure(*peer, mode, input, numbers, machine, options, rows);
      }
  };
  for (const Input& input : inputs(options.sizes.size() < 4))
    // NaN and infinities are undefined for these codecs.
    if (input.name != "special") measure_all(input, options.usual_size, false);
  for (const std::size_t bytes : options.sizes)
    if (bytes != options.usual_size) measure_all(inputs(true)[0], bytes, true);
  rows.add(Row("left_out").text("topic", "peers").number("cases", left_out));
}

}  // namespace laconic::bench
