// SPDX-License-Identifier: BSD-3-Clause
// The functions of laconic/codec.h that code numbers.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <system_error>

#include "base/sized.hpp"
#include "codec/range.hpp"
#include "coder/c_coder.hpp"
#include "device/devices.hpp"
#include "device/host/float_environment.hpp"
#include "laconic/codec.h"

namespace laconic {

std::string& latest_message() {
  thread_local std::string latest;
  return latest;
}

namespace {

constexpr std::int32_t largest_threads = 256;
constexpr std::uint32_t largest_contributions = 0x7fffffff;

Status check_field(const char* name, std::int64_t value, std::int64_t most) {
  if (value >= 0 && value <= most) return {};
  return {Code::argument, "coding->" + std::string(name) + " is " + std::to_string(value) +
                              "; valid are 0 (chosen by the library) to " + std::to_string(most)};
}

Status check_dtype(const char* name, laconic_dtype dtype) {
  if (known(static_cast<Dtype>(dtype)) && dtype >= LACONIC_FLOAT32 && dtype <= LACONIC_UINT64) return {};
  return {Code::argument, std::string(name) + " is " + std::to_string(static_cast<int>(dtype)) +
                              "; valid are LACONIC_FLOAT32 (1) to LACONIC_UINT64 (12)"};
}

// Everything that has to be set.
constexpr std::size_t least_coding = offsetof(laconic_coding, codec);

Status settings_of(const laconic_coding* given, CoderSettings& out) {
  if (given == nullptr) return null("coding", "the address of a laconic_coding");
  laconic_coding whole{};
  read_sized(*given, least_coding, whole);
  if (Status s = check_size<laconic_coding>("coding->size", whole.size, least_coding, "laconic_coding_init()"); !s)
    return s;
  const laconic_coding* const coding = &whole;
  if (Status s = check_dtype("coding->dtype", coding->dtype); !s) return s;
  if (coding->bound.mode < LACONIC_BOUND_UNSET || coding->bound.mode > LACONIC_BOUND_RANGE)
    return {Code::argument, "coding->bound.mode is " + std::to_string(static_cast<int>(coding->bound.mode)) +
                                "; valid are " + std::string(bound_forms)};
  if (coding->codec < LACONIC_CODEC_UNSET || coding->codec > LACONIC_CODEC_DENSE)
    return {Code::argument, "coding->codec is " + std::to_string(static_cast<int>(coding->codec)) +
                                "; valid are quant, dense, raw, szx, zfp, lossless"};
  if (coding->denormals < LACONIC_DENORMALS_UNSET || coding->denormals > LACONIC_DENORMALS_EXACT)
    return {Code::argument, "coding->denormals is " + std::to_string(static_cast<int>(coding->denormals)) +
                                "; valid are LACONIC_DENORMALS_ROUND and LACONIC_DENORMALS_EXACT"};
  if (coding->reduction < LACONIC_REDUCTION_SUM || coding->reduction > LACONIC_REDUCTION_MIN)
    return {Code::argument, "coding->reduction is " + std::to_string(static_cast<int>(coding->reduction)) +
                                "; valid are LACONIC_REDUCTION_SUM, LACONIC_REDUCTION_MAX and LACONIC_REDUCTION_MIN"};
  if (Status s = check_field("contributions", coding->contributions, largest_contributions); !s) return s;
  if (Status s = check_field("frame_elements", coding->frame_elements, wire::largest_chunk); !s) return s;
  if (Status s = check_field("threads", coding->threads, largest_threads); !s) return s;
  const Bound bound{static_cast<BoundMode>(coding->bound.mode), coding->bound.value};
  if (Status s = settings_for(static_cast<CodecName>(coding->codec), bound, static_cast<Dtype>(coding->dtype),
                              coding->denormals == LACONIC_DENORMALS_EXACT, out);
      !s)
    return s;
  out.coding.op = static_cast<Op>(coding->reduction);
  if (coding->contributions > 0) out.coding.terms = coding->contributions;
  if (coding->frame_elements > 0) out.frame_elements = static_cast<std::size_t>(coding->frame_elements);
  out.threads = std::max(coding->threads, std::int32_t{1});
  return {};
}

static_assert(static_cast<int>(Op::sum) == LACONIC_REDUCTION_SUM &&
              static_cast<int>(Op::max) == LACONIC_REDUCTION_MAX && static_cast<int>(Op::min) == LACONIC_REDUCTION_MIN);

// One pointer argument of a function that codes.
struct Argument {
  const char* name;
  const void* pointer;
  std::size_t bytes;  // the least size of the buffer
};

Status check_buffers(std::initializer_list<Argument> buffers) {
  for (const Argument& a : buffers) {
    if (a.bytes == 0) continue;
    if (a.pointer == nullptr) return null(a.name, "memory for all elements");
    if (memory_type_of(a.pointer).memory == Memory::device)
      return {Code::argument, std::string(a.name) + " is in the memory of a device; valid is memory of the host"};
  }
  return {};
}

std::size_t size_of_numbers(const FrameCoder& coder, std::size_t count) {
  return count * size_of(coder.settings().coding.dtype);
}

// The checks of all functions that write frames.
Status check_output(laconic_coder coder, std::size_t count, const char* name, const void* out, std::size_t capacity,
                    const std::size_t* bytes) {
  if (coder == nullptr) return null("coder", "one of laconic_coder_create()");
  if (bytes == nullptr) return null("bytes", "the address of a size_t");
  const std::size_t needed = coder->coder.capacity(count);
  if (capacity < needed)
    return {Code::truncate, "capacity is " + std::to_string(capacity) + "; valid are " + std::to_string(needed) +
                                " and above (laconic_coder_capacity)"};
  return check_buffers({{name, out, needed}});
}

Frame frame_of(const void* data, std::size_t bytes) { return {static_cast<const std::byte*>(data), bytes}; }
Blob blob_of(void* data, std::size_t bytes) { return {static_cast<std::byte*>(data), bytes}; }

}  // namespace
}  // namespace laconic

