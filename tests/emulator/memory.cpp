// SPDX-License-Identifier: BSD-3-Clause
// Memory of the emulated runtime: host memory, with a register of the allocations and their memory types.
#include <algorithm>
#include <cstring>
#include <new>

#include "emulator/fiber.hpp"
#include "emulator/machine.hpp"

#if LACONIC_FIBER_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace laconic::emulator {
namespace {

constexpr auto alignment = std::align_val_t(256);

const std::byte* bytes_of(const void* pointer) { return static_cast<const std::byte*>(pointer); }

bool overlap(Range a, Range b) { return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes; }

}  // namespace

void Machine::open_memory() {
  if (open_) return;
  open_ = true;
#if LACONIC_FIBER_ASAN
  for (const auto& [begin, allocation] : memory_)
    if (allocation.type == cudaMemoryTypeDevice) __asan_unpoison_memory_region(begin, allocation.bytes);
#endif
}

void Machine::close_memory() {
  if (!open_) return;
  open_ = false;
#if LACONIC_FIBER_ASAN
  for (const auto& [begin, allocation] : memory_)
    if (allocation.type == cudaMemoryTypeDevice) __asan_poison_memory_region(begin, allocation.bytes);
#endif
}

const Allocation* Machine::find(const void* pointer, const std::byte** begin) const {
  auto after = memory_.upper_bound(bytes_of(pointer));
  if (after == memory_.begin()) return nullptr;
  --after;
  if (bytes_of(pointer) >= after->first + std::max<std::size_t>(after->second.bytes, 1)) return nullptr;
  if (begin != nullptr) *begin = after->first;
  return &after->second;
}

bool Machine::inside(Range range) const {
  if (range.bytes == 0) return true;
  const std::byte* begin = nullptr;
  const Allocation* allocation = find(range.begin, &begin);
  if (allocation != nullptr) return range.begin + range.bytes <= begin + allocation->bytes;
  const auto next = memory_.lower_bound(range.begin);
  return next == memory_.end() || next->first >= range.begin + range.bytes;
}

Holdings Machine::holdings() const {
  Holdings all;
  for (const auto& [begin, allocation] : memory_) {
    if (allocation.registered) continue;
    all.bytes += allocation.bytes;
    ++all.allocations;
  }
  return all;
}

cudaError_t Machine::allocate(void** memory, std::size_t bytes, cudaMemoryType type) {
  if (memory == nullptr) return cudaErrorInvalidValue;
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > device_bytes - std::min(device_bytes, holdings().bytes)) return cudaErrorMemoryAllocation;
  void* fresh = operator new(bytes, alignment, std::nothrow);
  if (fresh == nullptr) return cudaErrorMemoryAllocation;
  // Filled with garbage, so that uninitialized memory does not look initialized.
  std::memset(fresh, static_cast<int>(0x80 | random.below(0x7f)), bytes);
  memory_[bytes_of(fresh)] = {bytes, type, current_device(), false, current_context()};
  if (watch != nullptr) watch->allocated(bytes_of(fresh), bytes, type == cudaMemoryTypeDevice);
  if (type == cudaMemoryTypeDevice) {
    open_ = true;
    close_memory();
  }
  *memory = fresh;
  return cudaSuccess;
}

cudaError_t Machine::release(void* memory, cudaMemoryType type, const char* call) {
  if (memory == nullptr) return cudaSuccess;
  const auto found = memory_.find(bytes_of(memory));
  const bool right = found != memory_.end() && !found->second.registered &&
                     (found->second.type == cudaMemoryTypeHost) == (type == cudaMemoryTypeHost);
  if (!right) return cudaErrorInvalidValue;
  const Range range{found->first, found->second.bytes};
  for (const auto& stream : streams_)
    for (const Operation& operation : stream->pending)
      for (const Range touched : operation.touches)
        if (overlap(range, touched)) fault(std::string(call) + " of memory that a pending " + operation.what + " uses");
#if LACONIC_FIBER_ASAN
  __asan_unpoison_memory_region(memory, range.bytes);
#endif
  memory_.erase(found);
  if (watch != nullptr) watch->freed(bytes_of(memory));
  operator delete(memory, alignment);
  return cudaSuccess;
}

cudaError_t Machine::pin(void* memory, std::size_t bytes) {
  if (memory == nullptr || bytes == 0) return cudaErrorInvalidValue;
  if (find(memory) != nullptr || !inside({bytes_of(memory), bytes})) return cudaErrorHostMemoryAlreadyRegistered;
  memory_[bytes_of(memory)] = {bytes, cudaMemoryTypeHost, current_device(), true, current_context()};
  if (watch != nullptr) watch->allocated(bytes_of(memory), bytes, false);
  return cudaSuccess;
}

