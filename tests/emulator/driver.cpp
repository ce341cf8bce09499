// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/contexts.hpp"
#include "emulator/machine.hpp"

namespace laconic::emulator {
namespace {

struct Current {
  int chosen = 0;  // by cudaSetDevice()
  std::vector<CUcontext> stack;
};

Current& current() {
  thread_local Current mine;
  return mine;
}

// Under the machine's lock.  Never destroyed, as the machine.
Context& primary(int device) {
  static auto& all = *new std::map<int, std::unique_ptr<Context>>;
  auto& context = all[device];
  if (!context) context = std::make_unique<Context>(Context{device, 0});
  return *context;
}

CUresult result(const Call& call) {
  if (!call.bad()) return CUDA_SUCCESS;
  return call.error() == cudaErrorNoDevice ? CUDA_ERROR_NOT_INITIALIZED : CUDA_ERROR_INVALID_VALUE;
}

bool is_device(int device) { return device >= 0 && device < Machine::instance().devices; }

}  // namespace

CUcontext current_context() { return current().stack.empty() ? nullptr : current().stack.back(); }

int current_device() { return current_context() != nullptr ? current_context()->device : current().chosen; }

void choose_device(int device) {
  current().chosen = device;
  if (current().stack.empty()) current().stack.push_back(nullptr);
  current().stack.back() = &primary(device);
  if (primary(device).retained == 0) primary(device).retained = 1;
}

CUcontext need_context() {
  if (current_context() == nullptr) choose_device(current().chosen);
  return current_context();
}

CUstreamCaptureMode& capture_mode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

}  // namespace laconic::emulator

using laconic::emulator::Call;
using laconic::emulator::Context;
using laconic::emulator::current;
using laconic::emulator::is_device;
using laconic::emulator::Machine;
using laconic::emulator::primary;
using laconic::emulator::result;

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values, CUdeviceptr pointer) {
  Call call("cuPointerGetAttributes", Call::Context::not_needed);
  if (call.bad()) return result(call);
  const auto* allocation = Machine::instance().find(reinterpret_cast<const void*>(pointer));
  for (unsigned k = 0; k < count; ++k) {
    void* const value = values[k];
    switch (attributes[k]) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        *static_cast<CUcontext*>(value) = allocation != nullptr ? allocation->context : nullptr;
        break;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned*>(value) = allocation == nullptr                    ? 0
                                         : allocation->type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST
                                                                                  : CU_MEMORYTYPE_DEVICE;
        break;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<unsigned*>(value) = allocation != nullptr && allocation->type == cudaMemoryTypeManaged ? 1 : 0;
        break;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(value) = allocation != nullptr ? allocation->device : -2;
        break;
      default: return CUDA_ERROR_INVALID_VALUE;
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
  Call call("cuCtxCreate", Call::Context::not_needed);
  if (call.bad()) return result(call);
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *context = new Context{device, 0};
  current().stack.push_back(*context);
  return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext context) {
  Call call("cuCtxDestroy", Call::Context::not_needed);
  if (context == nullptr || context == &primary(context->device)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!current().stack.empty() && current().stack.back() == context) current().stack.pop_back();
  delete context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  Call call("cuCtxGetCurrent", Call::Context::not_needed);
  if (call.bad()) return result(call);
  *context = laconic::emulator::current_context();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  Call call("cuCtxPushCurrent", Call::Context::not_needed);
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  current().stack.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  Call call("cuCtxPopCurrent", Call::Context::not_needed);
  if (current().stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = current().stack.back();
  current().stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  Call call("cuDeviceGetName", Call::Context::not_needed);
  if (call.bad()) return result(call);
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (length < 1) return CUDA_ERROR_INVALID_VALUE;
  const std::string& whole = laconic::emulator::Machine::instance().device_name;
  name[whole.copy(name, static_cast<std::size_t>(length) - 1)] = 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  Call call("cuDevicePrimaryCtxGetState", Call::Context::not_needed);
  if (call.bad()) return result(call);
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *flags = 0;
  *active = primary(device).retained > 0 ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  Call call("cuDevicePrimaryCtxRetain", Call::Context::not_needed);
  if (call.bad()) return result(call);
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *context = &primary(device);
  ++primary(device).retained;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  Call call("cuDevicePrimaryCtxRelease", Call::Context::not_needed);
  if (device < 0 || primary(device).retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  --primary(device).retained;
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, laconic::emulator::capture_mode());
  return CUDA_SUCCESS;
}
