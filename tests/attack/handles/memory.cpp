// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "numbers.hpp"

namespace handles {

Memory::Memory(std::size_t bytes, bool at_end, std::uint64_t pattern) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  pages_bytes_ = (bytes / page + 1) * page;
  all_bytes_ = pages_bytes_ + 2 * page;
  void* all = mmap(nullptr, all_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) std::abort();
  all_ = static_cast<unsigned char*>(all);
  pages_ = all_ + page;
  make_writable();
  constexpr std::size_t aligned = 8;
  data_ = at_end ? pages_ + (pages_bytes_ - bytes) / aligned * aligned : pages_;
  for (std::size_t i = 0; i < pages_bytes_; i += sizeof pattern) {
    pattern += 0x0101010101010101ULL;
    std::memcpy(pages_ + i, &pattern, sizeof pattern);
  }
}

Memory::~Memory() { munmap(all_, all_bytes_); }

void Memory::make_read_only() {
  if (mprotect(pages_, pages_bytes_, PROT_READ) != 0) std::abort();
}

void Memory::make_writable() {
  if (mprotect(pages_, pages_bytes_, PROT_READ | PROT_WRITE) != 0) std::abort();
}

}  // namespace handles