cudaError_t Machine::unpin(void* memory) {
  const auto found = memory_.find(bytes_of(memory));
  if (found == memory_.end() || !found->second.registered) return cudaErrorHostMemoryNotRegistered;
  memory_.erase(found);
  if (watch != nullptr) watch->freed(bytes_of(memory));
  return cudaSuccess;
}

cudaError_t Machine::copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Stream& stream,
                          bool wait) {
  const Allocation* target = find(to);
  const Allocation* source = find(from);
  const auto of_device = [](const Allocation* a) { return a != nullptr && a->type == cudaMemoryTypeDevice; };
  const auto of_host = [](const Allocation* a) { return a == nullptr || a->type == cudaMemoryTypeHost; };
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault && bytes > 0 &&
      ((to_device ? of_host(target) : of_device(target)) || (from_device ? of_host(source) : of_device(source))))
    return cudaErrorInvalidValue;
  const Range write{bytes_of(to), bytes}, read{bytes_of(from), bytes};
  if (!inside(write) || !inside(read)) {
    fault("a copy of " + std::to_string(bytes) + " bytes reaches beyond the allocation that it " +
          (inside(write) ? "reads" : "writes"));
    return cudaErrorLaunchFailure;
  }
  if (const cudaError_t error = check_capture(stream); error != cudaSuccess) return error;
  const bool is_pageable = bytes > 0 && (target == nullptr || source == nullptr);
  const bool is_captured = stream.capture != cudaStreamCaptureStatusNone;
  if (is_captured && is_pageable) return cudaErrorNotSupported;
  const auto work = [this, to, from, bytes, write, read] {
    if (!inside(write) || !inside(read))
      return fault("a copy runs after the allocations that hold its memory have changed");
    if (bytes > 0) std::memmove(to, from, bytes);
    if (watch != nullptr) watch->copied(write.begin, read.begin, bytes);
  };
  const DonePtr done = enqueue(stream, {"copy", work, {write, read}, false, {}, nullptr});
  if (is_captured) return cudaSuccess;
  pageable += is_pageable && !wait;
  if ((wait && !(of_device(target) && of_device(source))) || is_pageable) run_until(done);
  return cudaSuccess;
}

}  // namespace laconic::emulator

using laconic::emulator::Call;
using laconic::emulator::Machine;

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  Call call("cudaMalloc");
  return call.bad() ? call.error() : call.end(Machine::instance().allocate(memory, bytes, cudaMemoryTypeDevice));
}

cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  Call call("cudaMallocHost");
  return call.bad() ? call.error() : call.end(Machine::instance().allocate(memory, bytes, cudaMemoryTypeHost));
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  Call call("cudaHostAlloc");
  return call.bad() ? call.error() : call.end(Machine::instance().allocate(memory, bytes, cudaMemoryTypeHost));
}

cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned) {
  Call call("cudaMallocManaged");
  return call.bad() ? call.error() : call.end(Machine::instance().allocate(memory, bytes, cudaMemoryTypeManaged));
}

// Memory is freed even when the device is lost.
cudaError_t cudaFree(void* memory) {
  Call call("cudaFree");
  return call.end(Machine::instance().release(memory, cudaMemoryTypeDevice, "cudaFree"));
}

cudaError_t cudaFreeHost(void* memory) {
  Call call("cudaFreeHost");
  return call.end(Machine::instance().release(memory, cudaMemoryTypeHost, "cudaFreeHost"));
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  Call call("cudaHostRegister");
  return call.bad() ? call.error() : call.end(Machine::instance().pin(memory, bytes));
}

cudaError_t cudaHostUnregister(void* memory) {
  Call call("cudaHostUnregister");
  return call.end(Machine::instance().unpin(memory));
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  Call call("cudaHostGetDevicePointer");
  if (call.bad()) return call.error();
  const auto* allocation = Machine::instance().find(host);
  if (allocation == nullptr || allocation->type != cudaMemoryTypeHost) return call.end(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  Call call("cudaPointerGetAttributes");
  if (call.bad()) return call.error();
  const auto* allocation = Machine::instance().find(pointer);
  void* same = const_cast<void*>(pointer);
  if (allocation == nullptr)
    *attributes = {cudaMemoryTypeUnregistered, -1, nullptr, same};
  else
    *attributes = {allocation->type, allocation->device, same,
                   allocation->type == cudaMemoryTypeDevice ? nullptr : same};
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* unused, std::size_t* total) {
  Call call("cudaMemGetInfo");
  if (call.bad()) return call.error();
  *total = laconic::emulator::device_bytes;
  *unused = *total - Machine::instance().holdings().bytes;
  return cudaSuccess;
}
