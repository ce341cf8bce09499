// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "emulator/fiber.hpp"

#if LACONIC_FIBER_ASAN
// AddressSanitizer calls this before it ends the process, perhaps in the middle of a kernel.  The reader of its report
// needs the seed.
extern "C" LACONIC_EMULATOR_API void __asan_on_error() {
  const std::string text = "LACONIC_EMULATOR_SEED=" + std::to_string(laconic::emulator::seed()) + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}
#endif

namespace laconic::emulator {

cudaError_t& latest_error() {
  thread_local cudaError_t latest = cudaSuccess;
  return latest;
}

bool& in_host_function() {
  thread_local bool inside = false;
  return inside;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

namespace {

std::uint64_t first_seed() {
  const char* text = std::getenv("LACONIC_EMULATOR_SEED");
  std::uint64_t seed = 1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), seed);
  return seed;
}

}  // namespace

// Never destroyed: streams may be freed by objects that live as long as the process.
Machine& Machine::instance() {
  static Machine& machine = *new Machine;
  return machine;
}

Machine::Machine() : random(first_seed()), seed(first_seed()) { streams_.push_back(std::make_unique<Stream>()); }

void Machine::fault(const std::string& what) {
  if (!fault_.empty()) return;
  fault_ = "emulated device, LACONIC_EMULATOR_SEED=" + std::to_string(seed) + ": " + what;
}

std::string Machine::take_fault() {
  std::string taken;
  taken.swap(fault_);
  latest_error() = cudaSuccess;
  if (taken.empty()) return taken;
  for (const auto& stream : streams_)
    for (std::size_t i = stream->busy ? 1 : 0; i < stream->pending.size(); ++i) {
      stream->pending[i].work = nullptr;
      stream->pending[i].touches.clear();
    }
  return taken;
}

const char* Machine::fault_text() {
  if (fault_texts_.empty() || fault_texts_.back() != fault_) fault_texts_.push_back(fault_);
  return fault_texts_.back().c_str();
}

Stream* Machine::checked(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return streams_.front().get();
  for (const auto& stream : streams_)
    if (stream.get() == handle && !stream->destroyed) return handle;
  return nullptr;
}

Stream* Machine::make_stream(unsigned flags) {
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->waits_for_legacy = (flags & cudaStreamNonBlocking) == 0;
  stream->device = current_device();
  streams_.push_back(std::move(stream));
  return streams_.back().get();
}

// Operations that are pending in the stream still run.
cudaError_t Machine::destroy(cudaStream_t handle) {
  Stream* stream = checked(handle);
  if (stream == nullptr || stream == streams_.front().get()) return cudaErrorInvalidResourceHandle;
  stream->destroyed = true;
  sweep();
  return cudaSuccess;
}

void Machine::sweep() {
  std::erase_if(streams_,
                [](const auto& stream) { return stream->destroyed && !stream->busy && stream->pending.empty(); });
}

Event* Machine::make_event(unsigned flags) {
  auto* event = new Event;
  event->device = current_device();
  event->timed = (flags & cudaEventDisableTiming) == 0;
  events_.insert(event);
  return event;
}

void Machine::destroy(Event* event) {
  events_.erase(event);
  delete event;
}

DonePtr Machine::enqueue(Stream& stream, Operation operation) {
  if (stream.capture == cudaStreamCaptureStatusActive) {
    stream.captured.push_back(std::move(operation));
    return nullptr;
  }
  Stream& legacy = *streams_.front();
  if (&stream == &legacy) {
    for (const auto& other : streams_)
      if (other->waits_for_legacy && other.get() != &legacy && !other->pending.empty())
        operation.after.push_back(other->pending.back().done);
  } else if (stream.waits_for_legacy && !legacy.pending.empty()) {
    operation.after.push_back(legacy.pending.back().done);
  }
  operation.done = std::make_shared<Done>();
  operation.done->stream = &stream;
  stream.pending.push_back(std::move(operation));
  return stream.pending.back().done;
}

bool Machine::can_run(const Stream& stream) const {
  if (stream.busy || stream.pending.empty()) return false;
  const auto& after = stream.pending.front().after;
  return std::all_of(after.begin(), after.end(), [](const DonePtr& done) { return done->yes; });
}

void Machine::run_head(Stream& stream) {
  Operation& operation = stream.pending.front();
  if (operation.work && fault_.empty()) {
    if (operation.of_host) {
      close_memory();
      stream.busy = true;
      std::unique_lock<std::mutex>* mine = lock;
      mine->unlock();
      in_host_function() = true;
      operation.work();
      in_host_function() = false;
      mine->lock();
      lock = mine;
      stream.busy = false;
    } else {
      open_memory();
      operation.work();
    }
  }
  operation.done->seconds = now();
  operation.done->yes = true;
  stream.pending.pop_front();
  host_function_done_.notify_all();
}

