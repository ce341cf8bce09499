// SPDX-License-Identifier: BSD-3-Clause
// Captures of streams, and the graphs that come of them.
#include <algorithm>
#include <utility>

#include "emulator/machine.hpp"

using laconic::emulator::Call;
using laconic::emulator::Machine;
using laconic::emulator::on_stream;
using laconic::emulator::Operation;
using laconic::emulator::Range;
using laconic::emulator::Stream;

namespace {

Machine& machine() { return Machine::instance(); }

bool is_gone(const Range& range) { return machine().find(range.begin) == nullptr || !machine().inside(range); }

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return on_stream("cudaStreamBeginCapture", stream, [&](Stream& s) {
    if (mode != cudaStreamCaptureModeGlobal) return cudaErrorNotSupported;
    if (stream == nullptr || s.capture != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
    s.capture = cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return on_stream("cudaStreamEndCapture", stream, [&](Stream& s) {
    *graph = nullptr;
    const auto status = std::exchange(s.capture, cudaStreamCaptureStatusNone);
    auto operations = std::exchange(s.captured, {});
    if (status == cudaStreamCaptureStatusNone) return cudaErrorInvalidValue;
    if (status != cudaStreamCaptureStatusActive) return cudaErrorStreamCaptureInvalidated;
    *graph = new laconic::emulator::Graph{std::move(operations)};
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return on_stream("cudaStreamIsCapturing", stream, [&](Stream& s) {
    *status = s.capture;
    return stream == nullptr && machine().captures_implicitly() ? cudaErrorStreamCaptureImplicit : cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  Call call("cudaGraphInstantiate");
  if (call.bad()) return call.error();
  if (graph == nullptr) return call.end(cudaErrorInvalidValue);
  *exec = new laconic::emulator::GraphExec{graph->operations};
  return call.end(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return on_stream("cudaGraphLaunch", stream, [&](Stream& s) {
    if (exec == nullptr) return cudaErrorInvalidValue;
    if (s.capture != cudaStreamCaptureStatusNone) return cudaErrorNotSupported;
    for (const Operation& operation : exec->operations) {
      if (std::any_of(operation.touches.begin(), operation.touches.end(), is_gone)) {
        machine().fault(std::string("a graph whose ") + operation.what + " uses memory that has been freed");
        return cudaErrorLaunchFailure;
      }
      machine().enqueue(s, operation);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  Call call("cudaGraphExecDestroy");
  delete exec;
  return call.end(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  Call call("cudaGraphDestroy");
  delete graph;
  return call.end(cudaSuccess);
}