using laconic::Code;
using laconic::guarded;
using laconic::Status;

const char* laconic_codec_error(void) { return laconic::latest_message().c_str(); }

int laconic_bound_parse(const char* text, laconic_bound* bound) {
  return guarded([&] {
    if (text == nullptr) return laconic::null("text", "a bound as text");
    if (bound == nullptr) return laconic::null("bound", "the address of a laconic_bound");
    laconic::Bound parsed;
    if (Status s = laconic::parse_bound(text, parsed); !s) return s;
    *bound = {static_cast<laconic_bound_mode>(parsed.mode), parsed.value};
    return Status{};
  });
}

void laconic_coding_init_sized(laconic_coding* coding, size_t size) {
  if (coding == nullptr || size < sizeof coding->size) return;
  std::memset(static_cast<void*>(coding), 0, size);
  coding->size = size;
}

int laconic_coder_create(const laconic_coding* coding, laconic_coder* coder) {
  return guarded([&] {
    if (coder == nullptr) return laconic::null("coder", "the address of a laconic_coder");
    *coder = nullptr;
    laconic::CoderSettings settings;
    if (Status s = laconic::settings_of(coding, settings); !s) return s;
    *coder = new laconic_coder_s(settings);
    return Status{};
  });
}

void laconic_coder_free(laconic_coder coder) { delete coder; }

size_t laconic_coder_capacity(laconic_coder coder, size_t count) {
  return coder == nullptr ? 0 : coder->coder.capacity(count);
}

int laconic_coder_encode(laconic_coder coder, const void* numbers, size_t count, void* frames, size_t capacity,
                         size_t* bytes) {
  return guarded([&] {
    if (Status s = laconic::check_output(coder, count, "frames", frames, capacity, bytes); !s) return s;
    laconic::FrameCoder& c = coder->coder;
    if (Status s = laconic::check_buffers({{"numbers", numbers, laconic::size_of_numbers(c, count)}}); !s) return s;
    return c.encode(numbers, count, laconic::blob_of(frames, capacity), *bytes);
  });
}

