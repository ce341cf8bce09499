// SPDX-License-Identifier: BSD-3-Clause
// cuSZp 3 by its functions for float32 in one dimension, in the two modes that predict.
#include <cuSZp_entry_1D_f32.h>

#include "peer.hpp"

namespace laconic::bench {
namespace {

// The numbers of a block of threads: cuSZp's kernels take whole ones.
constexpr std::size_t together = 32 * 1024;

using Compress = void (*)(float*, unsigned char*, std::size_t, std::size_t*, float, cudaStream_t);
using Decompress = void (*)(float*, unsigned char*, std::size_t, std::size_t, float, cudaStream_t);

class CuSzp final : public Peer {
 public:
  CuSzp(std::string_view name, Compress writer, Decompress reader)
      : name_(name), compress_(writer), decompress_(reader) {}

  std::string_view name() const override { return name_; }
  std::vector<Mode> modes() const override {
    return {{"rel:1e-3", 1e-3, 0}, {"rel:1e-2", 1e-2, 0}, {"rel:1e-4", 1e-4, 0}};
  }
  std::size_t number_room(std::size_t count) const override { return whole(count) * sizeof(float); }
  // Every 32 numbers have a byte, their signs, and at most 32 bits each; outliers add up to 4 bytes.
  std::size_t frame_room(std::size_t count) const override { return whole(count) / 32 * (1 + 4 + 128 + 4); }

  std::size_t compress(std::byte* numbers, std::size_t count, const Mode&, double bound, std::byte* frame,
                       cudaStream_t stream) const override {
    std::size_t bytes = 0;
    compress_(reinterpret_cast<float*>(numbers), reinterpret_cast<unsigned char*>(frame), count, &bytes,
              static_cast<float>(bound), stream);
    return bytes;
  }

  void decompress(std::byte* frame, std::size_t bytes, std::size_t count, const Mode&, double bound, std::byte* numbers,
                  cudaStream_t stream) const override {
    decompress_(reinterpret_cast<float*>(numbers), reinterpret_cast<unsigned char*>(frame), count, bytes,
                static_cast<float>(bound), stream);
  }

 private:
  static std::size_t whole(std::size_t count) { return (count + together - 1) / together * together; }

  std::string_view name_;
  Compress compress_;
  Decompress decompress_;
};

}  // namespace

void add_cuszp(Peers& peers) {
  peers.push_back(std::make_unique<CuSzp>("cuszp-plain", cuSZp_compress_1D_plain_f32, cuSZp_decompress_1D_plain_f32));
  peers.push_back(
      std::make_unique<CuSzp>("cuszp-outlier", cuSZp_compress_1D_outlier_f32, cuSZp_decompress_1D_outlier_f32));
}

}  // namespace laconic::bench
