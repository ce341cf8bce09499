// SPDX-License-Identifier: BSD-3-Clause
#include "core/buffers.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace laconic::dropin {
namespace {

struct Kept {
  std::unique_ptr<std::byte[]> memory;
  std::size_t capacity = 0;
};

struct Pool {
  std::mutex mutex;
  std::vector<Kept> kept;
};
Pool& pool() {
  static Pool& it = *new Pool;  // never destroyed: a program may call MPI while it exits
  return it;
}

constexpr std::size_t most_kept = 64;

}  // namespace

Buffer::Buffer(std::size_t bytes) {
  {
    Pool& all = pool();
    const std::lock_guard lock(all.mutex);
    // Best fit: the smallest buffer that is large enough.
    auto best = all.kept.end();
    for (auto it = all.kept.begin(); it != all.kept.end(); ++it)
      if (it->capacity >= bytes && (best == all.kept.end() || it->capacity < best->capacity)) best = it;
    if (best != all.kept.end() && best->capacity / 4 <= bytes + 4096) {
      memory_ = std::move(best->memory);
      capacity_ = best->capacity;
      all.kept.erase(best);
      return;
    }
  }
  memory_.reset(new std::byte[std::max<std::size_t>(bytes, 1)]);
  capacity_ = bytes;
}

Buffer::Buffer(Buffer&& other) noexcept
    : memory_(std::move(other.memory_)), capacity_(std::exchange(other.capacity_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

Buffer::~Buffer() {
  if (memory_ == nullptr) return;
  Pool& all = pool();
  const std::lock_guard lock(all.mutex);
  if (all.kept.capacity() < most_kept) all.kept.reserve(most_kept);
  if (all.kept.size() < most_kept) all.kept.push_back({std::move(memory_), capacity_});
}

}  // namespace laconic::dropin
