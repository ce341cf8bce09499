// SPDX-License-Identifier: BSD-3-Clause
// The C API: codecs without communication, with the settings and types of MPI programs.
#include <string>

#include "coder/frame_coder.hpp"
#include "comm/api/c_guard.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/datatypes.hpp"
#include "comm/core/known_options.hpp"
#include "comm/core/settings.hpp"
#include "device/devices.hpp"
#include "laconic/laconic.h"

namespace laconic {
namespace {

Status check_numbers(MPI_Count count, MPI_Datatype datatype, Dtype& dtype) {
  if (count < 0)
    return {Code::count, "count is " + std::to_string(static_cast<long long>(count)) + "; valid are 0 and above"};
  const auto known = find_dtype(datatype);
  if (!known) return unsupported(datatype);
  dtype = *known;
  return {};
}

Status ask(MPI_Count count, MPI_Datatype datatype, const laconic_options* options, CoderSettings& out) {
  Dtype dtype = Dtype::f32;
  if (Status s = check_numbers(count, datatype, dtype); !s) return s;
  laconic_options settings{};
  laconic_options_init(&settings);
  if (options != nullptr) {
    const KnownOptions known(options);
    if (Status s = check_options(*known.get()); !s) return s;
    settings = *known.get();
  }
  laconic_options environment{};
  laconic_options_init(&environment);
  if (Status s = read_environment(environment); !s) return s;
  fill_unset(settings, environment);
  if (Status s = check_effort(settings); !s) return s;
  if (effort_of(settings) == Effort::dense) settings.codec = LACONIC_CODEC_DENSE;
  if (settings.chunk_elements > 0) out.frame_elements = static_cast<std::size_t>(settings.chunk_elements);
  return settings_for(static_cast<CodecName>(settings.codec), bound_of(settings), dtype, keeps_denormals(settings),
                      out);
}

// These functions have no stream to work on, so they do not take device memory.
Status check_on_host(const char* name, const void* pointer) {
  if (memory_type_of(pointer).memory != Memory::device) return {};
  return {Code::buffer, std::string(name) + " is in the memory of a device; valid is memory of the host"};
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
    laconic::CoderSettings settings;
    if (!laconic::ask(count, datatype, options, settings).ok()) return 0;
    return laconic::FrameCoder(settings).capacity(static_cast<std::size_t>(count));
  } catch (...) {
    return 0;
  }
}

int laconic_compress(const void* numbers, MPI_Count count, MPI_Datatype datatype, void* out, size_t capacity,
                     size_t* bytes, const laconic_options* options) {
  return guarded(MPI_COMM_NULL, [&]() -> int {
    laconic::CoderSettings settings;
    if (Status s = laconic::ask(count, datatype, options, settings); !s) return remember(s);
    if (numbers == nullptr && count > 0) return remember(null_argument("numbers", "memory of count numbers"));
    if (bytes == nullptr) return remember(null_argument("bytes", "the address of a size_t"));
    laconic::FrameCoder coder(settings);
    const size_t needed = coder.capacity(static_cast<std::size_t>(count));
    if (capacity < needed)
      return remember(Status(Code::argument, "capacity is " + std::to_string(capacity) + "; valid are " +
                                                 std::to_string(needed) + " and above (laconic_max_compressed_size)"));
    if (out == nullptr && needed > 0) return remember(null_argument("out", "memory of capacity bytes"));
    if (Status s = laconic::check_on_host("numbers", numbers); !s) return remember(s);
    if (Status s = laconic::check_on_host("out", out); !s) return remember(s);
    return remember(
        coder.encode(numbers, static_cast<std::size_t>(count), {static_cast<std::byte*>(out), capacity}, *bytes));
  });
}

int laconic_decompress(const void* compressed, size_t bytes, void* numbers, MPI_Count count, MPI_Datatype datatype) {
  return guarded(MPI_COMM_NULL, [&]() -> int {
    laconic::CoderSettings settings;
    if (Status s = laconic::check_numbers(count, datatype, settings.coding.dtype); !s) return remember(s);
    if (compressed == nullptr && bytes > 0) return remember(null_argument("compressed", "memory of `bytes` bytes"));
    if (numbers == nullptr && count > 0) return remember(null_argument("numbers", "memory for count numbers"));
    if (Status s = laconic::check_on_host("compressed", compressed); !s) return remember(s);
    if (Status s = laconic::check_on_host("numbers", numbers); !s) return remember(s);
    laconic::FrameCoder coder(settings);
    return remember(
        coder.decode({static_cast<const std::byte*>(compressed), bytes}, numbers, static_cast<std::size_t>(count), 1));
  });
}
