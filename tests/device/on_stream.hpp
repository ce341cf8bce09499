// SPDX-License-Identifier: BSD-3-Clause
// Coders of the C API with their buffers on a device, beside the same coders on the host.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "laconic/codec.h"
#include "support/fields.hpp"
#include "support/on_device.hpp"
#include "support/seed.hpp"

namespace laconic::test {

using Bytes = std::vector<std::byte>;

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// A way of coding, as a user asks for it.
struct Way {
  laconic_codec codec;
  const char* bound;
  laconic_reduction reduction = LACONIC_REDUCTION_SUM;
};

template <class T>
laconic_coding coding_of(const Way& way, std::int64_t frame_elements = 1 << 21) {
  laconic_coding coding;
  laconic_coding_init(&coding);
  coding.dtype = static_cast<laconic_dtype>(dtype_of<T>);
  coding.codec = way.codec;
  coding.reduction = way.reduction;
  coding.contributions = 4;
  coding.frame_elements = frame_elements;
  EXPECT_EQ(laconic_bound_parse(way.bound, &coding.bound), LACONIC_OK) << laconic_codec_error();
  return coding;
}

class HeldCoder {
 public:
  explicit HeldCoder(const laconic_coding& coding) {
    EXPECT_EQ(laconic_coder_create(&coding, &coder_), LACONIC_OK) << laconic_codec_error();
  }
  ~HeldCoder() { laconic_coder_free(coder_); }
  HeldCoder(const HeldCoder&) = delete;
  HeldCoder& operator=(const HeldCoder&) = delete;
  operator laconic_coder() const { return coder_; }
  std::size_t capacity(std::size_t count) const { return laconic_coder_capacity(coder_, count); }

  // The same on the host; an empty frame where the host refuses.
  template <class T>
  Bytes encode(const std::vector<T>& x) const {
    return made(x.size(), [&](Bytes& out, std::size_t& bytes) {
      return laconic_coder_encode(coder_, x.data(), x.size(), out.data(), out.size(), &bytes);
    });
  }
  template <class T>
  Bytes fold(const Bytes& frame, const std::vector<T>& x) const {
    return made(x.size(), [&](Bytes& out, std::size_t& bytes) {
      return laconic_coder_fold(coder_, frame.data(), frame.size(), x.data(), x.size(), out.data(), out.size(), &bytes);
    });
  }
  Bytes add(const Bytes& a, const Bytes& b, std::size_t count) const {
    return made(count, [&](Bytes& out, std::size_t& bytes) {
      return laconic_coder_add(coder_, a.data(), a.size(), b.data(), b.size(), count, out.data(), out.size(), &bytes);
    });
  }
  template <class T>
  bool decode(const Bytes& frame, std::vector<T>& x, double divisor = 1) const {
    return laconic_coder_decode(coder_, frame.data(), frame.size(), x.data(), x.size(), divisor) == LACONIC_OK;
  }

 private:
  template <class Make>
  Bytes made(std::size_t count, const Make& make) const {
    Bytes out(capacity(count));
    std::size_t bytes = 0;
    out.resize(make(out, bytes) == LACONIC_OK ? bytes : 0);
    return out;
  }

  laconic_coder coder_ = nullptr;
};

// A stream of the application.
class OwnStream {
 public:
  OwnStream() { must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { must(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

// A result in device memory, which is written by nobody at first.
class ResultThere {
 public:
  ResultThere() : there_(sizeof(laconic_stream_result)) {
    const laconic_stream_result none{};
    there_.write(&none);
  }
  operator laconic_stream_result*() const { return reinterpret_cast<laconic_stream_result*>(there_.get()); }
  laconic_stream_result get() const {
    laconic_stream_result result;
    there_.read(&result, sizeof result);
    return result;
  }
  int check() const {
    const laconic_stream_result result = get();
    return laconic_stream_result_check(&result);
  }

 private:
  DeviceBytes there_;
};

// Memory of exactly the size of these bytes.
class There {
 public:
  explicit There(const Bytes& bytes) : size_(bytes.size()), bytes_(bytes.size()) {
    if (size_ > 0) bytes_.write(bytes.data());
  }
  template <class T>
  explicit There(const std::vector<T>& x) : size_(x.size() * sizeof(T)), bytes_(size_) {
    if (size_ > 0) bytes_.write(x.data());
  }
  explicit There(std::size_t size) : There(Bytes(size)) {}
  void* get() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  void set(const void* from) { bytes_.write(from); }
  Bytes first(std::size_t size) const {
    Bytes bytes(size);
    if (size > 0) bytes_.read(bytes.data(), size);
    return bytes;
  }
  template <class T>
  std::vector<T> as() const {
    std::vector<T> x(size_ / sizeof(T));
    if (size_ > 0) bytes_.read(x.data(), size_);
    return x;
  }

 private:
  std::size_t size_;
  DeviceBytes bytes_;
};

}  // namespace laconic::test
