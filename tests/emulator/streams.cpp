// SPDX-License-Identifier: BSD-3-Clause
// Streams, events, and the operations that are enqueued into streams.
#include <cstring>
#include <utility>

#include "emulator/grid.hpp"
#include "emulator/machine.hpp"

namespace laconic::emulator {

cudaError_t enqueue_grid(unsigned blocks, unsigned threads, cudaStream_t handle, std::function<void()> body,
                         std::vector<const void*> pointers) {
  return enqueue_kernel(
      blocks, threads, handle, [body = std::move(body)](const Launch& launch) { return Grid(launch, body).run(); },
      std::move(pointers));
}

cudaError_t enqueue_kernel(unsigned blocks, unsigned threads, cudaStream_t handle,
                           std::function<std::string(const Launch&)> run, std::vector<const void*> pointers) {
  Call call("kernel");
  if (call.bad()) return call.error();
  Machine& machine = Machine::instance();
  Stream* stream = machine.checked(handle);
  if (stream == nullptr || (handle != nullptr && stream->device != current_device()))
    return call.end(cudaErrorInvalidResourceHandle);
  if (blocks == 0 || blocks > 0x7fffffff || threads == 0 || threads > 1024)
    return call.end(cudaErrorInvalidConfiguration);
  if (const cudaError_t error = machine.check_capture(*stream); error != cudaSuccess) return call.end(error);
  std::vector<Range> touches;
  for (const void* pointer : pointers)
    if (machine.find(pointer) != nullptr) touches.push_back({static_cast<const std::byte*>(pointer), 1});
  const auto work = [&machine, blocks, threads, run = std::move(run)] {
    const Launch launch{blocks, threads, std::uint64_t{machine.random.next()} << 32 | machine.random.next(),
                        machine.patience};
    const std::string wrong = run(launch);
    if (!wrong.empty())
      machine.fault("a kernel of " + std::to_string(blocks) + " blocks of " + std::to_string(threads) +
                    " threads: " + wrong);
  };
  machine.enqueue(*stream, {"kernel", work, std::move(touches), false, {}, nullptr});
  return cudaSuccess;
}

}  // namespace laconic::emulator

using laconic::emulator::Call;
using laconic::emulator::current_device;
using laconic::emulator::Machine;
using laconic::emulator::on_stream;
using laconic::emulator::Stream;

namespace {

Machine& machine() { return Machine::instance(); }

// The result of a call that is an error on a captured stream in every mode.
cudaError_t end_captures() {
  machine().invalidate_captures();
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t fill(Stream& stream, void* memory, int value, std::size_t bytes) {
  const laconic::emulator::Range range{static_cast<const std::byte*>(memory), bytes};
  if (bytes == 0) return cudaSuccess;
  if (machine().find(memory) == nullptr || !machine().inside(range)) return cudaErrorInvalidValue;
  if (const cudaError_t error = machine().check_capture(stream); error != cudaSuccess) return error;
  const auto work = [memory, value, bytes] {
    std::memset(memory, value, bytes);
    if (machine().watch != nullptr) machine().watch->copied(static_cast<const std::byte*>(memory), nullptr, bytes);
  };
  machine().enqueue(stream, {"memset", work, {range}, false, {}, nullptr});
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return on_stream("cudaMemcpy", nullptr,
                   [&](Stream& stream) { return machine().copy(to, from, bytes, kind, stream, true); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return on_stream("cudaMemcpyAsync", stream,
                   [&](Stream& s) { return machine().copy(to, from, bytes, kind, s, false); });
}

cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  return on_stream("cudaMemset", nullptr, [&](Stream& stream) { return fill(stream, memory, value, bytes); });
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return on_stream("cudaMemsetAsync", stream, [&](Stream& s) { return fill(s, memory, value, bytes); });
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  Call call("cudaStreamCreate");
  if (call.bad()) return call.error();
  if (flags > cudaStreamNonBlocking) return call.end(cudaErrorInvalidValue);
  *stream = machine().make_stream(flags);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Call call("cudaStreamDestroy");
  return call.end(machine().destroy(stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return on_stream("cudaStreamSynchronize", stream, [](Stream& s) {
    if (s.capture != cudaStreamCaptureStatusNone) return end_captures();
    machine().run_all(s);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return on_stream("cudaStreamQuery", stream, [](Stream& s) {
    if (s.capture != cudaStreamCaptureStatusNone) return end_captures();
    machine().run_some();
    return machine().idle(s) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return on_stream("cudaStreamGetFlags", stream, [&](Stream& s) {
    *flags = s.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return on_stream("cudaStreamWaitEvent", stream, [&](Stream& s) {
    if (!machine().known(event)) return cudaErrorInvalidResourceHandle;
    if (s.capture != cudaStreamCaptureStatusNone) return cudaErrorNotSupported;
    if (event->recorded != nullptr && !event->recorded->yes)
      machine().enqueue(s, {"wait for an event", nullptr, {}, false, {event->recorded}, nullptr});
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  return on_stream("cudaLaunchHostFunc", stream, [&](Stream& s) {
    const auto work = [function, argument] { function(argument); };
    machine().enqueue(s, {"host function", work, {}, true, {}, nullptr});
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  Call call("cudaEventCreate");
  if (call.bad()) return call.error();
  *event = machine().make_event(flags);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Call call("cudaEventDestroy");
  if (!machine().known(event)) return call.end(cudaErrorInvalidResourceHandle);
  machine().destroy(event);
  return call.end(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return on_stream("cudaEventRecord", stream, [&](Stream& s) {
    if (!machine().known(event) || (stream != nullptr && event->device != s.device))
      return cudaErrorInvalidResourceHandle;
    if (s.capture != cudaStreamCaptureStatusNone) return cudaErrorNotSupported;
    event->recorded = machine().enqueue(s, {"record of an event", nullptr, {}, false, {}, nullptr});
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  Call call("cudaEventQuery");
  if (call.bad()) return call.error();
  if (!machine().known(event)) return call.end(cudaErrorInvalidResourceHandle);
  machine().run_some();
  return call.end(event->recorded == nullptr || event->recorded->yes ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Call call("cudaEventSynchronize");
  if (call.bad()) return call.error();
  if (!machine().known(event)) return call.end(cudaErrorInvalidResourceHandle);
  const laconic::emulator::DonePtr recorded = event->recorded;
  if (recorded != nullptr) machine().run_until(recorded);
  return call.end(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  Call call("cudaEventElapsedTime");
  if (call.bad()) return call.error();
  for (cudaEvent_t event : {from, to})
    if (!machine().known(event) || !event->timed || event->recorded == nullptr)
      return call.end(cudaErrorInvalidResourceHandle);
  if (!from->recorded->yes || !to->recorded->yes) return call.end(cudaErrorNotReady);
  *milliseconds = static_cast<float>((to->recorded->seconds - from->recorded->seconds) * 1e3);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  Call call("cudaDeviceSynchronize");
  if (call.bad()) return call.error();
  machine().run_everything();
  return call.end(cudaSuccess);
}
