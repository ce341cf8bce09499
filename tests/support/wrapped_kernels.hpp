// SPDX-License-Identifier: BSD-3-Clause
// Codecs whose kernels are those of another codec, but for some.
#pragma once

#include <cstddef>
#include <span>

#include "codec/device_codec.hpp"
#include "device/devices.hpp"
#include "support/faults.hpp"

// There may be no device although the code for devices is built.
#define NEED_DEVICE() \
  if (Status no_device; open_device(0, no_device) == nullptr) GTEST_SKIP() << "no device"

namespace laconic::test {

// The kernels of another codec, for tests that change some of them.
class WrappedKernels : public DeviceCodec {
 public:
  explicit WrappedKernels(const DeviceCodec& inner) : inner_(inner) {}
  bool supports(const Coding& coding) const override { return inner_.supports(coding); }
  std::size_t workspace_words(std::size_t n, Dtype dtype) const override { return inner_.workspace_words(n, dtype); }
  Status encode(const void* x, std::size_t n, const Coding& c, std::byte* out, Queue& q) const override {
    return inner_.encode(x, n, c, out, q);
  }
  Status fold(const DeviceFrame& f, const void* x, std::size_t n, const Coding& c, std::byte* out,
              Queue& q) const override {
    return inner_.fold(f, x, n, c, out, q);
  }
  Status add(const DeviceFrame& a, const DeviceFrame& b, std::size_t n, const Coding& c, std::byte* out,
             Queue& q) const override {
    return inner_.add(a, b, n, c, out, q);
  }
  std::size_t combines(const Coding& c) const override { return inner_.combines(c); }
  Status combine(std::span<const DeviceFrame> frames, const void* x, std::size_t n, const Coding& c, std::byte* out,
                 Queue& q) const override {
    return inner_.combine(frames, x, n, c, out, q);
  }
  Status decode(const DeviceFrame& f, void* x, std::size_t n, const Coding& c, Queue& q) const override {
    return inner_.decode(f, x, n, c, q);
  }
  Status decode_reduce(const DeviceFrame& f, const void* with, void* x, std::size_t n, const Coding& c,
                       Queue& q) const override {
    return inner_.decode_reduce(f, with, x, n, c, q);
  }
  Status encode_pieces(std::span<const Piece> pieces, const Coding& c, Queue& q) const override {
    return inner_.encode_pieces(pieces, c, q);
  }
  Status status(std::uint32_t fault) const override { return inner_.status(fault); }

 private:
  const DeviceCodec& inner_;
};

template <class Kernels>
class WithKernels final : public WrappedCodec {
 public:
  explicit WithKernels(const Codec& inner) : WrappedCodec(inner), kernels(*inner.on_device()) {}
  const DeviceCodec* on_device() const override { return &kernels; }

  const Kernels kernels;
};

}  // namespace laconic::test
