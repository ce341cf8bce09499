// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/cuda_device.hpp"

#include <algorithm>

#include "base/device_use.hpp"
#include "device/cuda/capability.hpp"
#include "device/cuda/current_context.hpp"

namespace laconic {

CudaDevice::CudaDevice(int number, CUcontext context, int queues)
    : number_(number),
      context_(context),
      device_memory_(MemoryPool::Kind::device),
      shared_memory_(MemoryPool::Kind::pinned) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 0;
  (void)cudaGetLastError();
  if (number < 0 || number >= devices || driver() == nullptr) {
    status_ = {Code::device,
               "there is no device " + std::to_string(number) + "; devices found: " + std::to_string(devices)};
    return;
  }
  runs_kernels_ = capability_of(number) >= least_capability && device_use() != DeviceUse::host;
  if (context_ == nullptr) {
    primary_retained_ = driver()->retain_primary(&context_, number) == CUDA_SUCCESS;
    if (!primary_retained_) {
      status_ = {Code::device, "no context can be made on device " + std::to_string(number)};
      return;
    }
  }
  const CurrentContext current(context_);
  status_ = open(queues);
}

CudaDevice::~CudaDevice() {
  if (context_ == nullptr) return;
  {
    const CurrentContext current(context_);
    lines_.clear();
    copies_.reset();
    if (followed_ != nullptr) (void)cudaEventDestroy(followed_);
    device_memory_.clear();
    shared_memory_.clear();
  }
  if (primary_retained_) (void)driver()->release_primary(number_);
}

// The runtime asks the device for all of its properties, which takes milliseconds.
std::string CudaDevice::name() const {
  std::array<char, 128> text{};
  if (driver()->device_name(text.data(), static_cast<int>(text.size()) - 1, number_) != CUDA_SUCCESS) return {};
  return text.data();
}

Status CudaDevice::open(int queues) {
  if (Status s = cuda_status(cudaEventCreateWithFlags(&followed_, cudaEventDisableTiming), "cudaEventCreate"); !s)
    return s;
  copies_ = std::make_unique<CudaQueue>(device_memory_, shared_memory_);
  if (Status s = copies_->open(); !s) return s;
  for (int k = 0; k < std::max(queues, 1); ++k) {
    lines_.push_back(std::make_unique<Line>(device_memory_, shared_memory_));
    if (Status s = lines_.back()->queue.open(); !s) return s;
  }
  waiting_.reserve(256);
  return {};
}

std::span<std::byte> CudaDevice::lease(std::size_t bytes) {
  const CurrentContext current(context_);
  return device_memory_.lease(bytes);
}

std::span<std::byte> CudaDevice::lease_shared(std::size_t bytes) {
  const CurrentContext current(context_);
  return shared_memory_.lease(bytes);
}

bool CudaDevice::prepare(std::size_t words) {
  const CurrentContext current(context_);
  return std::all_of(lines_.begin(), lines_.end(),
                     [&](const auto& line) { return line->queue.workspace(words).count >= words; });
}

void CudaDevice::submit(Job& job) {
  const CurrentContext current(context_);
  job.set_pending();
  const auto idle = std::find_if(lines_.begin(), lines_.end(), [](const auto& line) { return line->job == nullptr; });
  // Jobs that already wait come first.
  if (idle == lines_.end() || !waiting_.empty()) return waiting_.push_back(&job);
  (*idle)->job = &job;
  advance(**idle);
}

void CudaDevice::progress() {
  if (waiting_.empty() && std::none_of(lines_.begin(), lines_.end(), [](const auto& l) { return l->job != nullptr; }))
    return;
  const CurrentContext current(context_);
  for (auto& line : lines_) {
    if (line->job != nullptr) advance(*line);
    if (line->job != nullptr || waiting_.empty()) continue;
    line->job = waiting_.front();
    waiting_.erase(waiting_.begin());
    advance(*line);
  }
}

// Advances the job of a line.  True when the job is done.
bool CudaDevice::advance(Line& line) {
  if (!line.job->step(line.queue)) return false;
  line.job->set_done();
  line.job = nullptr;
  return true;
}

Status CudaDevice::follow(void* stream) {
  const CurrentContext current(context_);
  // For the default stream, the answer is an error while another stream is captured that waits for it.
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &capture) == cudaErrorStreamCaptureImplicit)
    capture = cudaStreamCaptureStatusActive;
  (void)cudaGetLastError();
  if (capture != cudaStreamCaptureStatusNone)
    return {Code::argument,
            "options->stream is being captured into a CUDA graph, which cannot hold communication; valid is a stream "
            "that is not captured"};
  if (Status s = cuda_status(cudaEventRecord(followed_, static_cast<cudaStream_t>(stream)), "cudaEventRecord"); !s) {
    (void)cudaGetLastError();
    return {Code::argument, "options->stream is not one that device " + std::to_string(number_) +
                                " knows; valid is a cudaStream_t of the device that the buffers are on, or NULL (" +
                                s.message() + ")"};
  }
  for (auto& line : lines_)
    if (Status s = line->queue.follow(followed_); !s) return s;
  return copies_->follow(followed_);
}

Status CudaDevice::copy(void* to, const void* from, std::size_t bytes) {
  const CurrentContext current(context_);
  if (Status s = copies_->copy(to, from, bytes); !s) return s;
  return copies_->wait();
}

}  // namespace laconic
