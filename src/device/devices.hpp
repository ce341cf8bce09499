// SPDX-License-Identifier: BSD-3-Clause
// The devices other than the host, for code that does not use CUDA.
#pragma once

#include <memory>

#include "base/status.hpp"
#include "device/device.hpp"

namespace laconic {

enum class Memory {
  host,     // host memory that no device knows
  pinned,   // host memory that devices can access
  managed,  // moves between the host and a device
  device,
};

// The memory type of a pointer.
struct MemoryType {
  Memory memory = Memory::host;
  int device = -1;  // managed, device: the device's number

  // Numbers in this memory are best processed by that device.
  bool on_device() const { return memory == Memory::device || memory == Memory::managed; }
};

// Whether this build has code for devices.
bool has_devices();

// Never fails: where there is no device, or none that can be used, all memory is host memory.
MemoryType memory_type_of(const void* pointer);

// The default number of jobs that a device works on at a time, each with a queue of its own.
inline constexpr int usual_queues = 8;

// Opens the device of that number, with all that it needs to run jobs.  On failure, returns null and sets a status that
// is not ok.
std::unique_ptr<Device> open_device(int number, Status& status, int queues = usual_queues);

// A kind of device, which a line of devices.def names: the implementations of the functions above.
struct DeviceKind {
  MemoryType (*memory_type_of)(const void* pointer);
  std::unique_ptr<Device> (*open)(int number, Status& status, int queues);
};

}  // namespace laconic
