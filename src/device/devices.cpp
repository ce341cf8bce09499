// SPDX-License-Identifier: BSD-3-Clause
#include "device/devices.hpp"

namespace laconic {

#define LACONIC_DEVICE(name) const DeviceKind& name##_devices();
#include "device/devices.def"
#undef LACONIC_DEVICE

namespace {

// The line of devices.def, or null in a build for hosts only.
const DeviceKind* kind() {
#define LACONIC_DEVICE(name) return &name##_devices();
#include "device/devices.def"
#undef LACONIC_DEVICE
  return nullptr;
}

}  // namespace

bool has_devices() { return kind() != nullptr; }

MemoryType memory_type_of(const void* pointer) {
  return has_devices() ? kind()->memory_type_of(pointer) : MemoryType{};
}

std::unique_ptr<CallerQueue> make_caller_queue() { return has_devices() ? kind()->make_caller_queue() : nullptr; }

std::unique_ptr<Device> open_device(int number, Status& status, int queues, void* context) {
  if (has_devices()) return kind()->open(number, status, queues, context);
  status = {Code::device, "this build of Laconic has no device code (LACONIC_CUDA)"};
  return nullptr;
}

}  // namespace laconic
