// SPDX-License-Identifier: BSD-3-Clause
// The C API: codecs without communication.
#include <algorithm>
#include <cmath>

#include "base/checksum.hpp"
#include "codec/range.hpp"
#include "comm/api/c_guard.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/datatypes.hpp"
#include "comm/core/settings.hpp"
#include "device/devices.hpp"
#include "device/host/float_environment.hpp"
#include "laconic/laconic.h"

namespace laconic {
namespace {

// Numbers per frame where the options set no chunk size: they fit into a core's second-level cache with room to spare.
constexpr std::size_t usual_frame = std::size_t{1} << 16;

// The checked arguments of a call of these functions.
struct Asked {
  laconic_options settings{};
  const Codec* codec = nullptr;
  Coding coding;
  std::size_t count = 0;
  std::size_t chunk = usual_frame;
};

Status check_numbers(MPI_Count count, MPI_Datatype datatype, Dtype& dtype) {
  if (count < 0)
    return {Code::count, "count is " + std::to_string(static_cast<long long>(count)) + "; valid are 0 and above"};
  if (datatype == MPI_DATATYPE_NULL)
    return {Code::type, "datatype is MPI_DATATYPE_NULL; valid are MPI_FLOAT, MPI_DOUBLE and MPI's integers"};
  const auto known = find_dtype(datatype);
  if (!known) return {Code::type, "datatype is none of numbers; valid are MPI_FLOAT, MPI_DOUBLE and MPI's integers"};
  dtype = *known;
  return {};
}

Status ask(MPI_Count count, MPI_Datatype datatype, const laconic_options* options, Asked& out) {
  Dtype dtype = Dtype::f32;
  if (Status s = check_numbers(count, datatype, dtype); !s) return s;
  laconic_options_init(&out.settings);
  if (options != nullptr) {
    if (Status s = check_options(*options); !s) return s;
    out.settings = *options;
  }
  laconic_options environment{};
  laconic_options_init(&environment);
  if (Status s = read_environment(environment); !s) return s;
  fill_unset(out.settings, environment);
  if (out.settings.bound.mode == LACONIC_BOUND_UNSET)
    return {Code::argument, "no bound is set; valid are abs:E, rel:E, rms:R, rate:BITS or lossless"};
  if (Status s = check_together(out.settings); !s) return s;
  out.codec = asked_codec(out.settings);
  if (out.codec == nullptr) return not_built(out.settings.codec);
  if (is_integer(dtype) && !codes_integers(out.settings, dtype))
    return {Code::type, "integers are not rounded; valid is the bound lossless"};
  out.count = static_cast<std::size_t>(count);
  out.chunk = out.settings.chunk_elements > 0 ? static_cast<std::size_t>(out.settings.chunk_elements) : usual_frame;
  out.coding = asked_coding(out.settings, dtype);
  return check_coding(*out.codec, out.coding);
}

// These functions have no stream to work on, so they do not take device memory.
Status check_on_host(const char* name, const void* pointer) {
  if (memory_type_of(pointer).memory != Memory::device) return {};
  return {Code::buffer, std::string(name) + " is in the memory of a device; valid is memory of the host"};
}

std::size_t capacity_of(const Asked& a) {
  const std::size_t whole = a.count / a.chunk;
  const std::size_t rest = a.count % a.chunk;
  const Dtype dtype = a.coding.dtype;
  return whole * a.codec->capacity(a.chunk, dtype) + (rest > 0 ? a.codec->capacity(rest, dtype) : 0);
}

Status compress(const void* numbers, Asked& a, Blob out, std::size_t& bytes) {
  const FloatEnvironment standard;
  const auto* from = static_cast<const std::byte*>(numbers);
  if (a.settings.bound.mode == LACONIC_BOUND_REL) {
    const Range range = finite_range(numbers, a.count, a.coding.dtype);
    a.coding.allowance = absolute_bound(a.settings, range);
    a.coding.greatest = greatest_magnitude(range);
  } else {
    a.coding.allowance = absolute_bound(a.settings, {});
  }
  const std::size_t width = size_of(a.coding.dtype);
  for (std::size_t at = 0; at < a.count; at += a.chunk) {
    const Coded coded = a.codec->encode(from + at * width, std::min(a.chunk, a.count - at), a.coding, out);
    if (!coded.status.ok()) return coded.status;
    out = out.subspan(coded.bytes);
    bytes += coded.bytes;
  }
  return {};
}

Status decompress(Frame bytes, std::byte* numbers, std::size_t count, Dtype dtype) {
  const FloatEnvironment standard;
  Coding coding;
  coding.dtype = dtype;
  std::size_t at = 0;
  while (!bytes.empty()) {
    std::size_t size = 0;
    if (Status s = wire::frame_size(bytes, size); !s) return s;
    const Frame frame = bytes.first(size);
    wire::Header header;
    if (Status s = wire::read_header(frame, header); !s) return s;
    if (header.count > count - at)
      return {Code::truncate, "the frames hold more than the " + std::to_string(count) + " numbers asked for"};
    const auto& codecs = all_codecs();
    const auto codec =
        std::find_if(codecs.begin(), codecs.end(), [&](const Codec* c) { return c->id() == header.codec; });
    if (codec == codecs.end())
      return {Code::frame, "frame of codec " + std::to_string(header.codec) + ", which this build does not have"};
    if (Status s = (*codec)->decode(frame, numbers + at * size_of(dtype), header.count, coding); !s) return s;
    at += header.count;
    bytes = bytes.subspan(size);
  }
  if (at == count) return {};
  return {Code::count,
          "the frames hold " + std::to_string(at) + " numbers, not the " + std::to_string(count) + " asked for"};
}

}  // namespace
}  // namespace laconic

