// SPDX-License-Identifier: BSD-3-Clause
// Kernels for operations whose frames the host does not see: one before the kernels of the codec, and one after them.
#include "codec/device_header.hpp"

#include <bit>

#include "codec/cuda/header_words.cuh"
#include "codec/stream_result.hpp"
#include "device/cuda/language.hpp"

namespace laconic {
namespace {

cudaStream_t stream_of(Queue& queue) { return static_cast<cudaStream_t>(queue.native()); }

// A finite number that is not below 0, as wire::read_header() demands.
__device__ bool is_magnitude(std::uint64_t bits) { return bits < std::uint64_t{0x7ff} << 52; }

__device__ HeaderFault check_header(const std::uint32_t* words, const std::uint64_t* numbers,
                                    const HeaderRules& rules) {
  const std::uint32_t kind = words[1];
  const auto codec = static_cast<std::uint8_t>(kind >> 8);
  const auto flags = static_cast<std::uint8_t>(kind >> 24);
  if (words[0] != wire::magic) return HeaderFault::magic;
  if (static_cast<std::uint8_t>(kind) != wire::version) return HeaderFault::version;
  if (codec == wire::codec_none && flags == wire::flag_failed) return HeaderFault::failed;
  if (codec != rules.codec) return HeaderFault::codec;
  if (flags != rules.flags) return HeaderFault::flags;
  if (static_cast<std::uint8_t>(kind >> 16) != static_cast<std::uint8_t>(rules.dtype)) return HeaderFault::dtype;
  if (words[wire::count_offset / 4] != rules.count) return HeaderFault::count;
  const std::uint32_t payload = words[wire::payload_offset / 4];
  if (payload < rules.least_payload || payload > rules.most_payload) return HeaderFault::payload;
  const bool known = rules.step != HeaderRules::any_step;
  if (!is_magnitude(numbers[0]) || (known && numbers[0] != std::bit_cast<std::uint64_t>(rules.step)))
    return HeaderFault::step;
  if (!is_magnitude(numbers[1]) || (rules.exact && numbers[1] != 0)) return HeaderFault::error;
  return HeaderFault::none;
}

__global__ void read_header(const std::byte* frame, HeaderRules rules, DeviceHeader* header) {
  static_assert(wire::step_offset == 16 && wire::error_offset == 24);
  const auto* words = reinterpret_cast<const std::uint32_t*>(frame);
  const auto* numbers = reinterpret_cast<const std::uint64_t*>(frame + wire::step_offset);
  DeviceHeader read;
  read.fault = check_header(words, numbers, rules);
  if (read.fault == HeaderFault::none) {
    read.payload = words[wire::payload_offset / 4];
    read.step = std::bit_cast<double>(numbers[0]);
    read.error = std::bit_cast<double>(numbers[1]);
  }
  *header = read;
}

__device__ std::uint32_t fault_of(const Notes& notes) {
  for (unsigned i = 0; i < 2; ++i)
    if (notes.headers[i].fault != HeaderFault::none) return static_cast<std::uint32_t>(notes.headers[i].fault);
  return notes.report->fault;
}

__global__ void write_result(Notes notes, std::uint32_t codec, std::byte* made, HeaderWords failed,
                             StreamResult* result) {
  const std::uint32_t fault = fault_of(notes);
  StreamResult told{};
  told.written = 1;
  told.codec = codec;
  told.fault = fault;
  auto* words = reinterpret_cast<std::uint32_t*>(made);
  if (fault == 0 && made != nullptr) {
    told.bytes = notes.report->bytes;
    told.error = *reinterpret_cast<const double*>(made + wire::error_offset);
  } else if (fault == 0) {
    told.bytes = wire::header_bytes + std::uint64_t{notes.headers[0].payload};
    told.error = notes.headers[0].error;
  } else if (made != nullptr) {
    told.bytes = wire::header_bytes;
    for (unsigned i = 0; i < wire::header_bytes / 4; ++i) words[i] = failed.words[i];
  }
  *result = told;
}

__global__ void write_empty_result(std::uint32_t codec, StreamResult* result) {
  StreamResult told{};
  told.written = 1;
  told.codec = codec;
  *result = told;
}

}  // namespace

Status read_header_on_device(const std::byte* frame, const HeaderRules& rules, DeviceHeader* header, Queue& queue) {
  return launch(read_header, 1, 1, stream_of(queue), frame, rules, header);
}

Status settle_result(const Notes& notes, std::uint8_t codec, std::byte* made, const wire::Header& failed,
                     StreamResult* result, Queue& queue) {
  return launch(write_result, 1, 1, stream_of(queue), notes, std::uint32_t{codec}, made, words_of(failed), result);
}

Status settle_nothing(std::uint8_t codec, StreamResult* result, Queue& queue) {
  return launch(write_empty_result, 1, 1, stream_of(queue), std::uint32_t{codec}, result);
}

}  // namespace laconic
