// SPDX-License-Identifier: BSD-3-Clause
// For builds without CUDA, where the host is the only device.
#include "device/devices.hpp"
#include "base/build.hpp"

#if !LACONIC_HAS_CUDA

namespace laconic {

MemoryType memory_type_of(const void*) { return {}; }

std::unique_ptr<Device> open_device(int, Status& status, int) {
  status = {Code::device, "this build of Laconic has no device code (LACONIC_CUDA)"};
  return nullptr;
}

}  // namespace laconic

#endif