int laconic_coder_decode(laconic_coder coder, const void* frames, size_t bytes, void* numbers, size_t count,
                         double divisor) {
  return guarded([&] {
    if (coder == nullptr) return laconic::null("coder", "one of laconic_coder_create()");
    if (Status s = laconic::check_divisor(divisor); !s) return s;
    laconic::FrameCoder& c = coder->coder;
    if (Status s = laconic::check_buffers(
            {{"frames", frames, bytes}, {"numbers", numbers, laconic::size_of_numbers(c, count)}});
        !s)
      return s;
    return c.decode(laconic::frame_of(frames, bytes), numbers, count, divisor);
  });
}

int laconic_coder_fold(laconic_coder coder, const void* frames, size_t bytes, const void* numbers, size_t count,
                       void* result, size_t capacity, size_t* result_bytes) {
  return guarded([&] {
    if (Status s = laconic::check_output(coder, count, "result", result, capacity, result_bytes); !s) return s;
    laconic::FrameCoder& c = coder->coder;
    if (Status s = laconic::check_combines(c); !s) return s;
    if (Status s = laconic::check_buffers(
            {{"frames", frames, bytes}, {"numbers", numbers, laconic::size_of_numbers(c, count)}});
        !s)
      return s;
    return c.fold(laconic::frame_of(frames, bytes), numbers, count, laconic::blob_of(result, capacity), *result_bytes);
  });
}

int laconic_coder_add(laconic_coder coder, const void* a, size_t a_bytes, const void* b, size_t b_bytes, size_t count,
                      void* result, size_t capacity, size_t* result_bytes) {
  return guarded([&] {
    if (Status s = laconic::check_output(coder, count, "result", result, capacity, result_bytes); !s) return s;
    laconic::FrameCoder& c = coder->coder;
    if (Status s = laconic::check_combines(c); !s) return s;
    if (Status s = laconic::check_buffers({{"a", a, a_bytes}, {"b", b, b_bytes}}); !s) return s;
    return c.add(laconic::frame_of(a, a_bytes), laconic::frame_of(b, b_bytes), count,
                 laconic::blob_of(result, capacity), *result_bytes);
  });
}

int laconic_frames_describe_sized(const void* frames, size_t bytes, laconic_frames_info* info, size_t size) {
  return guarded([&] {
    if (info == nullptr) return laconic::null("info", "the address of a laconic_frames_info");
    if (Status s = laconic::check_buffers({{"frames", frames, bytes}}); !s) return s;
    laconic::FramesInfo found;
    if (Status s = laconic::describe_frames(laconic::frame_of(frames, bytes), found); !s) return s;
    laconic_frames_info out{};
    out.frames = found.frames;
    out.count = found.count;
    if (found.frames > 0) {
      out.dtype = static_cast<laconic_dtype>(found.dtype);
      out.codec = static_cast<laconic_codec>(found.codec->api_name());
      out.error = found.error;
    }
    laconic::write_sized(out, info, size);
    return Status{};
  });
}

int laconic_finite_range(const void* numbers, size_t count, laconic_dtype dtype, double* least, double* greatest) {
  return guarded([&] {
    if (Status s = laconic::check_dtype("dtype", dtype); !s) return s;
    const auto type = static_cast<laconic::Dtype>(dtype);
    if (laconic::is_integer(type))
      return Status(Code::type,
                    "dtype is " + std::string(laconic::name_of(type)) + "; valid are f32, f64, f16 and bf16");
    if (least == nullptr || greatest == nullptr)
      return laconic::null(least == nullptr ? "least" : "greatest", "the address of a double");
    if (Status s = laconic::check_buffers({{"numbers", numbers, count * laconic::size_of(type)}}); !s) return s;
    const laconic::FloatEnvironment standard;
    const laconic::Range range = laconic::finite_range(numbers, count, type);
    *least = range.least;
    *greatest = range.greatest;
    return Status{};
  });
}
