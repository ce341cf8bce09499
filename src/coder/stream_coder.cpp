// SPDX-License-Identifier: BSD-3-Clause
#include "coder/stream_coder.hpp"

#include <string>

#include "device/host/float_environment.hpp"

namespace laconic {
namespace {

constexpr std::size_t frame_alignment = 8;  // the kernels read the fields of headers, and the numbers of raw, in place

// The notes of a piece of work.
struct HeaderPair {
  DeviceHeader of[2];
};
static_assert(sizeof(HeaderPair) <= CallerQueue::note_bytes);

HeaderPair* headers_of(CallerQueue& queue) { return reinterpret_cast<HeaderPair*>(queue.notes()); }

Status null(const char* name, const char* valid) {
  return {Code::argument, std::string(name) + " is NULL; valid is " + valid};
}

// The end of the work that begin() has begun.
class Work {
 public:
  explicit Work(CallerQueue& queue) : queue_(queue) {}
  ~Work() { queue_.end(); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  CallerQueue& queue_;
};

}  // namespace

Status StreamCoder::check_coding_here() const {
  if (!has_devices()) return {Code::device, "this build of Laconic has no device code (LACONIC_CUDA)"};
  const DeviceCodec* kernels = settings_.codec->on_device();
  if (kernels != nullptr && kernels->supports(settings_.coding)) return {};
  return {Code::argument,
          "codec " + std::string(settings_.codec->name()) + " has no kernels for the bound " +
              to_string(settings_.bound) + " of numbers of type " + std::string(name_of(settings_.coding.dtype)) +
              "; valid on a stream are quant with abs:E, rms:R or lossless, zfp with rate:BITS, and raw"};
}

Status StreamCoder::open() {
  if (Status s = check_coding_here(); !s) return s;
  if (queue_ == nullptr) queue_ = make_caller_queue();
  return queue_->open();
}

Status StreamCoder::prepare(std::size_t count) {
  if (Status s = open(); !s) return s;
  if (Status s = check_count(count); !s) return s;
  return queue_->prepare(settings_.codec->on_device()->workspace_words(count, settings_.coding.dtype));
}

Status StreamCoder::check_count(std::size_t count) const {
  if (count <= settings_.frame_elements) return {};
  return {Code::count, "count is " + std::to_string(count) + "; valid on a stream are numbers of one frame, up to " +
                           std::to_string(settings_.frame_elements) + " (coding->frame_elements, at most " +
                           std::to_string(wire::largest_chunk) + ")"};
}

Status StreamCoder::check_start(std::size_t count, const StreamUse& use) {
  if (Status s = open(); !s) return s;
  if (Status s = check_count(count); !s) return s;
  return check_memory("result", use.result, alignof(StreamResult));
}

// Kernels reach memory of their device, managed memory and pinned memory of the host.
Status StreamCoder::check_memory(const char* name, const void* memory, std::size_t alignment) const {
  if (memory == nullptr) return null(name, "memory of the device");
  const MemoryType type = memory_type_of(memory);
  if (type.memory == Memory::host)
    return {Code::argument, std::string(name) +
                                " is memory of the host that no device reaches; valid is memory of a device, managed "
                                "memory or pinned memory"};
  if (type.memory == Memory::device && type.device != queue_->device())
    return {Code::argument, std::string(name) + " is memory of device " + std::to_string(type.device) +
                                "; valid is memory of device " + std::to_string(queue_->device()) +
                                ", in whose context the coder works"};
  if (reinterpret_cast<std::uintptr_t>(memory) % alignment != 0)
    return {Code::argument, std::string(name) + " is at an address that is not a multiple of " +
                                std::to_string(alignment) + "; valid are multiples"};
  return {};
}

Status StreamCoder::check_numbers(const void* numbers, std::size_t count) const {
  return count == 0 ? Status{} : check_memory("numbers", numbers, size_of(settings_.coding.dtype));
}

Status StreamCoder::check_in(const FrameIn& in, std::size_t count) const {
  if (count == 0) return {};
  if (in.capacity < wire::header_bytes)
    return {Code::truncate, std::string(in.name) + " has a capacity of " + std::to_string(in.capacity) +
                                " bytes; valid are " + std::to_string(wire::header_bytes) + " and above"};
  return check_memory(in.name, in.bytes, frame_alignment);
}

Status StreamCoder::check_out(const FrameOut& out, std::size_t count) const {
  if (count == 0) return {};
  const std::size_t needed = settings_.codec->capacity(count, settings_.coding.dtype);
  if (out.capacity < needed)
    return {Code::truncate, "capacity is " + std::to_string(out.capacity) + "; valid are " + std::to_string(needed) +
                                " and above (laconic_coder_capacity)"};
  return check_memory(out.name, out.bytes, frame_alignment);
}

DeviceFrame StreamCoder::unread_frame(const FrameIn& in, unsigned place) {
  return {in.bytes, in.capacity, {}, &headers_of(*queue_)->of[place]};
}

// made: the frame that the work writes, or null.
template <class Enqueue>
Status StreamCoder::run(std::size_t count, std::byte* made, const StreamUse& use, const Enqueue& enqueue) {
  const FloatEnvironment standard;
  const DeviceCodec& kernels = *settings_.codec->on_device();
  const Dtype dtype = settings_.coding.dtype;
  if (Status s = queue_->begin(use.stream, count == 0 ? 0 : kernels.workspace_words(count, dtype)); !s) return s;
  const Work work(*queue_);
  const std::uint8_t codec = settings_.codec->id();
  // As on the host, no numbers are no frame.
  if (count == 0) return settle_nothing(codec, use.result, *queue_);
  if (Status s = enqueue(kernels); !s) return s;
  wire::Header failed;
  failed.dtype = dtype;
  failed.flags = wire::flag_failed;
  failed.count = static_cast<std::uint32_t>(count);
  return settle_result({report_of(*queue_), headers_of(*queue_)->of}, codec, made, failed, use.result, *queue_);
}

Status StreamCoder::encode(const void* numbers, std::size_t count, const FrameOut& frame, const StreamUse& use) {
  if (settings_.bound.mode == BoundMode::rel)
    return {Code::argument,
            "the bound rel needs the range of the numbers, for which the host would have to wait; valid on a stream is "
            "abs:E with E = rel * (greatest - least) of a range that you know"};
  if (Status s = check_start(count, use); !s) return s;
  if (Status s = check_numbers(numbers, count); !s) return s;
  if (Status s = check_out(frame, count); !s) return s;
  return run(count, frame.bytes, use, [&](const DeviceCodec& kernels) {
    return kernels.encode(numbers, count, settings_.coding, frame.bytes, *queue_);
  });
}

Status StreamCoder::decode(const FrameIn& frame, void* numbers, std::size_t count, double divisor,
                           const StreamUse& use) {
  if (Status s = check_start(count, use); !s) return s;
  if (Status s = check_in(frame, count); !s) return s;
  if (Status s = check_numbers(numbers, count); !s) return s;
  Coding coding = settings_.coding;
  coding.divisor = divisor;
  coding.allowance = 0;  // any step
  return run(count, nullptr, use, [&](const DeviceCodec& kernels) {
    return kernels.decode(unread_frame(frame, 0), numbers, count, coding, *queue_);
  });
}

Status StreamCoder::fold(const FrameIn& frame, const void* numbers, std::size_t count, const FrameOut& out,
                         const StreamUse& use) {
  if (Status s = check_start(count, use); !s) return s;
  if (Status s = check_in(frame, count); !s) return s;
  if (Status s = check_numbers(numbers, count); !s) return s;
  if (Status s = check_out(out, count); !s) return s;
  return run(count, out.bytes, use, [&](const DeviceCodec& kernels) {
    return kernels.fold(unread_frame(frame, 0), numbers, count, settings_.coding, out.bytes, *queue_);
  });
}

Status StreamCoder::add(const FrameIn& a, const FrameIn& b, std::size_t count, const FrameOut& out,
                        const StreamUse& use) {
  if (Status s = check_start(count, use); !s) return s;
  if (Status s = check_in(a, count); !s) return s;
  if (Status s = check_in(b, count); !s) return s;
  if (Status s = check_out(out, count); !s) return s;
  return run(count, out.bytes, use, [&](const DeviceCodec& kernels) {
    return kernels.add(unread_frame(a, 0), unread_frame(b, 1), count, settings_.coding, out.bytes, *queue_);
  });
}

Status status_of(const StreamResult& result) {
  if (result.written != 1)
    return {Code::argument,
            "the result is not written; valid is a copy that was made after the stream had passed the call"};
  if (result.fault == 0) return {};
  if (result.fault >= static_cast<std::uint32_t>(HeaderFault::magic))
    return status_of(static_cast<HeaderFault>(result.fault));
  for (const Codec* codec : all_codecs())
    if (codec->id() == result.codec && codec->on_device() != nullptr) return codec->on_device()->status(result.fault);
  return {Code::frame, "malformed frame: fault " + std::to_string(result.fault) + " of codec " +
                           std::to_string(result.codec) + ", whose kernels this build does not have"};
}

}  // namespace laconic
