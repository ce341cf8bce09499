// SPDX-License-Identifier: BSD-3-Clause
// The devices other than the host, for code that does not use CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.hpp"
#include "device/caller_queue.hpp"
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
  int device = -1;          // managed, device: the device's number
  void* context = nullptr;  // the context on the device that it belongs to; null: the usual one, or to all

  // Numbers in this memory are best processed by that device.
  bool on_device() const { return memory == Memory::device || memory == Memory::managed; }
};

// Whether this build has code for devices.
bool has_devices();

// Never fails: where there is no device, or none that can be used, all memory is host memory.
MemoryType memory_type_of(const void* pointer);

// Whether kernels of the device take numbers of `size` bytes at this address.  Elsewhere than at a multiple of the
// size, a load would be an error that ends all use of the device by the process.
inline bool kernels_take(const Device& device, const void* numbers, std::size_t size) {
  return device.runs_kernels() && reinterpret_cast<std::uintptr_t>(numbers) % size == 0;
}

// The default number of jobs that a device works on at a time, each with a queue of its own.
inline constexpr int usual_queues = 8;

// Opens the device of that number, with all that it needs to run jobs, to work in this context.  On failure, returns
// null and sets a status that is not ok.
std::unique_ptr<Device> open_device(int number, Status& status, int queues = usual_queues, void* context = nullptr);

// A queue for streams of a caller.  Null in builds without code for devices.
std::unique_ptr<CallerQueue> make_caller_queue();

// A kind of device, which a line of devices.def names: the implementations of the functions above.
struct DeviceKind {
  MemoryType (*memory_type_of)(const void* pointer);
  std::unique_ptr<Device> (*open)(int number, Status& status, int queues, void* context);
  std::unique_ptr<CallerQueue> (*make_caller_queue)();
};

}  // namespace laconic
