// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/staging_buffer.hpp"

#include <algorithm>
#include <cstdint>

namespace laconic {

std::span<std::byte> extent_of(const void* buffer, MPI_Aint first, MPI_Count count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return {};
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lower_bound = 0;
  MPI_Aint true_extent = 0;
  MPI_Type_get_extent(type, &lower_bound, &extent);
  MPI_Type_get_true_extent(type, &true_lower_bound, &true_extent);
  if (true_extent <= 0) return {};
  const MPI_Aint one_end = first * extent;
  const MPI_Aint other_end = (first + static_cast<MPI_Aint>(count) - 1) * extent;
  auto* const from = static_cast<std::byte*>(const_cast<void*>(buffer)) + std::min(one_end, other_end);
  return {from + true_lower_bound,
          static_cast<std::size_t>(std::max(one_end, other_end) - std::min(one_end, other_end) + true_extent)};
}

Status StagingBuffer::make(Device& device, std::span<std::byte> original, bool filled) {
  copy_ = device.lease_shared(original.size());
  if (copy_.empty()) return {Code::memory, "no pinned memory for a copy of a device's buffer on the host"};
  device_ = &device;
  original_ = original;
  return filled ? device.copy(copy_.data(), original.data(), original.size()) : Status{};
}

Status StagingBuffer::put_back(std::size_t bytes) {
  return device_->copy(original_.data(), copy_.data(), std::min(bytes, original_.size()));
}

void StagingBuffer::release() {
  if (device_ != nullptr) device_->give_back_shared(copy_);
  device_ = nullptr;
  original_ = copy_ = {};
}

void* StagingBuffer::of(const void* pointer) const {
  // Computed with integers, because MPI_BOTTOM is not a pointer into any object.
  const auto moved =
      reinterpret_cast<std::uintptr_t>(copy_.data()) - reinterpret_cast<std::uintptr_t>(original_.data());
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(pointer) + moved);
}

}  // namespace laconic
