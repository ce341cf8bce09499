// SPDX-License-Identifier: BSD-3-Clause
#include "base/writable.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace laconic {
namespace {

// The question PROCMAP_QUERY of Linux 6.11 (include/uapi/linux/fs.h), which headers of older systems do not have.
struct MapQuery {
  std::uint64_t size = sizeof(MapQuery);
  std::uint64_t query_flags = 0;  // the mapping that covers the address
  std::uint64_t query_addr = 0;
  std::uint64_t vma_start = 0;
  std::uint64_t vma_end = 0;
  std::uint64_t vma_flags = 0;
  std::uint64_t vma_page_size = 0;
  std::uint64_t vma_offset = 0;
  std::uint64_t inode = 0;
  std::uint32_t dev_major = 0;
  std::uint32_t dev_minor = 0;
  std::uint32_t vma_name_size = 0;
  std::uint32_t build_id_size = 0;
  std::uint64_t vma_name_addr = 0;
  std::uint64_t build_id_addr = 0;
};
static_assert(sizeof(MapQuery) == 104);
constexpr std::uint64_t vma_writable = 2;

class File {
 public:
  explicit File(const char* name) : number_(open(name, O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (number_ >= 0) close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

enum class Answer { yes, no, unknown };

Answer ask(int maps, std::uintptr_t at, std::uintptr_t end) {
  while (at < end) {
    MapQuery query;
    query.query_addr = at;
    if (ioctl(maps, _IOWR('f', 17, MapQuery), &query) != 0) return errno == ENOENT ? Answer::no : Answer::unknown;
    if ((query.vma_flags & vma_writable) == 0) return Answer::no;
    at = query.vma_end;
  }
  return Answer::yes;
}

// The same from the text, whose lines are in the order of addresses: "begin-end rw.. ...".  Only their beginnings are
// of interest.
class MapsText {
 public:
  MapsText(std::uintptr_t at, std::uintptr_t end) : at_(at), end_(end) {}

  Answer read(int maps) {
    for (std::array<char, 4096> text;;) {
      const ssize_t bytes = ::read(maps, text.data(), text.size());
      if (bytes < 0) return Answer::unknown;
      if (bytes == 0) return Answer::no;
      for (ssize_t k = 0; k < bytes; ++k)
        if (const Answer answer = take(text[static_cast<std::size_t>(k)]); answer != Answer::unknown) return answer;
    }
  }

 private:
  Answer take(char c) {
    if (c == '\n') {
      length_ = 0;
    } else if (length_ < line_.size() - 1) {
      line_[length_++] = c;
      if (length_ == line_.size() - 1) return take_line();
    }
    return Answer::unknown;
  }

  Answer take_line() {
    char* rest = line_.data();
    const std::uintptr_t from = std::strtoull(rest, &rest, 16);
    const std::uintptr_t to = std::strtoull(rest + 1, &rest, 16);
    if (to <= at_) return Answer::unknown;
    if (from > at_ || rest[2] != 'w') return Answer::no;
    at_ = to;
    return at_ >= end_ ? Answer::yes : Answer::unknown;
  }

  std::uintptr_t at_;
  const std::uintptr_t end_;
  std::array<char, 40> line_{};  // its beginning: two addresses of at most 16 digits each, and the permissions
  std::size_t length_ = 0;
};

}  // namespace

bool is_writable(std::span<const std::byte> memory) {
  if (memory.empty()) return true;
  const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t end = at + memory.size();
  // Open until the process ends: to open it takes longer than to ask.
  static const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return true;
  if (const Answer answer = ask(maps, at, end); answer != Answer::unknown) return answer == Answer::yes;
  const File text("/proc/self/maps");
  return text.number() < 0 || MapsText(at, end).read(text.number()) != Answer::no;
}

}  // namespace laconic
