// SPDX-License-Identifier: BSD-3-Clause
// The devices that there are beside the host, for those who know no CUDA.
#pragma once

#include <memory>

#include "base/status.hpp"
#include "device/device.hpp"

namespace laconic {

enum class Memory {
  host,     // of which no device knows
  pinned,   // of the host, and devices reach it
  managed,  // moves between the host and a device
  device,
};

// What memory a pointer is to.
struct MemoryType {
  Memory memory = Memory::host;
  int device = -1;  // managed, device: its number

  // Numbers there are best worked on by that device.
  bool on_device() const { return memory == Memory::device || memory == Memory::managed; }
};

// Never an error: where there is no device, or none that can be used, all memory is the host's.
MemoryType memory_type_of(const void* pointer);

// Jobs that a device works on at a time, each with a queue of its own, unless told otherwise.
inline constexpr int usual_queues = 8;

// The device of that number, with all that it needs to run jobs; nothing, and a status that is not ok, where that
// cannot be had.
std::unique_ptr<Device> open_device(int number, Status& status, int queues = usual_queues);

}  // namespace laconic
