// SPDX-License-Identifier: BSD-3-Clause
// Contexts of execution that switch explicitly to each other: one for every CUDA thread that is resident.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define LACONIC_FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LACONIC_FIBER_ASAN 1
#endif
#endif

#if !defined(__x86_64__) || !defined(__ELF__)
#define LACONIC_FIBER_UCONTEXT 1
#include <ucontext.h>
#endif

namespace laconic::emulator {

// Memory for `count` stacks, each with a guard page below it.
class Stacks {
 public:
  explicit Stacks(std::size_t count);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  bool ok() const { return memory_ != nullptr; }
  std::size_t count() const { return count_; }
  std::byte* lowest(std::size_t index) const { return memory_ + index * pitch + guard; }

  static constexpr std::size_t guard = 4096;
  static constexpr std::size_t size = 124 * 1024;
  static constexpr std::size_t pitch = guard + size;

 private:
  std::byte* memory_ = nullptr;
  std::size_t count_;
};

class Fiber {
 public:
  using Entry = void (*)(void*);

  // The running context of the thread itself.  change() fills it in.
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The first change() to this fiber calls entry(argument), which never returns.  `colour` shifts the top of the stack,
  // so that fibers with consecutive colours do not compete for the same sets of the cache.
  void prepare(std::byte* stack, std::size_t colour, Entry entry, void* argument);

  // Continues `to`, and returns when a fiber changes back to `from`.  `last`: no fiber will.
  static void change(Fiber& from, Fiber& to, bool last = false);

 private:
  [[noreturn]] static void begin(void* self);
#if LACONIC_FIBER_UCONTEXT
  static void begin_halves(unsigned high, unsigned low);
  ucontext_t context_;
#else
  void* top_ = nullptr;
#endif
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
#if LACONIC_FIBER_ASAN
  void arrive();
  Fiber* came_from_ = nullptr;
  const void* stack_ = nullptr;  // for the thread itself: unknown until the first change to another fiber
  std::size_t stack_size_ = 0;
  void* fake_stack_ = nullptr;
#endif
};

}  // namespace laconic::emulator
