// SPDX-License-Identifier: BSD-3-Clause
// What kernels are asked to do, and whether they do it as the host does.
#pragma once

#include <string>
#include <vector>

#include "codec/codec.hpp"
#include "codec/device_codec.hpp"
#include "inputs.hpp"
#include "machine.hpp"

namespace laconic::bench {

// A way of coding, as rows name it: rel:1e-3, rate:8, exact.
struct Mode {
  std::string name;
  double relative = 0;  // to the range of the numbers
  double rate = 0;

  Coding coding(Dtype dtype, double range) const;
};

// Those that both the codec and its kernels know.  The first is the usual one.
std::vector<Mode> modes_of(const Codec& codec, Dtype dtype);

// By the kernels, for what would take the host too long.
Bytes encoded_on_device(const Codec& codec, const Bytes& numbers, const Coding& coding);

// By the host.
Bytes encoded(const Codec& codec, const Bytes& numbers, const Coding& coding);
Bytes added(const Codec& codec, const Bytes& a, const Bytes& b, std::size_t count, const Coding& coding);
Bytes folded(const Codec& codec, const Bytes& frame, const Bytes& numbers, const Coding& coding);
Bytes decoded(const Codec& codec, const Bytes& frame, std::size_t count, const Coding& coding);
Bytes combined(const Bytes& a, const Bytes& b, const Coding& coding);

// The first bytes in the memory of the device.
bool equal(const std::byte* on_device, const Bytes& expected);

// Of a frame in the memory of the device.
DeviceFrame device_frame(const Codec& codec, const std::byte* on_device, const Bytes& same, std::size_t count,
                         Dtype dtype);

}  // namespace laconic::bench
