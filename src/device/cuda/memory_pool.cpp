// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/memory_pool.hpp"

#include <algorithm>
#include <bit>

#include "device/cuda/runtime.hpp"

namespace laconic {
namespace {

constexpr std::size_t smallest = 256;
constexpr std::size_t slab = std::size_t{1} << 20;
constexpr std::size_t granule = std::size_t{64} << 10;  // large leases are multiples of it

std::size_t class_of(std::size_t bytes) {
  return static_cast<std::size_t>(std::bit_width((std::max(bytes, smallest) - 1) / smallest));
}

}  // namespace

void MemoryPool::clear() {
  for (std::byte* at : slabs_) release(at);
  for (const Block& block : blocks_) release(block.at);
  slabs_.clear();
  blocks_.clear();
  for (auto& parts : idle_parts_) parts.clear();
  footprint_ = 0;
}

std::span<std::byte> MemoryPool::lease(std::size_t bytes) {
  return class_of(bytes) < classes ? lease_part(bytes) : lease_block(bytes);
}

void MemoryPool::give_back(std::span<std::byte> memory) {
  if (memory.data() == nullptr) return;
  if (const std::size_t c = class_of(memory.size()); c < classes) return idle_parts_[c].push_back(memory.data());
  for (Block& block : blocks_)
    if (block.at == memory.data()) block.lent = false;
}

std::span<std::byte> MemoryPool::lease_part(std::size_t bytes) {
  const std::size_t c = class_of(bytes);
  const std::size_t size = smallest << c;
  if (idle_parts_[c].empty()) {
    if (slabs_.empty() || cut_ + size > slab) {
      std::byte* at = allocate(slab);
      if (at == nullptr) return {};
      slabs_.push_back(at);
      cut_ = 0;
    }
    idle_parts_[c].push_back(slabs_.back() + cut_);
    cut_ += size;
  }
  std::byte* at = idle_parts_[c].back();
  idle_parts_[c].pop_back();
  return {at, bytes};
}

std::span<std::byte> MemoryPool::lease_block(std::size_t bytes) {
  Block* best = nullptr;
  for (Block& block : blocks_) {
    const bool fits = !block.lent && block.size >= bytes && block.size / 2 <= bytes;
    if (fits && (best == nullptr || block.size < best->size)) best = &block;
  }
  if (best == nullptr) {
    const std::size_t size = (bytes + granule - 1) / granule * granule;
    if (size < bytes) return {};
    std::byte* at = allocate(size);
    if (at == nullptr) return {};
    best = &blocks_.emplace_back(Block{at, size, false});
  }
  best->lent = true;
  return {best->at, bytes};
}

std::byte* MemoryPool::allocate(std::size_t bytes) {
  do {
    void* at = nullptr;
    // Mapped, because kernels write reports to this memory; portable, so that the process's other devices, too, know it
    // as pinned.
    const cudaError_t error = kind_ == Kind::device
                                  ? cudaMalloc(&at, bytes)
                                  : cudaHostAlloc(&at, bytes, cudaHostAllocMapped | cudaHostAllocPortable);
    if (error == cudaSuccess) {
      footprint_ += bytes;
      return static_cast<std::byte*>(at);
    }
    (void)cudaGetLastError();
  } while (release_idle());
  return nullptr;
}

void MemoryPool::release(std::byte* at) const {
  if (kind_ == Kind::device)
    (void)cudaFree(at);
  else
    (void)cudaFreeHost(at);
}

// Frees the large blocks that are not lent.  True when there was any.
bool MemoryPool::release_idle() {
  const std::size_t before = blocks_.size();
  std::erase_if(blocks_, [this](const Block& block) {
    if (block.lent) return false;
    release(block.at);
    footprint_ -= block.size;
    return true;
  });
  return blocks_.size() < before;
}

}  // namespace laconic
