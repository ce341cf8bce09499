// SPDX-License-Identifier: BSD-3-Clause
#include "codec/device_codec.hpp"

namespace laconic {

#define LACONIC_DEVICE_CODEC(codec, device) const DeviceCodec& codec##_on_##device();
#include "codec/device_codecs.def"
#undef LACONIC_DEVICE_CODEC

const DeviceCodec* find_device_codec([[maybe_unused]] std::string_view name) {
#define LACONIC_DEVICE_CODEC(codec, device) \
  if (name == #codec) return &codec##_on_##device();
#include "codec/device_codecs.def"
#undef LACONIC_DEVICE_CODEC
  return nullptr;
}

}  // namespace laconic
