// SPDX-License-Identifier: BSD-3-Clause
// Buffers of neighborhood collectives: where their blocks are, what they hold, and whether anything else was written.
#pragma once

#include <signal.h>
#include <sys/mman.h>

#include "topology.hpp"

namespace neighborhoods {

// Memory of whole pages, of which some can be made read-only. A write there is noticed and then allowed, so that the
// program can say which call it was and go on.
class Memory {
 public:
  static constexpr std::size_t size = std::size_t{4} << 20;

  Memory() {
    void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) std::abort();
    bytes_ = static_cast<std::byte*>(at);
    all()[number_of_all()++] = this;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return bytes_; }
  static std::size_t page() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
  }

  // Whole pages.
  void forbid_writing(std::size_t at, std::size_t bytes) const { mprotect(bytes_ + at, bytes, PROT_READ); }
  void allow_writing() const { mprotect(bytes_, size, PROT_READ | PROT_WRITE); }

  // Whether anything was written to read-only pages since the last question.
  static bool was_written() { return std::exchange(written(), 0) != 0; }

  static void watch() {
    struct sigaction action {};
    action.sa_sigaction = [](int number, siginfo_t* info, void*) {
      for (int k = 0; k < number_of_all(); ++k) {
        auto* const at = static_cast<std::byte*>(info->si_addr);
        std::byte* const begin = all()[k]->bytes_;
        if (at < begin || at >= begin + size) continue;
        written() = 1;
        mprotect(begin + (at - begin) / static_cast<std::ptrdiff_t>(page()) * static_cast<std::ptrdiff_t>(page()),
                 page(), PROT_READ | PROT_WRITE);
        return;
      }
      signal(number, SIG_DFL);
    };
    action.sa_flags = SA_SIGINFO;
    page();
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
  }

 private:
  static std::array<Memory*, 2>& all() {
    static std::array<Memory*, 2> them{};
    return them;
  }
  static int& number_of_all() {
    static int number = 0;
    return number;
  }
  static volatile sig_atomic_t& written() {
    static volatile sig_atomic_t it = 0;
    return it;
  }

  std::byte* bytes_ = nullptr;
};

enum class Scalar { real, single, integer };

inline std::size_t width_of(Scalar scalar) { return scalar == Scalar::real ? sizeof(double) : sizeof(float); }

// MPI's datatypes: numbers, or two numbers with a gap after each.
class Types {
 public:
  Types() {
    const std::array<MPI_Datatype, 3> numbers{MPI_DOUBLE, MPI_FLOAT, MPI_INT};
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      MPI_Datatype pair = MPI_DATATYPE_NULL;
      MPI_Type_vector(2, 1, 2, numbers[k], &pair);
      MPI_Type_create_resized(pair, 0, static_cast<MPI_Aint>(4 * width_of(static_cast<Scalar>(k))), &spaced_[k]);
      MPI_Type_commit(&spaced_[k]);
      MPI_Type_free(&pair);
    }
    numbers_ = numbers;
  }
  MPI_Datatype of(Scalar scalar, bool spaced) const {
    return (spaced ? spaced_ : numbers_)[static_cast<std::size_t>(scalar)];
  }
  void free() {
    for (MPI_Datatype& type : spaced_) MPI_Type_free(&type);
  }

 private:
  std::array<MPI_Datatype, 3> numbers_{};
  std::array<MPI_Datatype, 3> spaced_{};
};

struct Block {
  std::size_t numbers = 0;  // an even number of them
  Scalar scalar = Scalar::real;
  bool spaced = false;
  bool absent = false;  // of a neighbor that does not exist
  std::size_t at = 0;   // bytes from the beginning of the memory

  std::size_t items() const { return spaced ? numbers / 2 : numbers; }
  std::size_t extent() const { return width_of(scalar) * (spaced ? 4 : 1); }
  std::size_t bytes() const { return items() * extent(); }
  std::size_t place(std::size_t number) const { return at + number * width_of(scalar) * (spaced ? 2 : 1); }
};

