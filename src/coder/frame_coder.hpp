// SPDX-License-Identifier: BSD-3-Clause
// Arrays of numbers to and from frames that follow each other in one buffer.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "coder/settings.hpp"
#include "device/host/host_device.hpp"

namespace laconic {

// The contents of a sequence of frames, according to their headers.
struct FramesInfo {
  std::size_t frames = 0;
  std::size_t count = 0;
  Dtype dtype = Dtype::f32;
  const Codec* codec = nullptr;
  double error = 0;
};
Status describe_frames(Frame bytes, FramesInfo& info);

class FrameCoder {
 public:
  // With more than one thread: starts as many.
  explicit FrameCoder(const CoderSettings& settings);
  FrameCoder(const FrameCoder&) = delete;
  FrameCoder& operator=(const FrameCoder&) = delete;

  const CoderSettings& settings() const { return settings_; }

  // The most bytes for `count` numbers.
  std::size_t capacity(std::size_t count) const;

  // These write to `out`, which has capacity() bytes, and set `bytes` to the number of bytes written.
  Status encode(const void* numbers, std::size_t count, Blob out, std::size_t& bytes);
  Status fold(Frame frames, const void* numbers, std::size_t count, Blob out, std::size_t& bytes);
  Status add(Frame a, Frame b, std::size_t count, Blob out, std::size_t& bytes);

  // numbers = frames / divisor.  The frames may be of any codec and of any size.
  Status decode(Frame frames, void* numbers, std::size_t count, double divisor);

 private:
  enum class Task { encode, fold, add, decode };

  // Neighboring frames, which one thread codes one after the other.
  struct Run final : Job {
    void run() noexcept override;
    bool step(Queue&) noexcept override { return true; }

    FrameCoder* coder = nullptr;
    std::size_t first = 0;  // the first number
    std::size_t count = 0;
    Frame a;  // begins with the first frame that is read
    Frame b;
    Blob out;
    std::size_t bytes = 0;  // written to `out`
    Status status;
  };

  // The numbers that the task reads, and those that it writes.
  struct Numbers {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
  };

  Status make_frames(Frame a, Frame b, std::size_t count, Blob out, std::size_t& bytes);
  Status divide_frames(Frame frames, std::size_t count);
  Status run_all();
  Status code(Run& run) const;
  Status code_frame(Run& run, std::size_t at, std::size_t count) const;
  Status decode_frames(Run& run) const;

  CoderSettings settings_;

  // Of the current call.
  Task task_ = Task::encode;
  Coding coding_;
  Numbers numbers_;
  std::size_t used_ = 0;  // runs
  std::atomic<std::size_t> open_{0};

  Run single_;  // so that a coder with one thread allocates nothing
  std::vector<Run> several_;
  std::span<Run> runs_;
  std::optional<HostDevice> workers_;  // the last member: its threads end before the runs do
};

}  // namespace laconic
