// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of this process: the line `cuda` of devices.def.
#include <iterator>

#include "device/cuda/cuda_caller_queue.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/driver.hpp"
#include "device/devices.hpp"

namespace laconic {
namespace {

// The primary context of a device that has one already; null if it has none.
CUcontext primary_context(int device) {
  unsigned flags = 0;
  int active = 0;
  CUcontext primary = nullptr;
  if (driver()->primary_state(device, &flags, &active) != CUDA_SUCCESS || active == 0) return nullptr;
  if (driver()->retain_primary(&primary, device) != CUDA_SUCCESS) return nullptr;
  (void)driver()->release_primary(device);
  return primary;
}

MemoryType type_of(const void* pointer) {
  if (pointer == nullptr || driver() == nullptr) return {};
  unsigned memory = 0;
  unsigned managed = 0;
  int device = -1;
  CUcontext context = nullptr;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_CONTEXT};
  void* values[] = {&memory, &managed, &device, &context};
  // An error: nobody has initialised the driver, or there is no device.
  if (driver()->pointer_attributes(std::size(attributes), attributes, values, reinterpret_cast<CUdeviceptr>(pointer)) !=
      CUDA_SUCCESS)
    return {};
  if (memory == CU_MEMORYTYPE_HOST && managed == 0) return {Memory::pinned, -1, nullptr};
  if (managed == 0 && memory != CU_MEMORYTYPE_DEVICE) return {};
  if (context != nullptr && context == primary_context(device)) context = nullptr;
  return {managed != 0 ? Memory::managed : Memory::device, device, context};
}

std::unique_ptr<Device> open(int number, Status& status, int queues, void* context) {
  auto device = std::make_unique<CudaDevice>(number, static_cast<CUcontext>(context), queues);
  status = device->status();
  if (!status.ok()) return nullptr;
  return device;
}

std::unique_ptr<CallerQueue> caller_queue() { return std::make_unique<CudaCallerQueue>(); }

}  // namespace

const DeviceKind& cuda_devices() {
  static constexpr DeviceKind kind{type_of, open, caller_queue};
  return kind;
}

}  // namespace laconic
