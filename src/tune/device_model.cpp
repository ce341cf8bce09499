// SPDX-License-Identifier: BSD-3-Clause
#include "tune/device_model.hpp"

#include <span>

#include "base/checksum.hpp"
#include "codec/codec.hpp"
#include "codec/device_codec.hpp"

namespace laconic {
namespace {

// The bytes that a kernel moves for each byte of numbers, as numbers and as frames (uncompressed size), and the share
// of the device's copy rate that it is expected to reach: the minimum required of our kernels.
struct Traffic {
  double numbers;
  double frames;
  double share;
};

constexpr Traffic traffic_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::encode: return {1, 1, 0.45};
    case Kernel::decode: return {1, 1, 0.60};
    case Kernel::merge: return {2, 1, 0.70};
    case Kernel::fold: return {1, 2, 0.45};
    case Kernel::add: return {0, 3, 0.45};
    case Kernel::copy: return {2, 0, 1};
  }
  return {};
}

struct Measured {
  std::string_view device, codec;
  Dtype dtype;
  Kernel kernel;
  std::string_view source;
  std::vector<Curve::Point> points;
};

std::vector<Measured> measured_curves() {
  return {
#define LACONIC_MEASURED(device, codec, dtype, kernel, source, ...) \
  {#device, #codec, Dtype::dtype, Kernel::kernel, source, {__VA_ARGS__}},
#include "tune/measured.def"
#undef LACONIC_MEASURED
  };
}

const std::vector<Measured>& all_measured() {
  static const std::vector<Measured> measured = measured_curves();
  return measured;
}

// As tools/dev/gpu.py names folders of results: "NVIDIA H100 80GB HBM3" is h100-80gb-hbm3.
std::string folder_of(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  constexpr std::string_view vendor = "nvidia";
  if (const std::size_t at = lower.find(vendor); at != std::string::npos) lower.erase(at, vendor.size());
  std::string folder;
  for (const char c : lower) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (word || (!folder.empty() && folder.back() != '-')) folder += word ? c : '-';
  }
  while (!folder.empty() && folder.back() == '-') folder.pop_back();
  return folder;
}

std::uint64_t new_key_of(const DeviceModel& device) {
  std::string all(device.name);
  const auto append = [&all](double number) { all.append(reinterpret_cast<const char*>(&number), sizeof number); };
  append(device.copy_rate);
  append(device.launch);
  for (const Measured& m : all_measured()) {
    if (m.device != device.name) continue;
    all += m.codec;
    append(static_cast<double>(m.dtype));
    append(static_cast<double>(m.kernel));
    for (const Curve::Point& p : m.points) append(p.bytes), append(p.seconds);
  }
  return (checksum::sum(std::as_bytes(std::span(all))) >> 12) + 1;
}

const DeviceModel& any_device() { return *find_device_model("gpu"); }

Curve modelled(const DeviceModel& device, const Traffic& t, double ratio) {
  const double moved = t.numbers + t.frames / ratio;
  return Curve::modelled(device.launch, t.share * device.copy_rate / moved,
                         "launch + bytes moved / share of the copy rate of " + std::string(device.name));
}

}  // namespace

std::string_view name_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::encode: return "encode";
    case Kernel::decode: return "decode";
    case Kernel::merge: return "merge";
    case Kernel::fold: return "fold";
    case Kernel::add: return "add";
    case Kernel::copy: return "copy";
  }
  return "?";
}

const std::vector<DeviceModel>& all_device_models() {
  static const std::vector<DeviceModel> models{
#define LACONIC_DEVICE(name, what, copy_rate, launch) {#name, what, copy_rate, launch},
#include "tune/devices.def"
#undef LACONIC_DEVICE
  };
  return models;
}

const DeviceModel* find_device_model(std::string_view name) {
  for (const DeviceModel& m : all_device_models())
    if (m.name == name) return &m;
  return nullptr;
}

const DeviceModel& device_model_named(std::string_view name) {
  const std::string folder = folder_of(name) + '-';
  const DeviceModel* found = &any_device();
  std::size_t longest = 0;
  for (const DeviceModel& m : all_device_models())
    if (m.name.size() > longest && folder.starts_with(std::string(m.name) + '-')) {
      found = &m;
      longest = m.name.size();
    }
  return *found;
}

std::uint64_t key_of(const DeviceModel& device) {
  static const std::vector<std::uint64_t> keys = [] {
    std::vector<std::uint64_t> made;
    for (const DeviceModel& m : all_device_models()) made.push_back(new_key_of(m));
    return made;
  }();
  return keys[static_cast<std::size_t>(&device - all_device_models().data())];
}

const DeviceModel& device_model_with(std::uint64_t key) {
  for (const DeviceModel& m : all_device_models())
    if (key_of(m) == key) return m;
  return any_device();
}

Coder coder_of(const DeviceModel& device, std::string_view codec, Dtype dtype, double ratio) {
  Coder coder;
  for (const Kernel kernel : all_kernels) coder[kernel] = modelled(device, traffic_of(kernel), ratio);
  for (const Measured& m : all_measured())
    if (m.device == device.name && m.codec == codec && m.dtype == dtype)
      coder[m.kernel] = Curve::measured(m.points, std::string(m.source));
  // A build without kernels has nobody to ask, and counts on a launch for each block.
  const Codec* found = find_codec(codec);
  if (const DeviceCodec* there = found != nullptr ? found->on_device() : nullptr; there != nullptr) {
    Coding coding;
    coding.dtype = dtype;
    coding.allowance = 1;
    coder.together[static_cast<std::size_t>(Kernel::encode)] = true;
    coder.combines = there->combines(coding) > 2;
  }
  return coder;
}

// Numbers that are sent uncompressed cost only their copies and their additions, which read two numbers and write one.
Coder plain_coder(const DeviceModel& device) {
  Coder coder;
  const Curve nothing = Curve::modelled(0, 1e300, "numbers travel from where they are");
  for (const Kernel kernel : all_kernels) coder[kernel] = nothing;
  for (const Kernel kernel : {Kernel::merge, Kernel::fold, Kernel::add}) coder[kernel] = modelled(device, {3, 0, 1}, 1);
  coder[Kernel::copy] = modelled(device, traffic_of(Kernel::copy), 1);
  return coder;
}

}  // namespace laconic