void Machine::run_some() {
  for (std::uint32_t left = random.below(4); left > 0; --left) {
    std::vector<Stream*> able;
    for (const auto& stream : streams_)
      if (can_run(*stream)) able.push_back(stream.get());
    if (able.empty()) break;
    run_head(*able[random.below(able.size())]);
  }
  sweep();
}

// The stream that has to run first for `done` to complete.  The loop ends, because operations only wait for earlier
// ones.
Stream* Machine::next_needed(const DonePtr& done) {
  Stream* stream = done->stream;
  for (;;) {
    if (stream->busy) return stream;
    const auto& after = stream->pending.front().after;
    const auto undone = std::find_if(after.begin(), after.end(), [](const DonePtr& other) { return !other->yes; });
    if (undone == after.end()) return stream;
    stream = (*undone)->stream;
  }
}

void Machine::run_until(const DonePtr& done) {
  while (!done->yes) {
    if (random.below(4) == 0) {
      run_some();
      continue;
    }
    Stream* stream = next_needed(done);
    if (stream->busy) {
      std::unique_lock<std::mutex>* mine = lock;
      host_function_done_.wait(*mine);
      lock = mine;
    } else {
      run_head(*stream);
    }
  }
  sweep();
}

void Machine::run_all(Stream& stream) {
  if (stream.pending.empty()) return;
  const DonePtr last = stream.pending.back().done;
  run_until(last);
}

void Machine::run_everything() {
  std::vector<DonePtr> last;
  for (const auto& stream : streams_)
    if (!stream->pending.empty()) last.push_back(stream->pending.back().done);
  for (const DonePtr& done : last) run_until(done);
}

cudaError_t Machine::check_capture(const Stream& stream) {
  if (stream.capture == cudaStreamCaptureStatusInvalidated) return cudaErrorStreamCaptureInvalidated;
  if (&stream != streams_.front().get() || !captures_implicitly()) return cudaSuccess;
  invalidate_captures();
  return cudaErrorStreamCaptureImplicit;
}

bool Machine::captures_implicitly() const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [](const auto& s) { return s->waits_for_legacy && s->capture != cudaStreamCaptureStatusNone; });
}

bool Machine::invalidate_captures() {
  bool any = false;
  for (const auto& stream : streams_)
    if (stream->capture == cudaStreamCaptureStatusActive) {
      stream->capture = cudaStreamCaptureStatusInvalidated;
      any = true;
    }
  return any;
}

namespace {

// Calls that a thread must not make while any stream is captured, unless it has relaxed its mode.
bool ends_captures(std::string_view function) {
  constexpr std::string_view unsafe[] = {"cudaMalloc",
                                         "cudaHostAlloc",
                                         "cudaMallocHost",
                                         "cudaMallocManaged",
                                         "cudaFree",
                                         "cudaFreeHost",
                                         "cudaMemcpy",
                                         "cudaMemset",
                                         "cudaEventQuery",
                                         "cudaStreamQuery",
                                         "cudaStreamSynchronize",
                                         "cudaEventSynchronize",
                                         "cudaDeviceSynchronize"};
  return capture_mode() != CU_STREAM_CAPTURE_MODE_RELAXED &&
         std::find(std::begin(unsafe), std::end(unsafe), function) != std::end(unsafe);
}

}  // namespace

Call::Call(const char* function, Context context) : machine_(Machine::instance()), lock_(machine_.mutex) {
  machine_.lock = &lock_;
  // A known name is not copied, because programs count the allocations of calls.
  if (const auto known = machine_.calls.find(function); known != machine_.calls.end())
    ++known->second;
  else
    machine_.calls.emplace(function, 1);
  for (auto& planned : machine_.planned) {
    if (planned.function != function || --planned.left > 0) continue;
    error_ = planned.error;
    std::erase_if(machine_.planned, [&](const auto& other) { return other.left == 0; });
    break;
  }
  if (error_ == cudaSuccess && machine_.devices == 0) error_ = cudaErrorNoDevice;
  if (error_ == cudaSuccess && in_host_function()) error_ = cudaErrorNotPermitted;
  if (error_ == cudaSuccess && machine_.faulty()) error_ = cudaErrorLaunchFailure;
  if (error_ == cudaSuccess && ends_captures(function) && machine_.invalidate_captures())
    error_ = cudaErrorStreamCaptureUnsupported;
  if (error_ != cudaSuccess) latest_error() = error_;
  if (error_ == cudaSuccess && context == Context::needed) need_context();
}

Call::~Call() {
  machine_.close_memory();
  machine_.lock = nullptr;
}

cudaError_t Call::end(cudaError_t error) {
  if (error_ != cudaSuccess) error = error_;
  if (error == cudaSuccess && machine_.faulty()) error = cudaErrorLaunchFailure;
  if (error != cudaSuccess && error != cudaErrorNotReady) latest_error() = error;
  return error;
}

}  // namespace laconic::emulator
