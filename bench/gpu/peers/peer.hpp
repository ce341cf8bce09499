// SPDX-License-Identifier: BSD-3-Clause
// Codecs of others for GPUs, as bench_gpu calls them.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "../coded.hpp"

namespace laconic::bench {

// Both functions are given device memory, and wait for the device as far as the codec does.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<Mode> modes() const = 0;  // the first is the usual one
  virtual std::size_t frame_room(std::size_t count) const = 0;
  virtual std::size_t number_room(std::size_t count) const = 0;
  // bound: the absolute error, for modes that have a bound.  Returns the bytes of the frame.
  virtual std::size_t compress(std::byte* numbers, std::size_t count, const Mode& mode, double bound, std::byte* frame,
                               cudaStream_t stream) const = 0;
  virtual void decompress(std::byte* frame, std::size_t bytes, std::size_t count, const Mode& mode, double bound,
                          std::byte* numbers, cudaStream_t stream) const = 0;
};

using Peers = std::vector<std::unique_ptr<Peer>>;

// Adds what this build has; bench/CMakeLists.txt says which.
void add_cuszp(Peers& peers);
void add_cuzfp(Peers& peers);

}  // namespace laconic::bench
