// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of this process: the line `cuda` of devices.def.
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/runtime.hpp"
#include "device/devices.hpp"

namespace laconic {
namespace {

MemoryType type_of(const void* pointer) {
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

std::unique_ptr<Device> open(int number, Status& status, int queues) {
  auto device = std::make_unique<CudaDevice>(number, queues);
  status = device->status();
  if (!status.ok()) return nullptr;
  return device;
}

}  // namespace

const DeviceKind& cuda_devices() {
  static constexpr DeviceKind kind{type_of, open};
  return kind;
}

}  // namespace laconic
