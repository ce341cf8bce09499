// SPDX-License-Identifier: BSD-3-Clause
// What kernels must not do with memory: accesses outside of what is allocated, reads of what was never written, and two
// accesses of different threads, one of them a write, that nothing puts in order.  Shared memory that was never written
// may be read: kernels fetch whole words of packed numbers, and drop what is behind the last one.  It holds garbage
// that differs from block to block.
//
// A barrier of a block puts accesses of its threads in order, a barrier of a warp those of its lanes.  Other collective
// functions of a warp exchange registers, and say nothing about memory.  Words by which blocks communicate (relaxed,
// acquire, release, atomic) may be accessed at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "emulator/machine.hpp"

namespace laconic::ptx {

enum class Space : std::uint8_t { generic, global, shared, local, parameter };
enum class Access : std::uint8_t { read, write, read_word, write_word };

// Who accesses: the thread, and what it has passed so far.
struct Who {
  std::uint32_t launch = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;  // in its block
  std::uint32_t barriers = 0;
  std::uint32_t syncs = 0;
};

// The threads that have accessed a byte since something put all of them in order.
struct Trace {
  Who who;  // one of them
  enum class Shared : std::uint8_t { none, one, warp, block, grid } among = Shared::none;

  // Whether all of them come before this access.
  bool before(const Who& me) const;
  void add(const Who& me);
};

struct Cell {
  Trace writer, reader;
  bool is_set = false;
};

// Throws Fault where the access is wrong.  `set_before_read`: memory that is read must have been written.
void check(Cell* cells, std::size_t bytes, const Who& me, Access access, bool set_before_read);

// Cells of all memory that the device has.
class Accesses final : public emulator::MemoryWatch {
 public:
  void allocated(const std::byte* begin, std::size_t bytes, bool on_device) override;
  void freed(const std::byte* begin) override;
  void copied(const std::byte* to, const std::byte* from, std::size_t bytes) override;

  // Throws Fault.
  void check_global(std::uint64_t address, std::size_t bytes, const Who& me, Access access);
  std::uint32_t next_launch() {
    idle_reads_ = 0;
    return ++launches_;
  }
  // Reads of words since one was written.
  std::uint64_t idle_reads() const { return idle_reads_; }

 private:
  struct Free {
    void operator()(Cell* cells) const;
  };
  struct Region {
    const std::byte* begin = nullptr;
    std::size_t bytes = 0;
    bool on_device = false;
    std::unique_ptr<Cell[], Free> cells;
  };
  Region* find(const std::byte* at);

  std::map<const std::byte*, Region> regions_;
  Region* latest_ = nullptr;
  std::uint32_t launches_ = 0;
  std::uint64_t idle_reads_ = 0;
};

}  // namespace laconic::ptx
