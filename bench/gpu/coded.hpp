// SPDX-License-Identifier: BSD-3-Clause
// The work of the kernels, and checks that their results equal those of the host.
#pragma once

#include <string>
#include <vector>

#include "codec/codec.hpp"
#include "codec/device_codec.hpp"
#include "inputs.hpp"
#include "machine.hpp"

namespace laconic::bench {

// A mode of coding, with its name in the rows: rel:1e-3, rate:8, exact.
struct Mode {
  std::string name;
  double relative = 0;  // bound relative to the range of the numbers
  double rate = 0;

  Coding coding(Dtype dtype, double range) const;
};

// The modes that both the codec and its kernels support.  The first is the usual one.
std::vector<Mode> modes_of(const Codec& codec, Dtype dtype);

// Encodes with the kernels, for data that would take the host too long.
Bytes encoded_on_device(const Codec& codec, const Bytes& numbers, const Coding& coding);

// The same operations on the host.
Bytes encoded(const Codec& codec, const Bytes& numbers, const Coding& coding);
Bytes added(const Codec& codec, const Bytes& a, const Bytes& b, std::size_t count, const Coding& coding);
Bytes folded(const Codec& codec, const Bytes& frame, const Bytes& numbers, const Coding& coding);
Bytes decoded(const Codec& codec, const Bytes& frame, std::size_t count, const Coding& coding);
Bytes combined(const Bytes& a, const Bytes& b, const Coding& coding);

// Whether the first bytes at `on_device` in device memory equal `expected`.
bool equal(const std::byte* on_device, const Bytes& expected);

// The largest error of the first and the last of so many numbers in device memory; those that are not finite have none.
double greatest_error(const std::byte* on_device, const Bytes& numbers, Dtype dtype);

// The description of a frame in device memory.
DeviceFrame device_frame(const Codec& codec, const std::byte* on_device, const Bytes& same, std::size_t count,
                         Dtype dtype);

}  // namespace laconic::bench
