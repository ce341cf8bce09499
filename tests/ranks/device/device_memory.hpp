// SPDX-License-Identifier: BSD-3-Clause
// Buffers in memory that a device knows of.  They are filled on a stream, without synchronisation.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "collective_case.hpp"
#include "device/cuda/runtime.hpp"

namespace ranks {

inline bool have_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

enum class Memory { pageable, pinned, managed, device };
inline constexpr int memories = 4;

inline const char* name_of(Memory memory) {
  constexpr const char* names[memories] = {"pageable", "pinned", "managed", "device"};
  return names[static_cast<int>(memory)];
}

// A stream of the application.
class Stream {
 public:
  Stream() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  ~Stream() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class MemoryOf final : public Elsewhere {
 public:
  // stream: nullptr for the default stream.
  MemoryOf(Test& t, Memory memory, cudaStream_t stream) : t_(t), memory_(memory), stream_(stream) {}
  ~MemoryOf() override {
    cudaStreamSynchronize(stream_);
    for (void* at : held_) memory_ == Memory::pinned ? cudaFreeHost(at) : cudaFree(at);
    for (void* at : on_the_way_) cudaFreeHost(at);
  }

  void* reserve(std::size_t bytes) override {
    void* at = nullptr;
    switch (memory_) {
      case Memory::pageable: pageable_.emplace_back(bytes); return pageable_.back().data();
      case Memory::pinned: good(cudaMallocHost(&at, bytes)); break;
      case Memory::managed: good(cudaMallocManaged(&at, bytes)); break;
      case Memory::device: good(cudaMalloc(&at, bytes)); break;
    }
    held_.push_back(at);
    return at;
  }

  void push(void* there, const void* here, std::size_t bytes) override {
    if (memory_ == Memory::pageable || memory_ == Memory::pinned) {
      std::memcpy(there, here, bytes);
      return;
    }
    void* pinned = nullptr;
    good(cudaMallocHost(&pinned, bytes));
    on_the_way_.push_back(pinned);
    std::memcpy(pinned, here, bytes);
    good(cudaMemcpyAsync(there, pinned, bytes, cudaMemcpyDefault, stream_));
  }

  // Uses another stream: when a call has returned, its results are visible to every stream.
  void pull(void* here, const void* there, std::size_t bytes) override {
    if (memory_ == Memory::pageable || memory_ == Memory::pinned) {
      std::memcpy(here, there, bytes);
      return;
    }
    good(cudaStreamSynchronize(stream_));  // for buffers that a call did not read
    const Stream other;
    good(cudaMemcpyAsync(here, there, bytes, cudaMemcpyDefault, other.get()));
    good(cudaStreamSynchronize(other.get()));
  }

  void* stream() override { return stream_; }

 private:
  void good(cudaError_t error) { CHECK(t_, error == cudaSuccess, "%s", cudaGetErrorString(error)); }

  Test& t_;
  Memory memory_;
  cudaStream_t stream_;
  std::vector<void*> held_;
  std::vector<void*> on_the_way_;
  std::vector<std::vector<unsigned char>> pageable_;
};

}  // namespace ranks
