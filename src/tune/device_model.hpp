// SPDX-License-Identifier: BSD-3-Clause
// Models of devices: the time that coding takes there, measured if there are measurements, otherwise modelled.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "tune/curve.hpp"

namespace laconic {

// The kinds of kernels that codecs have (codec/device_codec.hpp) and bench/gpu measures.
enum class Kernel : std::uint8_t {
  encode,  // numbers to a frame
  decode,  // a frame to numbers
  merge,   // a frame into numbers: decode_reduce
  fold,    // a frame and numbers to a frame
  add,     // two frames to a frame
  copy,    // numbers to numbers
};

inline constexpr std::size_t kernels = 6;
inline constexpr std::array<Kernel, kernels> all_kernels{Kernel::encode, Kernel::decode, Kernel::merge,
                                                         Kernel::fold,   Kernel::add,    Kernel::copy};

std::string_view name_of(Kernel kernel);

// The times of a device for each kind of kernel of one codec on one datatype.
struct Coder {
  std::array<Curve, kernels> curves;
  // The kinds of kernel for which one launch processes several blocks.
  std::array<bool, kernels> together{};
  // One launch folds or adds all frames that arrive for a block on a hop (DeviceCodec::combine()).
  bool combines = false;

  const Curve& operator[](Kernel kernel) const { return curves[static_cast<std::size_t>(kernel)]; }
  Curve& operator[](Kernel kernel) { return curves[static_cast<std::size_t>(kernel)]; }
};

// A line of devices.def: the parameters that model every kernel without measurements.
struct DeviceModel {
  std::string_view name;
  std::string_view what;
  double copy_rate;  // bytes read and written per second
  double launch;     // seconds: the least time that a kernel takes
};

const std::vector<DeviceModel>& all_device_models();

// Finds a device model by name; nullptr if there is none.
const DeviceModel* find_device_model(std::string_view name);

// The model of the device that its vendor calls `name`, as in "NVIDIA H200 NVL"; `gpu` where devices.def has no line
// for it.
const DeviceModel& device_model_named(std::string_view name);

// A number for a model with its measured curves, by which ranks find out whether all have the same: from 1 to 2^52.
std::uint64_t key_of(const DeviceModel& device);

// The model with this key; `gpu` for any other number.
const DeviceModel& device_model_with(std::uint64_t key);

// coder_of() returns the curves of a codec, given its name; plain_coder() those of numbers sent uncompressed.  ratio:
// the compression ratio, which determines how many bytes modelled kernels move; it does not affect measured curves.
Coder coder_of(const DeviceModel& device, std::string_view codec, Dtype dtype, double ratio);
Coder plain_coder(const DeviceModel& device);

}  // namespace laconic
