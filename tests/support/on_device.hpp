// SPDX-License-Identifier: BSD-3-Clause
// A codec that copies its numbers and frames to a device and back, so that all codec tests also test the kernels. Each
// device buffer has exactly the size that is needed.
#pragma once

#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "codec/device_codec.hpp"
#include "device/cuda/numbers.hpp"
#include "device/cuda/runtime.hpp"

namespace laconic::test {

inline void must(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}
inline void must(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

// Device memory, freed by the destructor.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t size) : size_(size) { must(cudaMalloc(&bytes_, size > 0 ? size : 1)); }
  ~DeviceBytes() { cudaFree(bytes_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  // The bytes are on the device when write() returns, for every stream: a copy from pageable memory alone does not
  // ensure this.
  void write(const void* from) {
    must(cudaMemcpy(bytes_, from, size_, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
  }
  void read(void* to, std::size_t size) const { must(cudaMemcpy(to, bytes_, size, cudaMemcpyDeviceToHost)); }
  std::byte* get() const { return static_cast<std::byte*>(bytes_); }

 private:
  void* bytes_ = nullptr;
  std::size_t size_;
};

// A stream with a workspace and a report.
class OneQueue final : public Queue {
 public:
  OneQueue() {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    must(cudaHostAlloc(&report_, reports * report_bytes, cudaHostAllocMapped));
    std::memset(report_, 0, reports * report_bytes);
    must(cudaHostAlloc(&parts_, sums * cuda::sum_parts * sizeof(std::uint64_t), cudaHostAllocMapped));
  }
  ~OneQueue() override {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
    cudaFree(workspace_.words);
    cudaFreeHost(report_);
    cudaFreeHost(parts_);
  }

  Status copy(void* to, const void* from, std::size_t bytes) override {
    return cuda_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "a copy");
  }
  Status clear(void* to, std::size_t bytes) override {
    return cuda_status(cudaMemsetAsync(to, 0, bytes, stream_), "clearing");
  }
  Status divide(Dtype dtype, const void* x, void* result, std::size_t n, double divisor) override {
    return cuda::divide(dtype, x, result, n, divisor, stream_);
  }
  Status range(Dtype dtype, const void* x, std::size_t n, Extremes* extremes) override {
    return cuda::range(dtype, x, n, extremes, stream_);
  }
  Status sum(const std::byte* bytes, const std::uint32_t* count, std::size_t most, unsigned place) override {
    return cuda::sum(bytes, count, most, parts_ + std::size_t{place} * cuda::sum_parts, stream_);
  }
  std::uint64_t summed(unsigned place) const override {
    const std::uint64_t* parts = parts_ + std::size_t{place} * cuda::sum_parts;
    return std::accumulate(parts, parts + cuda::sum_parts, std::uint64_t{0});
  }
  Status mark() override { return {}; }
  bool reached(Status& status) override {
    status = cuda_status(cudaStreamSynchronize(stream_), "a kernel");
    return true;
  }
  Workspace& workspace(std::size_t words) override {
    if (words > workspace_.count) {
      must(cudaStreamSynchronize(stream_));
      cudaFree(workspace_.words);
      workspace_ = {};
      must(cudaMalloc(&workspace_.words, words * sizeof(std::uint64_t)));
      must(cudaMemsetAsync(workspace_.words, 0, words * sizeof(std::uint64_t), stream_));
      workspace_.count = words;
    }
    return workspace_;
  }
  std::byte* report_memory() override { return report_; }
  void* native() override { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
  Workspace workspace_;
  std::byte* report_ = nullptr;
  std::uint64_t* parts_ = nullptr;
};

class OnDevice final : public Codec {
 public:
  OnDevice(const Codec& host, const DeviceCodec& device) : host_(host), device_(device) {}

  std::string_view name() const override { return host_.name(); }
  std::uint8_t id() const override { return host_.id(); }
  bool supports(Dtype dtype) const override { return host_.supports(dtype); }
  bool relative() const override { return host_.relative(); }
  bool exact_sums() const override { return host_.exact_sums(); }
  ErrorShape error_shape() const override { return host_.error_shape(); }
  std::size_t capacity(std::size_t count, Dtype dtype) const override { return host_.capacity(count, dtype); }
  std::size_t moved_capacity(std::size_t count, Dtype dtype) const override {
    return host_.moved_capacity(count, dtype);
  }

  Coded encode(const void* numbers, std::size_t count, const Coding& coding, Blob out) const override {
    if (!device_.supports(coding)) return host_.encode(numbers, count, coding, out);
    OneQueue queue;
    const auto x = numbers_there(numbers, count, coding);
    DeviceBytes frame(coding.terms > 1 ? capacity(count, coding.dtype) : moved_capacity(count, coding.dtype));
    return made(device_.encode(x->get(), count, coding, frame.get(), queue), queue, frame, out);
  }

  Coded fold(Frame frame, const void* numbers, std::size_t count, const Coding& coding, Blob out) const override {
    if (!device_.supports(coding)) return host_.fold(frame, numbers, count, coding, out);
    OneQueue queue;
    Arrived in(*this, frame, count, coding.dtype);
    if (!in.status.ok()) return {in.status, 0};
    const auto x = numbers_there(numbers, count, coding);
    DeviceBytes made_frame(capacity(count, coding.dtype));
    return made(device_.fold(in.frame, x->get(), count, coding, made_frame.get(), queue), queue, made_frame, out);
  }

  Coded add(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const override {
    if (!device_.supports(coding)) return host_.add(a, b, count, coding, out);
    OneQueue queue;
    Arrived in_a(*this, a, count, coding.dtype);
    if (!in_a.status.ok()) return {in_a.status, 0};
    Arrived in_b(*this, b, count, coding.dtype);
    if (!in_b.status.ok()) return {in_b.status, 0};
    DeviceBytes sum(capacity(count, coding.dtype));
    return made(device_.add(in_a.frame, in_b.frame, count, coding, sum.get(), queue), queue, sum, out);
  }

  Status decode(Frame frame, void* numbers, std::size_t count, const Coding& coding) const override {
    if (!device_.supports(coding)) return host_.decode(frame, numbers, count, coding);
    Arrived in(*this, frame, count, coding.dtype);
    if (!in.status.ok()) return in.status;
    OneQueue queue;
    DeviceBytes x(count * size_of(coding.dtype));
    const Status asked = device_.decode(in.frame, x.get(), count, coding, queue);
    Status status;
    queue.reached(status);  // waits for launches made before an error: memory is about to be freed
    if (!asked.ok()) return asked;
    if (!status.ok()) return status;
    if (report_of(queue)->fault != 0) return device_.status(report_of(queue)->fault);
    x.read(numbers, count * size_of(coding.dtype));
    return {};
  }

 private:
  struct Arrived {
    Status status;
    DeviceFrame frame;
    DeviceBytes bytes;

    Arrived(const Codec& codec, Frame from, std::size_t count, Dtype dtype) : bytes(from.size()) {
      status = read_codec_header(from, codec, count, dtype, frame.header);
      bytes.write(from.data());
      frame.bytes = bytes.get();
      frame.size = from.size();
    }
  };

  static std::unique_ptr<DeviceBytes> numbers_there(const void* numbers, std::size_t count, const Coding& coding) {
    auto there = std::make_unique<DeviceBytes>(count * size_of(coding.dtype));
    there->write(numbers);
    return there;
  }

  Coded made(const Status& asked, OneQueue& queue, const DeviceBytes& frame, Blob out) const {
    Status status;
    queue.reached(status);
    if (!asked.ok()) return {asked, 0};
    if (!status.ok()) return {status, 0};
    const Report report = *report_of(queue);
    if (report.fault != 0) return {device_.status(report.fault), 0};
    frame.read(out.data(), report.bytes);
    if (std::memcmp(out.data(), report.header, sizeof report.header) != 0)
      return {{Code::frame, "the header that the host was told is not that of the frame"}, 0};
    return {{}, report.bytes};
  }

  const Codec& host_;
  const DeviceCodec& device_;
};

}  // namespace laconic::test
