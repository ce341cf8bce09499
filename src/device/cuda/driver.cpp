// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/driver.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>

#if LACONIC_CUDA_EMULATED

const laconic::Driver* laconic::driver() {
  static constexpr Driver emulated{
      cuPointerGetAttributes,   cuCtxPushCurrent,          cuCtxPopCurrent,
      cuCtxGetCurrent,          cuDeviceGetName,           cuDevicePrimaryCtxGetState,
      cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRelease, cuThreadExchangeStreamCaptureMode};
  return &emulated;
}

#else

#include <dlfcn.h>
#include <link.h>

namespace laconic {
namespace {

// cuda.h renames functions to their newest version.
#define LACONIC_TEXT(word) #word
#define LACONIC_NAME(function) LACONIC_TEXT(function)

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, Driver& d) {
  return find(library, LACONIC_NAME(cuPointerGetAttributes), d.pointer_attributes) &&
         find(library, LACONIC_NAME(cuCtxPushCurrent), d.push) && find(library, LACONIC_NAME(cuCtxPopCurrent), d.pop) &&
         find(library, LACONIC_NAME(cuCtxGetCurrent), d.get_current) &&
         find(library, LACONIC_NAME(cuDeviceGetName), d.device_name) &&
         find(library, LACONIC_NAME(cuDevicePrimaryCtxGetState), d.primary_state) &&
         find(library, LACONIC_NAME(cuDevicePrimaryCtxRetain), d.retain_primary) &&
         find(library, LACONIC_NAME(cuDevicePrimaryCtxRelease), d.release_primary) &&
         find(library, LACONIC_NAME(cuThreadExchangeStreamCaptureMode), d.exchange_capture_mode);
}

// The number of libraries that the process has loaded so far.
unsigned long long loaded_libraries() {
  unsigned long long count = 0;
  const auto first = [](dl_phdr_info* info, std::size_t, void* result) {
    *static_cast<unsigned long long*>(result) = info->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(first, &count);
  return count;
}

}  // namespace

const Driver* driver() {
  static std::atomic<const Driver*> known{nullptr};
  if (const Driver* d = known.load(std::memory_order_acquire)) return d;
  // dlopen() searches the file system, which takes 16 microseconds: only where there are new libraries.
  static std::atomic<unsigned long long> searched{0};
  const unsigned long long loaded = loaded_libraries();
  if (searched.load(std::memory_order_relaxed) == loaded) return nullptr;
  // The runtime, too, loads the driver as a library of this name.
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    searched.store(loaded, std::memory_order_relaxed);
    return nullptr;
  }
  static std::mutex mutex;
  static Driver found;
  const std::lock_guard lock(mutex);
  if (known.load(std::memory_order_relaxed) == nullptr && find_all(library, found))
    known.store(&found, std::memory_order_release);
  return known.load(std::memory_order_relaxed);
}

}  // namespace laconic

#endif
