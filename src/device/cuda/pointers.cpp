// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/runtime.hpp"
#include "device/devices.hpp"

namespace laconic {

MemoryType memory_type_of(const void* pointer) {
  if (pointer == nullptr) return {};
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    // There is no driver or no device.  The error is cleared, because the runtime would otherwise report it to its next
    // caller, which has nothing to do with it.
    (void)cudaGetLastError();
    return {};
  }
  switch (attributes.type) {
    case cudaMemoryTypeHost: return {Memory::pinned, -1};
    case cudaMemoryTypeDevice: return {Memory::device, attributes.device};
    case cudaMemoryTypeManaged: return {Memory::managed, attributes.device};
    default: return {};
  }
}

}  // namespace laconic
