// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#if LACONIC_FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if !LACONIC_FIBER_UCONTEXT
// Saves the callee-saved registers on the stack of the current fiber; the return address is there already.
// Floating-point modes are not saved, because kernels do not change them.  The last instruction is a jump, because the
// processor would mispredict every return to another stack.
extern "C" void laconic_fiber_change(void** from, void* to);
extern "C" void laconic_fiber_begin();
asm(R"(
.text
.p2align 4
.globl laconic_fiber_change
.hidden laconic_fiber_change
.type laconic_fiber_change,@function
laconic_fiber_change:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size laconic_fiber_change,.-laconic_fiber_change
.globl laconic_fiber_begin
.hidden laconic_fiber_begin
.type laconic_fiber_begin,@function
laconic_fiber_begin:
  movq %r12, %rdi
  xorl %ebp, %ebp
  callq *%r13
  ud2
.size laconic_fiber_begin,.-laconic_fiber_begin
)");
#endif

namespace laconic::emulator {

#if LACONIC_FIBER_ASAN
constexpr std::size_t unfinished = 8192;
#endif

Stacks::Stacks(std::size_t count) : count_(count) {
  void* memory =
      mmap(nullptr, count * pitch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  memory_ = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < count; ++i) mprotect(memory_ + i * pitch, guard, PROT_NONE);
}

Stacks::~Stacks() {
  if (memory_ == nullptr) return;
#if LACONIC_FIBER_ASAN
  __asan_unpoison_memory_region(memory_, count_ * pitch);
#endif
  munmap(memory_, count_ * pitch);
}

void Fiber::prepare(std::byte* stack, std::size_t colour, Entry entry, void* argument) {
  entry_ = entry;
  argument_ = argument;
#if LACONIC_FIBER_ASAN
  // The outermost functions of the stack's previous fiber never returned, so their stack frames may still be poisoned.
  // All functions that they called have returned.
  __asan_unpoison_memory_region(stack + Stacks::size - unfinished, unfinished);
  stack_ = stack;
  stack_size_ = Stacks::size;
  fake_stack_ = nullptr;
  came_from_ = nullptr;
#endif
  const std::size_t size = Stacks::size - colour % 60 * 64;
#if LACONIC_FIBER_UCONTEXT
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = size;
  context_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::begin_halves), 2,
              static_cast<unsigned>(static_cast<std::uint64_t>(self) >> 32), static_cast<unsigned>(self));
#else
  // The values that laconic_fiber_change pops from the stack: r15 r14 r13 r12 rbx rbp, then the address to jump to.
  std::uintptr_t frame[8] = {};
  frame[2] = reinterpret_cast<std::uintptr_t>(&Fiber::begin);
  frame[3] = reinterpret_cast<std::uintptr_t>(this);
  frame[6] = reinterpret_cast<std::uintptr_t>(&laconic_fiber_begin);
  std::byte* top = stack + size - sizeof frame - 8;
  top -= (reinterpret_cast<std::uintptr_t>(top) + 56) % 16;  // functions expect an aligned stack
  std::memcpy(top, frame, sizeof frame);
  top_ = top;
#endif
}

void Fiber::begin(void* self) {
  Fiber& fiber = *static_cast<Fiber*>(self);
#if LACONIC_FIBER_ASAN
  fiber.arrive();
#endif
  fiber.entry_(fiber.argument_);
  __builtin_unreachable();
}

#if LACONIC_FIBER_UCONTEXT
void Fiber::begin_halves(unsigned high, unsigned low) {
  begin(reinterpret_cast<void*>(static_cast<std::uintptr_t>(static_cast<std::uint64_t>(high) << 32 | low)));
}
#endif

#if LACONIC_FIBER_ASAN
void Fiber::arrive() {
  const void* stack = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(fake_stack_, &stack, &size);
  if (came_from_ != nullptr && came_from_->stack_ == nullptr) {
    came_from_->stack_ = stack;
    came_from_->stack_size_ = size;
  }
}
#endif

void Fiber::change(Fiber& from, Fiber& to, [[maybe_unused]] bool last) {
#if LACONIC_FIBER_ASAN
  to.came_from_ = &from;
  __sanitizer_start_switch_fiber(last ? nullptr : &from.fake_stack_, to.stack_, to.stack_size_);
#endif
#if LACONIC_FIBER_UCONTEXT
  swapcontext(&from.context_, &to.context_);
#else
  laconic_fiber_change(&from.top_, to.top_);
#endif
#if LACONIC_FIBER_ASAN
  from.arrive();
#endif
}

}  // namespace laconic::emulator
