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

Status DeviceCodec::combine(std::span<const DeviceFrame> frames, const void* numbers, std::size_t count,
                            const Coding& coding, std::byte* out, Queue& queue) const {
  if (frames.size() == 1 && numbers != nullptr) return fold(frames[0], numbers, count, coding, out, queue);
  if (frames.size() == 2 && numbers == nullptr) return add(frames[0], frames[1], count, coding, out, queue);
  return {Code::argument, "these kernels combine one frame with numbers, or two frames"};
}

}  // namespace laconic
