// SPDX-License-Identifier: BSD-3-Clause
#include "cuzfp_calls.h"
#include "peer.hpp"

namespace laconic::bench {
namespace {

class CuZfp final : public Peer {
 public:
  std::string_view name() const override { return "cuzfp"; }
  std::vector<Mode> modes() const override { return {{"rate:8", 0, 8}, {"rate:4", 0, 4}, {"rate:16", 0, 16}}; }
  std::size_t number_room(std::size_t count) const override { return count * sizeof(float); }
  std::size_t frame_room(std::size_t count) const override { return count * sizeof(float) + 4096; }

  std::size_t compress(std::byte* numbers, std::size_t count, const Mode& mode, double, std::byte* frame,
                       cudaStream_t stream) const override {
    const OnHost in(numbers, count * sizeof(float), stream), out(frame, frame_room(count), stream);
    const std::size_t bytes = bench_cuzfp_compress(in.get(), count, mode.rate, out.get(), frame_room(count));
    if (bytes == 0) throw std::runtime_error("zfp cannot compress with its CUDA execution policy");
    out.put(bytes);
    return bytes;
  }

  void decompress(std::byte* frame, std::size_t bytes, std::size_t count, const Mode& mode, double, std::byte* numbers,
                  cudaStream_t stream) const override {
    const OnHost in(frame, bytes, stream), out(numbers, count * sizeof(float), stream);
    if (bench_cuzfp_decompress(in.get(), bytes, mode.rate, out.get(), count) == 0)
      throw std::runtime_error("zfp cannot decompress with its CUDA execution policy");
    out.put(count * sizeof(float));
  }

 private:
  // In the emulator zfp runs on the host, and needs its memory.
  class OnHost {
   public:
    OnHost(std::byte* memory, std::size_t bytes, cudaStream_t stream) : memory_(memory), copy_(emulated ? bytes : 0) {
      if (!emulated) return;
      must(cudaStreamSynchronize(stream));
      must(cudaMemcpy(copy_.data(), memory, bytes, cudaMemcpyDeviceToHost));
    }
    void* get() const { return emulated ? copy_.data() : memory_; }
    void put(std::size_t bytes) const {
      if (emulated) must(cudaMemcpy(memory_, copy_.data(), bytes, cudaMemcpyHostToDevice));
    }

   private:
    std::byte* memory_;
    mutable Bytes copy_;
  };
};

}  // namespace

void add_cuzfp(Peers& peers) { peers.push_back(std::make_unique<CuZfp>()); }

}  // namespace laconic::bench