// The number of a block that a rank sends. They differ by far more than any bound where rank or block differ, and are
// exact in all types.
inline double value(int sender, std::size_t block, std::size_t number, int round, std::size_t phase) {
  static const std::vector<double> wave = [] {
    std::vector<double> x(4096);
    Random random(4711);
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = std::round(1024 *
                        (std::sin(static_cast<double>(k) * 6 * 3.14159265358979 / 4096) + 0.01 * random.uniform())) /
             1024;
    return x;
  }();
  return 0.25 * (sender * 16 + static_cast<int>(block)) + 0.0625 * round + wave[(phase + number) % wave.size()];
}

inline void store(std::byte* at, Scalar scalar, double value) {
  const auto put = [&](auto x) { std::memcpy(at, &x, sizeof x); };
  if (scalar == Scalar::real) put(value);
  if (scalar == Scalar::single) put(static_cast<float>(value));
  if (scalar == Scalar::integer) put(static_cast<int>(1024 * value));
}

inline double load(const std::byte* at, Scalar scalar) {
  const auto get = [&](auto x) {
    std::memcpy(&x, at, sizeof x);
    return static_cast<double>(x);
  };
  if (scalar == Scalar::real) return get(double{});
  if (scalar == Scalar::single) return get(float{});
  return get(int{}) / 1024;
}

inline bool is_close(const std::byte* at, Scalar scalar, double value, double bound) {
  std::array<std::byte, sizeof(double)> right{};
  store(right.data(), scalar, value);
  const auto close = [&](auto got, auto wanted) {
    std::memcpy(&got, at, sizeof got);
    std::memcpy(&wanted, right.data(), sizeof wanted);
    return dropin::alike(&got, &wanted, 1, bound);
  };
  if (scalar == Scalar::real) return close(double{}, double{});
  if (scalar == Scalar::single) return close(float{}, float{});
  return close(int{}, int{});
}

// The send or the receive buffer of a call.
struct Side {
  const Memory* memory = nullptr;
  Block each;  // where all blocks have one type, and one size: ranks without neighbors must give these, too (8.6.1)
  std::vector<Block> blocks;
  std::size_t base = 0;  // of the address that MPI gets
  std::size_t used = 0;  // bytes of the memory, with some before and behind all blocks
  bool guarded = false;  // blocks of absent neighbors are read-only, where they are whole pages
  bool free = false;     // blocks are at displacements

  std::byte* address() const { return memory->data() + base; }

  // One behind the other, or in any order with gaps, at multiples of `unit` (0: of their extent) from the address.
  void place(bool freely, std::size_t unit, Random& random) {
    free = freely;
    const std::size_t page = Memory::page();
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (freely) shuffle(order, random);
    std::size_t next = base = page;
    const auto align = [&](std::size_t to) { next = (next + to - 1) / to * to; };
    for (const std::size_t k : order) {
      Block& block = blocks[k];
      const std::size_t step = unit > 0 ? unit : block.extent();
      if (freely) next += step * random.below(6);
      align(guarded && freely && block.absent ? page : step);
      block.at = next;
      next += block.bytes();
      if (guarded && freely && block.absent) align(page);
    }
    if (freely && chance(random, 4)) {  // displacements below 0
      const std::size_t step = unit > 0 ? unit : blocks.empty() ? 1 : blocks.front().extent();
      base += step * random.below((next - base) / step + 1);
    }
    align(page);
    used = next + page;
    if (used > Memory::size) std::abort();
  }

  static std::byte mark(std::size_t at) { return static_cast<std::byte>(at * 37 + 11); }

  void fill() const {
    memory->allow_writing();
    for (std::size_t k = 0; k < used; ++k) memory->data()[k] = mark(k);
  }

  // Of the receive buffer.
  void guard() const {
    if (!guarded) return;
    const std::size_t page = Memory::page();
    for (const Block& block : blocks)
      if (block.absent && block.bytes() > 0 && (free || block.bytes() % page == 0))
        memory->forbid_writing(block.at, (block.bytes() + page - 1) / page * page);
  }

  // An address of the memory that holds something else than its mark, or `used`.
  std::size_t first_written() const {
    std::size_t k = 0;
    while (k < used && memory->data()[k] == mark(k)) ++k;
    return k;
  }
};

}  // namespace neighborhoods
