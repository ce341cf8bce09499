// SPDX-License-Identifier: BSD-3-Clause
// Buffers of the application that are in the memory of a device, where something has to be done that only the host can
// do: its memory stands in for them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "base/status.hpp"
#include "device/device.hpp"
#include "device/devices.hpp"

namespace laconic {

// The bytes that `count` elements of a buffer from number `first` on can hold, from the first of them to the last.
std::span<std::byte> extent_of(const void* buffer, MPI_Aint first, MPI_Count count, MPI_Datatype type);

// Of what is not empty.
inline MemoryType memory_type_of(std::span<const std::byte> extent) {
  return extent.empty() ? MemoryType{} : memory_type_of(extent.data());
}

class StagingBuffer {
 public:
  StagingBuffer() = default;
  StagingBuffer(const StagingBuffer&) = delete;
  StagingBuffer& operator=(const StagingBuffer&) = delete;

  // These wait for the device.  filled: with what is in the original.
  Status make(Device& device, std::span<std::byte> original, bool filled);
  Status put_back(std::size_t bytes);
  Status put_back() { return put_back(original_.size()); }

  // While the device is still there.
  void release();

  bool made() const { return device_ != nullptr; }
  std::size_t size() const { return copy_.size(); }

  // Of a pointer into the original, or to where MPI counts from.
  void* of(const void* pointer) const;

 private:
  Device* device_ = nullptr;
  std::span<std::byte> original_;
  std::span<std::byte> copy_;
};

}  // namespace laconic
