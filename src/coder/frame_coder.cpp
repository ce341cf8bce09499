// SPDX-License-Identifier: BSD-3-Clause
#include "coder/frame_coder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "codec/range.hpp"
#include "codec/resolve_bound.hpp"
#include "device/host/float_environment.hpp"

namespace laconic {
namespace {

const Codec* codec_of(const wire::Header& header) {
  for (const Codec* codec : all_codecs())
    if (codec->id() == header.codec) return codec;
  return nullptr;
}

Status unknown_codec(const wire::Header& header) {
  return {Code::frame, "frame of codec " + std::to_string(header.codec) + ", which this build does not have"};
}

Status other_count(std::size_t held, std::size_t asked) {
  return {Code::count,
          "the frames hold " + std::to_string(held) + " numbers, not the " + std::to_string(asked) + " asked for"};
}

// Takes the first frame from `bytes`.
Status take_frame(Frame& bytes, Frame& frame, wire::Header& header) {
  std::size_t size = 0;
  if (Status s = wire::frame_size(bytes, size); !s) return s;
  frame = bytes.first(size);
  bytes = bytes.subspan(size);
  return wire::read_header(frame, header);
}

Status take_frame_of(std::size_t count, Frame& bytes, Frame& frame) {
  wire::Header header;
  if (bytes.empty()) return {Code::count, "the frames end before the numbers do; valid are frames of equal counts"};
  if (Status s = take_frame(bytes, frame, header); !s) return s;
  if (header.count == count) return {};
  return {Code::frame, "a frame of " + std::to_string(header.count) + " numbers in place of one of " +
                           std::to_string(count) + "; valid are frames of equal counts and frame_elements"};
}

}  // namespace

Status describe_frames(Frame bytes, FramesInfo& info) {
  info = {};
  while (!bytes.empty()) {
    Frame frame;
    wire::Header header;
    if (Status s = take_frame(bytes, frame, header); !s) return s;
    const Codec* codec = codec_of(header);
    if (codec == nullptr) return unknown_codec(header);
    if (info.frames > 0 && (codec != info.codec || header.dtype != info.dtype))
      return {Code::frame, "a frame of " + std::string(codec->name()) + " and " + std::string(name_of(header.dtype)) +
                               " after one of " + std::string(info.codec->name()) + " and " +
                               std::string(name_of(info.dtype)) + "; valid are frames of one codec and one type"};
    info.codec = codec;
    info.dtype = header.dtype;
    info.error = std::max(info.error, header.error);
    info.count += header.count;
    ++info.frames;
  }
  return {};
}

FrameCoder::FrameCoder(const CoderSettings& settings)
    : settings_(settings),
      several_(settings.threads > 1 ? static_cast<std::size_t>(settings.threads) : 0),
      runs_(several_.empty() ? std::span(&single_, 1) : std::span(several_)) {
  for (Run& run : runs_) run.coder = this;
  if (settings_.threads > 1) workers_.emplace(settings_.threads);
}

std::size_t FrameCoder::capacity(std::size_t count) const {
  const std::size_t each = settings_.frame_elements;
  const std::size_t rest = count % each;
  const Codec& codec = *settings_.codec;
  const Dtype dtype = settings_.coding.dtype;
  return count / each * codec.capacity(each, dtype) + (rest > 0 ? codec.capacity(rest, dtype) : 0);
}

Status FrameCoder::encode(const void* numbers, std::size_t count, Blob out, std::size_t& bytes) {
  const FloatEnvironment standard;
  task_ = Task::encode;
  numbers_ = {static_cast<const std::byte*>(numbers), nullptr};
  coding_ = settings_.coding;
  if (settings_.bound.mode == BoundMode::rel) {
    const Range range = range_without_fills(numbers, count, coding_.dtype);
    const double allowance = absolute_bound(settings_.bound, range);
    coding_.allowance = std::isfinite(allowance) ? allowance : 0;
    coding_.greatest = greatest_magnitude(range);
  }
  return make_frames({}, {}, count, out, bytes);
}

Status FrameCoder::fold(Frame frames, const void* numbers, std::size_t count, Blob out, std::size_t& bytes) {
  const FloatEnvironment standard;
  task_ = Task::fold;
  numbers_ = {static_cast<const std::byte*>(numbers), nullptr};
  coding_ = settings_.coding;
  return make_frames(frames, {}, count, out, bytes);
}

Status FrameCoder::add(Frame a, Frame b, std::size_t count, Blob out, std::size_t& bytes) {
  const FloatEnvironment standard;
  task_ = Task::add;
  numbers_ = {};
  coding_ = settings_.coding;
  return make_frames(a, b, count, out, bytes);
}

Status FrameCoder::decode(Frame frames, void* numbers, std::size_t count, double divisor) {
  const FloatEnvironment standard;
  task_ = Task::decode;
  numbers_ = {nullptr, static_cast<std::byte*>(numbers)};
  coding_ = {};
  coding_.dtype = settings_.coding.dtype;
  coding_.divisor = divisor;
  if (Status s = divide_frames(frames, count); !s) return s;
  return run_all();
}

// Each thread writes its frames to the place where they begin if those before them have their largest size.
Status FrameCoder::make_frames(Frame a, Frame b, std::size_t count, Blob out, std::size_t& bytes) {
  bytes = 0;
  const std::size_t each = settings_.frame_elements;
  const std::size_t frames = (count + each - 1) / each;
  used_ = std::min(runs_.size(), frames);
  std::size_t at = 0;
  for (std::size_t k = 0; k < used_; ++k) {
    Run& run = runs_[k];
    run.first = at * each;
    at += (frames - at) / (used_ - k);
    run.count = std::min(at * each, count) - run.first;
    run.out = out.subspan(capacity(run.first), capacity(run.count));
    run.a = a;
    run.b = b;
    // The last run takes what is left, and finds frames that are too many.
    if (k + 1 == used_) break;
    for (std::size_t done = 0; done < run.count; done += each) {
      Frame frame;
      if (task_ != Task::encode)
        if (Status s = take_frame_of(each, a, frame); !s) return s;
      if (task_ == Task::add)
        if (Status s = take_frame_of(each, b, frame); !s) return s;
    }
    run.a = run.a.first(run.a.size() - a.size());
    run.b = run.b.first(run.b.size() - b.size());
  }
  if (used_ == 0 && !(a.empty() && b.empty())) return other_count(1, 0);
  if (Status s = run_all(); !s) return s;
  for (std::size_t k = 0; k < used_; ++k) {
    const Run& run = runs_[k];
    if (bytes > 0 && run.bytes > 0) std::memmove(out.data() + bytes, run.out.data(), run.bytes);
    bytes += run.bytes;
  }
  return {};
}

Status FrameCoder::divide_frames(Frame frames, std::size_t count) {
  used_ = 1;
  runs_[0].first = 0;
  runs_[0].count = count;
  runs_[0].a = frames;
  if (runs_.size() == 1) return {};
  FramesInfo info;
  if (Status s = describe_frames(frames, info); !s) return s;
  if (info.count != count) return other_count(info.count, count);
  used_ = std::clamp<std::size_t>(info.frames, 1, runs_.size());
  std::size_t at = 0;
  for (std::size_t k = 0; k < used_; ++k) {
    Run& run = runs_[k];
    const std::size_t of_run = info.frames / (used_ - k);
    info.frames -= of_run;
    run.first = at;
    run.a = frames;
    for (std::size_t n = 0; n < of_run; ++n) {
      Frame frame;
      wire::Header header;
      if (Status s = take_frame(frames, frame, header); !s) return s;
      at += header.count;
    }
    run.count = at - run.first;
    run.a = run.a.first(run.a.size() - frames.size());
  }
  return {};
}

Status FrameCoder::run_all() {
  open_.store(used_);
  for (std::size_t k = 0; k < used_; ++k) {
    if (used_ == 1)
      runs_[k].run();
    else
      workers_->submit(runs_[k]);
  }
  for (std::size_t open = open_.load(); open > 0; open = open_.load()) open_.wait(open);
  for (std::size_t k = 0; k < used_; ++k)
    if (!runs_[k].status.ok()) return runs_[k].status;
  return {};
}

void FrameCoder::Run::run() noexcept {
  status = coder->code(*this);
  if (coder->open_.fetch_sub(1) == 1) coder->open_.notify_one();
}

Status FrameCoder::code(Run& run) const {
  run.bytes = 0;
  if (task_ == Task::decode) return decode_frames(run);
  for (std::size_t done = 0; done < run.count;) {
    const std::size_t n = std::min(settings_.frame_elements, run.count - done);
    if (Status s = code_frame(run, run.first + done, n); !s) return s;
    done += n;
  }
  if (run.a.empty() && run.b.empty()) return {};
  return {Code::count, "the frames hold more numbers than asked for; valid are frames of equal counts"};
}

Status FrameCoder::code_frame(Run& run, std::size_t at, std::size_t count) const {
  Frame a;
  Frame b;
  if (task_ != Task::encode)
    if (Status s = take_frame_of(count, run.a, a); !s) return s;
  if (task_ == Task::add)
    if (Status s = take_frame_of(count, run.b, b); !s) return s;
  const Codec& codec = *settings_.codec;
  const std::byte* numbers = numbers_.from + at * size_of(coding_.dtype);
  const Blob out = run.out.subspan(run.bytes);
  const Coded coded = task_ == Task::encode ? codec.encode(numbers, count, coding_, out)
                      : task_ == Task::fold ? codec.fold(a, numbers, count, coding_, out)
                                            : codec.add(a, b, count, coding_, out);
  run.bytes += coded.bytes;
  return coded.status;
}

Status FrameCoder::decode_frames(Run& run) const {
  std::size_t done = 0;
  for (Frame rest = run.a; !rest.empty();) {
    Frame frame;
    wire::Header header;
    if (Status s = take_frame(rest, frame, header); !s) return s;
    if (header.count > run.count - done) return other_count(done + header.count, run.count);
    const Codec* codec = codec_of(header);
    if (codec == nullptr) return unknown_codec(header);
    std::byte* numbers = numbers_.to + (run.first + done) * size_of(coding_.dtype);
    if (Status s = codec->decode(frame, numbers, header.count, coding_); !s) return s;
    done += header.count;
  }
  return done == run.count ? Status{} : other_count(done, run.count);
}

}  // namespace laconic
