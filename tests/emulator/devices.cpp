// SPDX-License-Identifier: BSD-3-Clause
// Devices, errors, and the functions by which tests control the emulator.
#include <cstring>

#include "emulator/control.hpp"
#include "emulator/machine.hpp"

namespace laconic::emulator {

void set_seed(std::uint64_t seed) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.seed = seed;
  machine.random = Random(seed);
}

std::uint64_t seed() { return Machine::instance().seed; }

std::string take_fault() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return machine.take_fault();
}

void set_patience(std::uint64_t loads) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.patience = loads;
}

void fail_call(const std::string& function, unsigned nth, cudaError_t error) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.planned.push_back({function, nth, error});
}

std::uint64_t calls(const std::string& function) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  const auto found = machine.calls.find(function);
  return found == machine.calls.end() ? 0 : found->second;
}

std::uint64_t pageable_copies() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return machine.pageable;
}

Holdings holdings() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return machine.holdings();
}

void set_devices(int count) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.devices = count;
}

void set_capability(int major) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.capability = major;
}

void set_device_name(const char* name) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.device_name = name;
}

}  // namespace laconic::emulator

using laconic::emulator::Call;
using laconic::emulator::current_device;
using laconic::emulator::latest_error;
using laconic::emulator::Machine;

namespace {

struct Words {
  cudaError_t error;
  const char* name;
  const char* text;
};

#define LACONIC_ERROR(error, text) \
  { error, #error, text }
constexpr Words words[] = {
    LACONIC_ERROR(cudaSuccess, "no error"),
    LACONIC_ERROR(cudaErrorInvalidValue, "invalid argument"),
    LACONIC_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    LACONIC_ERROR(cudaErrorInitializationError, "initialization error"),
    LACONIC_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    LACONIC_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    LACONIC_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    LACONIC_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    LACONIC_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    LACONIC_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    LACONIC_ERROR(cudaErrorNotReady, "device not ready"),
    LACONIC_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    LACONIC_ERROR(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    LACONIC_ERROR(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    LACONIC_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    LACONIC_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    LACONIC_ERROR(cudaErrorNotSupported, "operation not supported"),
    LACONIC_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    LACONIC_ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    LACONIC_ERROR(cudaErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a capturing one"),
};
#undef LACONIC_ERROR

const Words& words_of(cudaError_t error) {
  static constexpr Words unknown{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};
  for (const Words& row : words)
    if (row.error == error) return row;
  return unknown;
}

// The values of an H200, where there is a choice.
int attribute_of(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return 1024;
    case cudaDevAttrMaxSharedMemoryPerBlock: return 48 * 1024;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMultiProcessorCount: return 132;
    case cudaDevAttrL2CacheSize: return 60 << 20;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrComputeCapabilityMajor: return Machine::instance().capability;
    case cudaDevAttrComputeCapabilityMinor: return 0;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory: return 1;
  }
  return 0;
}

bool is_device(int device) { return device >= 0 && device < Machine::instance().devices; }

}  // namespace

cudaError_t cudaGetLastError() {
  const cudaError_t latest = latest_error();
  latest_error() = cudaSuccess;
  return latest;
}

cudaError_t cudaPeekAtLastError() { return latest_error(); }

const char* cudaGetErrorString(cudaError_t error) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return error == cudaErrorLaunchFailure && machine.faulty() ? machine.fault_text() : words_of(error).text;
}

const char* cudaGetErrorName(cudaError_t error) { return words_of(error).name; }

cudaError_t cudaGetDeviceCount(int* count) {
  Call call("cudaGetDeviceCount", Call::Context::not_needed);
  *count = Machine::instance().devices;
  return call.error();
}

cudaError_t cudaSetDevice(int device) {
  Call call("cudaSetDevice", Call::Context::not_needed);
  if (call.bad()) return call.error();
  if (!is_device(device)) return call.end(cudaErrorInvalidDevice);
  laconic::emulator::choose_device(device);
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  Call call("cudaGetDevice", Call::Context::not_needed);
  if (call.bad()) return call.error();
  *device = current_device();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  Call call("cudaDeviceGetAttribute", Call::Context::not_needed);
  if (call.bad()) return call.error();
  if (!is_device(device)) return call.end(cudaErrorInvalidDevice);
  *value = attribute_of(attribute);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  Call call("cudaGetDeviceProperties", Call::Context::not_needed);
  if (call.bad()) return call.error();
  if (!is_device(device)) return call.end(cudaErrorInvalidDevice);
  *properties = {};
  properties->name[Machine::instance().device_name.copy(properties->name, sizeof properties->name - 1)] = 0;
  properties->totalGlobalMem = laconic::emulator::device_bytes;
  properties->sharedMemPerBlock = static_cast<std::size_t>(attribute_of(cudaDevAttrMaxSharedMemoryPerBlock));
  properties->warpSize = attribute_of(cudaDevAttrWarpSize);
  properties->maxThreadsPerBlock = attribute_of(cudaDevAttrMaxThreadsPerBlock);
  properties->major = attribute_of(cudaDevAttrComputeCapabilityMajor);
  properties->minor = attribute_of(cudaDevAttrComputeCapabilityMinor);
  properties->multiProcessorCount = attribute_of(cudaDevAttrMultiProcessorCount);
  properties->l2CacheSize = attribute_of(cudaDevAttrL2CacheSize);
  properties->maxThreadsPerMultiProcessor = attribute_of(cudaDevAttrMaxThreadsPerMultiProcessor);
  properties->canMapHostMemory = properties->unifiedAddressing = properties->managedMemory = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  Call call("cudaDeviceGetStreamPriorityRange");
  *least = *greatest = 0;
  return call.error();
}

cudaError_t cudaDriverGetVersion(int* version) {
  Call call("cudaDriverGetVersion", Call::Context::not_needed);
  *version = Machine::instance().devices > 0 ? 13000 : 0;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  Call call("cudaRuntimeGetVersion", Call::Context::not_needed);
  *version = 13000;
  return cudaSuccess;
}
