// SPDX-License-Identifier: BSD-3-Clause
// The codec raw on a GPU.
#pragma once

#include "codec/device_codec.hpp"

namespace laconic {

const DeviceCodec& raw_on_device();

}  // namespace laconic