using laconic::Code;
using laconic::guarded;
using laconic::null_argument;
using laconic::remember;
using laconic::Status;

size_t laconic_max_compressed_size(MPI_Count count, MPI_Datatype datatype, const laconic_options* options) {
  try {
    laconic::Asked asked;
    return laconic::ask(count, datatype, options, asked).ok() ? laconic::capacity_of(asked) : 0;
  } catch (...) {
    return 0;
  }
}

int laconic_compress(const void* numbers, MPI_Count count, MPI_Datatype datatype, void* out, size_t capacity,
                     size_t* bytes, const laconic_options* options) {
  return guarded(MPI_COMM_NULL, [&] {
    laconic::Asked asked;
    if (Status s = laconic::ask(count, datatype, options, asked); !s) return remember(s);
    if (numbers == nullptr && count > 0) return remember(null_argument("numbers", "memory of count numbers"));
    if (bytes == nullptr) return remember(null_argument("bytes", "the address of a size_t"));
    const size_t needed = laconic::capacity_of(asked);
    if (capacity < needed)
      return remember(Status(Code::argument, "capacity is " + std::to_string(capacity) + "; valid are " +
                                                 std::to_string(needed) + " and above (laconic_max_compressed_size)"));
    if (out == nullptr && needed > 0) return remember(null_argument("out", "memory of capacity bytes"));
    if (Status s = laconic::check_on_host("numbers", numbers); !s) return remember(s);
    if (Status s = laconic::check_on_host("out", out); !s) return remember(s);
    *bytes = 0;
    return remember(laconic::compress(numbers, asked, {static_cast<std::byte*>(out), capacity}, *bytes));
  });
}

int laconic_decompress(const void* compressed, size_t bytes, void* numbers, MPI_Count count, MPI_Datatype datatype) {
  return guarded(MPI_COMM_NULL, [&] {
    laconic::Dtype dtype = laconic::Dtype::f32;
    if (Status s = laconic::check_numbers(count, datatype, dtype); !s) return remember(s);
    if (compressed == nullptr && bytes > 0) return remember(null_argument("compressed", "memory of `bytes` bytes"));
    if (numbers == nullptr && count > 0) return remember(null_argument("numbers", "memory for count numbers"));
    if (Status s = laconic::check_on_host("compressed", compressed); !s) return remember(s);
    if (Status s = laconic::check_on_host("numbers", numbers); !s) return remember(s);
    return remember(laconic::decompress({static_cast<const std::byte*>(compressed), bytes},
                                        static_cast<std::byte*>(numbers), static_cast<std::size_t>(count), dtype));
  });
}

uint64_t laconic_checksum_of(const void* data, size_t bytes) {
  return laconic::checksum::sum({static_cast<const std::byte*>(data), bytes});
}
