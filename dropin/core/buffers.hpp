// SPDX-License-Identifier: BSD-3-Clause
// Memory for messages in transit. Released memory goes to a pool, so that a program that repeatedly sends messages of
// similar size allocates nothing after the first ones.
#pragma once

#include <cstddef>
#include <memory>

namespace laconic::dropin {

class Buffer {
 public:
  Buffer() = default;
  // Memory of at least this size, not initialised; throws std::bad_alloc.
  explicit Buffer(std::size_t bytes);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  std::byte* data() const { return memory_.get(); }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace laconic::dropin
