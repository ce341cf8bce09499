// SPDX-License-Identifier: BSD-3-Clause
#include "coded.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/combine.hpp"

namespace laconic::bench {
namespace {

Bytes frame_of(const Coded& coded, Bytes&& out) {
  must(coded.status);
  out.resize(coded.bytes);
  return std::move(out);
}

}  // namespace

Coding Mode::coding(Dtype dtype, double range) const {
  Coding c;
  c.dtype = dtype;
  c.terms = 2;
  c.allowance = relative * range;
  c.rate = rate;
  return c;
}

std::vector<Mode> modes_of(const Codec& codec, Dtype dtype) {
  const DeviceCodec* kernels = codec.on_device();
  if (kernels == nullptr || !codec.supports(dtype)) return {};
  if (codec.error_shape().none()) {
    const Mode exact{"exact", 0, 0};
    return kernels->supports(exact.coding(dtype, 1)) ? std::vector<Mode>{exact} : std::vector<Mode>{};
  }
  std::vector<Mode> modes;
  for (const Mode& mode : {Mode{"rel:1e-3", 1e-3, 0}, Mode{"rel:1e-2", 1e-2, 0}, Mode{"rel:1e-4", 1e-4, 0},
                           Mode{"rate:8", 0, 8}, Mode{"rate:4", 0, 4}, Mode{"rate:16", 0, 16}}) {
    const Coding coding = mode.coding(dtype, 1);
    if (check_coding(codec, coding).ok() && kernels->supports(coding)) modes.push_back(mode);
  }
  return modes;
}

Bytes encoded_on_device(const Codec& codec, const Bytes& numbers, const Coding& coding) {
  const std::size_t count = numbers.size() / size_of(coding.dtype);
  test::OneQueue queue;
  const DeviceBytes in(numbers.size()), out(codec.capacity(count, coding.dtype));
  must(queue.copy(in.get(), numbers.data(), numbers.size()));
  must(codec.on_device()->encode(in.get(), count, coding, out.get(), queue));
  Status status;
  queue.reached(status);
  must(status);
  if (report_of(queue)->fault != 0) must(codec.on_device()->status(report_of(queue)->fault));
  Bytes frame(report_of(queue)->bytes);
  out.read(frame.data(), frame.size());
  return frame;
}

Bytes encoded(const Codec& codec, const Bytes& numbers, const Coding& coding) {
  const std::size_t count = numbers.size() / size_of(coding.dtype);
  Bytes out(codec.capacity(count, coding.dtype));
  const Coded coded = codec.encode(numbers.data(), count, coding, out);
  return frame_of(coded, std::move(out));
}

Bytes added(const Codec& codec, const Bytes& a, const Bytes& b, std::size_t count, const Coding& coding) {
  Bytes out(codec.capacity(count, coding.dtype));
  const Coded coded = codec.add(a, b, count, coding, out);
  return frame_of(coded, std::move(out));
}

Bytes folded(const Codec& codec, const Bytes& frame, const Bytes& numbers, const Coding& coding) {
  const std::size_t count = numbers.size() / size_of(coding.dtype);
  Bytes out(codec.capacity(count, coding.dtype));
  const Coded coded = codec.fold(frame, numbers.data(), count, coding, out);
  return frame_of(coded, std::move(out));
}

Bytes decoded(const Codec& codec, const Bytes& frame, std::size_t count, const Coding& coding) {
  Bytes out(count * size_of(coding.dtype));
  must(codec.decode(frame, out.data(), count, coding));
  return out;
}

Bytes combined(const Bytes& a, const Bytes& b, const Coding& coding) {
  Bytes out(a.size());
  dispatch(FloatingTypes{}, coding.dtype, [&](auto zero) {
    using T = decltype(zero);
    combine<T>(coding.op, a.data(), b.data(), a.size() / sizeof(T), out.data());
  });
  return out;
}

bool equal(const std::byte* on_device, const Bytes& expected) {
  Bytes found(expected.size());
  must(cudaMemcpy(found.data(), on_device, found.size(), cudaMemcpyDeviceToHost));
  return std::memcmp(found.data(), expected.data(), found.size()) == 0;
}

double greatest_error(const std::byte* on_device, const Bytes& numbers, Dtype dtype) {
  // The numbers repeat, so that more would take time and show little.
  const std::size_t part = std::min<std::size_t>(numbers.size(), std::size_t{16} << 20);
  double greatest = 0;
  Bytes found(part);
  for (const std::size_t begin : {std::size_t{0}, numbers.size() - part}) {
    must(cudaMemcpy(found.data(), on_device + begin, part, cudaMemcpyDeviceToHost));
    dispatch(FloatingTypes{}, dtype, [&](auto zero) {
      using T = decltype(zero);
      for (std::size_t at = 0; at < part; at += sizeof(T)) {
        T x, y;
        std::memcpy(&x, numbers.data() + begin + at, sizeof x);
        std::memcpy(&y, found.data() + at, sizeof y);
        const double exact = static_cast<double>(x), error = std::abs(static_cast<double>(y) - exact);
        if (std::isfinite(exact) && !(error <= greatest)) greatest = error;
      }
    });
  }
  return greatest;
}

DeviceFrame device_frame(const Codec& codec, const std::byte* on_device, const Bytes& same, std::size_t count,
                         Dtype dtype) {
  DeviceFrame frame;
  frame.bytes = on_device;
  frame.size = same.size();
  must(read_codec_header(same, codec, count, dtype, frame.header));
  return frame;
}

}  // namespace laconic::bench
