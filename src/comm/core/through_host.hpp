// SPDX-License-Identifier: BSD-3-Clause
// Why numbers in the memory of a device are copied to the host.
#pragma once

#include "base/device_use.hpp"
#include "codec/device_codec.hpp"
#include "device/devices.hpp"
#include "laconic/laconic.h"

namespace laconic {

// Why kernels of the device cannot code numbers at this address; LACONIC_THROUGH_HOST_NOT: they can.  codec: nullptr if
// it is not known, or not in this build.
inline laconic_through_host why_through_host(const Device& device, const void* numbers, const Codec* codec,
                                             const Coding& coding) {
  if (!device.runs_kernels())
    return device_use() == DeviceUse::host ? LACONIC_THROUGH_HOST_ASKED : LACONIC_THROUGH_HOST_CAPABILITY;
  if (!kernels_take(device, numbers, size_of(coding.dtype))) return LACONIC_THROUGH_HOST_ALIGNMENT;
  const DeviceCodec* own = codec != nullptr ? codec->on_device() : nullptr;
  return own != nullptr && own->supports(coding) ? LACONIC_THROUGH_HOST_NOT : LACONIC_THROUGH_HOST_CODEC;
}

}  // namespace laconic
