// SPDX-License-Identifier: BSD-3-Clause
#include "base/device_use.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <utility>

namespace laconic {
namespace {

constexpr std::array<std::pair<std::string_view, DeviceUse>, 3> values{
    {{"direct", DeviceUse::direct}, {"staged", DeviceUse::staged}, {"host", DeviceUse::host}}};

}  // namespace

DeviceUse device_use() {
  static const DeviceUse use = [] {
    if (const char* asked = std::getenv("LACONIC_DEVICE_MEMORY"))
      for (const auto& [name, value] : values)
        if (name == asked) return value;
    return DeviceUse::direct;
  }();
  return use;
}

Status check_device_use(std::string_view value) {
  for (const auto& known : values)
    if (known.first == value) return {};
  return {Code::argument,
          "LACONIC_DEVICE_MEMORY '" + std::string(value) + "' is not valid; valid are direct, staged, host"};
}

}  // namespace laconic
