// SPDX-License-Identifier: BSD-3-Clause
// What is known of devices: how long coding takes there, measured where somebody has, otherwise modelled.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "tune/curve.hpp"

namespace laconic {

// The kinds of kernels, as codecs have them (codec/device_codec.hpp) and bench/gpu measures them.
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

// What a device takes for each kind of kernel of one codec on one type of numbers.
struct Coder {
  std::array<Curve, kernels> curves;
  // The kinds of which one launch serves several blocks.
  std::array<bool, kernels> together{};

  const Curve& operator[](Kernel kernel) const { return curves[static_cast<std::size_t>(kernel)]; }
  Curve& operator[](Kernel kernel) { return curves[static_cast<std::size_t>(kernel)]; }
};

// A line of devices.def: what everything that is not measured is modelled by.
struct DeviceModel {
  std::string_view name;
  std::string_view what;
  double copy_rate;  // bytes read and written per second
  double launch;     // seconds, the least that a kernel takes
};

const std::vector<DeviceModel>& all_device_models();

// By name, or nullptr.
const DeviceModel* find_device_model(std::string_view name);

// Curves of a codec by its name; without one, of numbers that travel as they are.  ratio: of compression, which says
// how many bytes modelled kernels move; measured curves are what they are.
Coder coder_of(const DeviceModel& device, std::string_view codec, Dtype dtype, double ratio);
Coder plain_coder(const DeviceModel& device);

}  // namespace laconic
