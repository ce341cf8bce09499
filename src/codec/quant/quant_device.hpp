// SPDX-License-Identifier: BSD-3-Clause
// The codec quant on devices: src/codec/quant/cuda/.
#pragma once

#include "codec/device_codec.hpp"

namespace laconic {

const DeviceCodec& quant_on_device();

}  // namespace laconic
