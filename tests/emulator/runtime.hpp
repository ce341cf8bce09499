// SPDX-License-Identifier: BSD-3-Clause
// The part of the CUDA runtime API that the project uses, with CUDA's names and numbers, on the memory and the clock of
// the host.  Streams are lazy: no operation runs when it is enqueued.  Queries run some of the pending operations, in a
// seeded random order that respects streams and events.  Synchronising runs the operations that it waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "emulator/where.hpp"

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorHostMemoryAlreadyRegistered = 712,
  cudaErrorHostMemoryNotRegistered = 713,
  cudaErrorLaunchFailure = 719,
  cudaErrorNotPermitted = 800,
  cudaErrorNotSupported = 801,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureImplicit = 906,
  cudaErrorUnknown = 999,
};

enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrManagedMemory = 83,
};

struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};

struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem;
  std::size_t sharedMemPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int major;
  int minor;
  int multiProcessorCount;
  int l2CacheSize;
  int maxThreadsPerMultiProcessor;
  int canMapHostMemory;
  int unifiedAddressing;
  int managedMemory;
};

namespace laconic::emulator {
struct Stream;
struct Event;
struct Graph;
struct GraphExec;
}  // namespace laconic::emulator
using cudaStream_t = laconic::emulator::Stream*;
using cudaEvent_t = laconic::emulator::Event*;
using cudaGraph_t = laconic::emulator::Graph*;
using cudaGraphExec_t = laconic::emulator::GraphExec*;
using cudaHostFn_t = void (*)(void*);

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2,
};

enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2,
};

constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;
constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
                   cudaHostAllocWriteCombined = 4;
constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2;
constexpr unsigned cudaMemAttachGlobal = 1;
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))

#define LACONIC_CUDA_CALL extern "C" LACONIC_EMULATOR_API cudaError_t

LACONIC_CUDA_CALL cudaGetLastError();
LACONIC_CUDA_CALL cudaPeekAtLastError();
extern "C" LACONIC_EMULATOR_API const char* cudaGetErrorString(cudaError_t error);
extern "C" LACONIC_EMULATOR_API const char* cudaGetErrorName(cudaError_t error);

LACONIC_CUDA_CALL cudaGetDeviceCount(int* count);
LACONIC_CUDA_CALL cudaSetDevice(int device);
LACONIC_CUDA_CALL cudaGetDevice(int* device);
LACONIC_CUDA_CALL cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
LACONIC_CUDA_CALL cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
LACONIC_CUDA_CALL cudaDeviceSynchronize();
LACONIC_CUDA_CALL cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
LACONIC_CUDA_CALL cudaDriverGetVersion(int* version);
LACONIC_CUDA_CALL cudaRuntimeGetVersion(int* version);
LACONIC_CUDA_CALL cudaMemGetInfo(std::size_t* unused, std::size_t* total);

LACONIC_CUDA_CALL cudaMalloc(void** memory, std::size_t bytes);
LACONIC_CUDA_CALL cudaFree(void* memory);
LACONIC_CUDA_CALL cudaMallocHost(void** memory, std::size_t bytes);
LACONIC_CUDA_CALL cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
LACONIC_CUDA_CALL cudaFreeHost(void* memory);
LACONIC_CUDA_CALL cudaHostRegister(void* memory, std::size_t bytes, unsigned flags);
LACONIC_CUDA_CALL cudaHostUnregister(void* memory);
LACONIC_CUDA_CALL cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
LACONIC_CUDA_CALL cudaMallocManaged(void** memory, std::size_t bytes, unsigned flags = cudaMemAttachGlobal);
LACONIC_CUDA_CALL cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

LACONIC_CUDA_CALL cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
LACONIC_CUDA_CALL cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                  cudaStream_t stream = nullptr);
LACONIC_CUDA_CALL cudaMemset(void* memory, int value, std::size_t bytes);
LACONIC_CUDA_CALL cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream = nullptr);

LACONIC_CUDA_CALL cudaStreamCreate(cudaStream_t* stream);
LACONIC_CUDA_CALL cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
LACONIC_CUDA_CALL cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
LACONIC_CUDA_CALL cudaStreamDestroy(cudaStream_t stream);
LACONIC_CUDA_CALL cudaStreamSynchronize(cudaStream_t stream);
LACONIC_CUDA_CALL cudaStreamQuery(cudaStream_t stream);
LACONIC_CUDA_CALL cudaStreamGetFlags(cudaStream_t stream, unsigned* flags);
LACONIC_CUDA_CALL cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
LACONIC_CUDA_CALL cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument);

// A graph is the kernels, copies, memsets and host functions of one stream, in their order.  The global mode is the
// only one, and events cannot be captured.  Calls that CUDA forbids meanwhile end captures.
LACONIC_CUDA_CALL cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
LACONIC_CUDA_CALL cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
LACONIC_CUDA_CALL cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
LACONIC_CUDA_CALL cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags = 0);
LACONIC_CUDA_CALL cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
LACONIC_CUDA_CALL cudaGraphExecDestroy(cudaGraphExec_t exec);
LACONIC_CUDA_CALL cudaGraphDestroy(cudaGraph_t graph);

LACONIC_CUDA_CALL cudaEventCreate(cudaEvent_t* event);
LACONIC_CUDA_CALL cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
LACONIC_CUDA_CALL cudaEventDestroy(cudaEvent_t event);
LACONIC_CUDA_CALL cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
LACONIC_CUDA_CALL cudaEventQuery(cudaEvent_t event);
LACONIC_CUDA_CALL cudaEventSynchronize(cudaEvent_t event);
LACONIC_CUDA_CALL cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to);

// CUDA, too, has these overloads for pointers of any type.
template <class T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(memory), bytes);
}
template <class T>
cudaError_t cudaMallocHost(T** memory, std::size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void**>(memory), bytes);
}
template <class T>
cudaError_t cudaHostAlloc(T** memory, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(memory), bytes, flags);
}
template <class T>
cudaError_t cudaMallocManaged(T** memory, std::size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(memory), bytes, flags);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int threads, std::size_t) {
  *blocks = threads > 0 ? 2048 / threads : 0;
  return *blocks > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

#undef LACONIC_CUDA_CALL

namespace laconic::emulator {

struct Launch;

// Enqueues a kernel launch.  `run` runs it, and returns a fault or nothing.  The memory at `pointers` must stay valid
// until then.
LACONIC_EMULATOR_API cudaError_t enqueue_kernel(unsigned blocks, unsigned threads, cudaStream_t stream,
                                                std::function<std::string(const Launch&)> run,
                                                std::vector<const void*> pointers);

// Enqueues a kernel launch.  Each thread runs `body`.  The memory at `pointers` must stay valid until the kernel has
// run.
LACONIC_EMULATOR_API cudaError_t enqueue_grid(unsigned blocks, unsigned threads, cudaStream_t stream,
                                              std::function<void()> body, std::vector<const void*> pointers);

// The arguments of a kernel that are pointers themselves.  Pointers inside objects are not found.
template <class... Arguments>
std::vector<const void*> pointers_in(const std::tuple<Arguments...>& arguments) {
  std::vector<const void*> found;
  const auto look = [&](const auto& argument) {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(argument)>>) found.push_back(argument);
  };
  std::apply([&](const auto&... argument) { (look(argument), ...); }, arguments);
  return found;
}

}  // namespace laconic::emulator
