// SPDX-License-Identifier: BSD-3-Clause
// A pool of device memory, or of pinned host memory.  Allocating either takes as long as many messages and may wait for
// the device, so memory that is given back is kept and lent again.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace laconic {

class MemoryPool {
 public:
  enum class Kind { device, pinned };

  explicit MemoryPool(Kind kind) : kind_(kind) {}
  ~MemoryPool() { clear(); }
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Leases memory on the current device, aligned to 256 bytes.  Empty when no memory is available.
  std::span<std::byte> lease(std::size_t bytes);

  // Takes back a span exactly as lease() returned it.
  void give_back(std::span<std::byte> memory);

  // Frees everything.  The context in which it was allocated has to be current, here as in lease().
  void clear();

  // Number of bytes allocated, lent or not.
  std::size_t footprint() const { return footprint_; }

 private:
  struct Block {
    std::byte* at;
    std::size_t size;
    bool lent;
  };

  std::span<std::byte> lease_part(std::size_t bytes);
  std::span<std::byte> lease_block(std::size_t bytes);
  std::byte* allocate(std::size_t bytes);
  void release(std::byte* at) const;
  bool release_idle();

  Kind kind_;
  std::size_t footprint_ = 0;
  std::vector<Block> blocks_;  // one for each large lease

  // Small leases are parts of slabs.  Their sizes are powers of two, from 256 bytes on.
  static constexpr std::size_t classes = 9;
  std::vector<std::byte*> slabs_;
  std::size_t cut_ = 0;  // number of bytes of the latest slab that have been cut off
  std::array<std::vector<std::byte*>, classes> idle_parts_;
};

}  // namespace laconic
