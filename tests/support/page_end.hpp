// SPDX-License-Identifier: BSD-3-Clause
// Bytes at the end of accessible memory: reading beyond the last one ends the program. This also catches reads that
// the compiler's sanitizers do not see (masked loads).
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>

namespace laconic::test {

class PageEnd {
 public:
  explicit PageEnd(std::size_t capacity)
      : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))), room_((capacity + page_ - 1) / page_ * page_) {
    void* at = ::mmap(nullptr, room_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(at);
    if (::mprotect(memory_ + room_, page_, PROT_NONE) != 0) throw std::bad_alloc();
  }
  ~PageEnd() { ::munmap(memory_, room_ + page_); }
  PageEnd(const PageEnd&) = delete;
  PageEnd& operator=(const PageEnd&) = delete;

  // Copies the bytes to the end of the memory; the copy is valid until the next call.
  const std::byte* put(std::span<const std::byte> bytes) {
    std::byte* const begin = memory_ + room_ - bytes.size();
    std::copy(bytes.begin(), bytes.end(), begin);
    return begin;
  }

 private:
  std::size_t page_;
  std::size_t room_;
  std::byte* memory_ = nullptr;
};

}  // namespace laconic::test
