// SPDX-License-Identifier: BSD-3-Clause
// Memory between two pages that nobody may touch. It begins behind the first or ends before the second; what is left of
// its own pages, and all of it at first, holds a pattern.
#pragma once

#include <cstddef>
#include <cstdint>

namespace handles {

class Memory {
 public:
  Memory(std::size_t bytes, bool at_end, std::uint64_t pattern);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  unsigned char* data() { return data_; }
  unsigned char* pages() { return pages_; }
  std::size_t pages_bytes() const { return pages_bytes_; }

  void make_read_only();
  void make_writable();

 private:
  unsigned char* all_;
  std::size_t all_bytes_;
  unsigned char* pages_;
  std::size_t pages_bytes_;
  unsigned char* data_;
};

}  // namespace handles
