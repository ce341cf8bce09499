// SPDX-License-Identifier: BSD-3-Clause
// A staging buffer: memory of the host that stands in for an application's buffer in device memory, for work that only
// the host can do.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "base/status.hpp"
#include "device/device.hpp"
#include "device/devices.hpp"

namespace laconic {

// The memory that `count` elements of a buffer from number `first` on can occupy, from its lowest to its highest byte.
std::span<std::byte> extent_of(const void* buffer, MPI_Aint first, MPI_Count count, MPI_Datatype type);

// The memory type of an extent; the default where the extent is empty.
inline MemoryType memory_type_of(std::span<const std::byte> extent) {
  return extent.empty() ? MemoryType{} : memory_type_of(extent.data());
}

class StagingBuffer {
 public:
  StagingBuffer() = default;
  StagingBuffer(const StagingBuffer&) = delete;
  StagingBuffer& operator=(const StagingBuffer&) = delete;

  // These wait for the device.  filled: the copy begins with the contents of the original.
  Status make(Device& device, std::span<std::byte> original, bool filled);
  Status put_back(std::size_t bytes);
  Status put_back() { return put_back(original_.size()); }

  // Has to be called while the device is still there.
  void release();

  bool made() const { return device_ != nullptr; }
  std::size_t size() const { return copy_.size(); }

  // The address in the copy for a pointer into the original, or for the address that MPI counts displacements from.
  void* of(const void* pointer) const;

 private:
  Device* device_ = nullptr;
  std::span<std::byte> original_;
  std::span<std::byte> copy_;
};

}  // namespace laconic
