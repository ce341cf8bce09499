// SPDX-License-Identifier: BSD-3-Clause
// The codec zfp on devices: src/codec/zfp/cuda/.
#pragma once

#include "codec/device_codec.hpp"

namespace laconic {

const DeviceCodec& zfp_on_device();

}  // namespace laconic
