// SPDX-License-Identifier: BSD-3-Clause
// Kernels of one thread block that process all pieces of a frame: on writing they settle sizes, errors and places of
// the pieces, on reading they find the pieces.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/zfp/cuda/encode.cuh"

namespace laconic::zfp {

// The faults of a frame that was read; status() in zfp_device.cu explains them.
enum class Fault : std::uint32_t {
  none = 0,
  no_index = 1,    // no room for the index
  parameters = 2,  // no such parameters exist
  others = 3,      // not the parameters of this operation
  piece = 4,       // a piece is cut short or not valid
  header = 5,      // a fault in the header, which says more
};

// The first bytes of a frame, except for its sizes and its error: the header and the head of the payload.
struct Heading {
  std::uint64_t words[4];
  std::uint32_t head;
};

template <class Value>
__device__ inline void put_bytes(std::byte* to, Value value) {
  for (std::uint32_t i = 0; i < sizeof(Value); ++i) to[i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
}

// The largest error over all parts of a piece, or Judged::raw.
__device__ inline std::uint64_t verdict_of_piece(const std::uint64_t* words, std::uint32_t numbers) {
  std::uint64_t verdict = 0;
  for (std::uint32_t part = 0; part < Shape::parts_of(numbers); ++part)
    verdict = words[part] > verdict ? words[part] : verdict;
  return verdict;
}

// Settles the places of the pieces: writes the index and, for each part that has to be written again, a place, else 0.
// Returns the size of the pieces in bytes, and the bits of the largest error of those that are not raw.
struct Settled {
  std::uint64_t bytes;
  std::uint64_t error;
};

__device__ inline Settled settle_pieces(const Shape& shape, const Piece& target, std::uint64_t* words) {
  constexpr std::uint64_t raw_verdict = Judged<float>::raw;
  const std::uint32_t pieces = Shape::pieces(target.count);
  std::uint64_t offset = Shape::pieces_at(target.count);
  std::uint64_t worst = 0;
  for (std::uint32_t first = 0; first < pieces; first += part_blocks) {
    const std::uint32_t piece = first + threadIdx.x;
    std::uint32_t bytes = 0;
    std::uint32_t numbers = 0;
    bool raw = false;
    if (piece < pieces) {
      numbers = Shape::numbers_in(target.count, piece);
      const std::uint64_t verdict = verdict_of_piece(words + piece * parts_of_piece, numbers);
      // The error is raised a little, because the subtraction was rounded.
      const double error = verdict == raw_verdict ? 0 : std::bit_cast<double>(verdict) * (1 + 0x1p-50);
      raw = shape.always_raw(numbers) || verdict == raw_verdict || !(error <= DBL_MAX);
      const std::uint64_t bits = raw ? 0 : std::bit_cast<std::uint64_t>(error);
      worst = bits > worst ? bits : worst;
      bytes = shape.bytes(numbers, raw);
    }
    const SumOfThreads sum = sum_of_threads(bytes);
    if (piece < pieces) {
      put_bytes(target.out + Shape::index_at() + size_bytes * piece, static_cast<std::uint16_t>(bytes));
      const Place place = Place::at(offset + sum.before, raw);
      const bool written = place == Place::expected(shape, target.count, piece);
      for (std::uint32_t part = 0; part < Shape::parts_of(numbers); ++part)
        words[piece * parts_of_piece + part] = written ? 0 : place.word;
    }
    offset += sum.all;
  }
  return {offset - Shape::pieces_at(target.count), greatest_of_all(worst)};
}

// Returns the first fault in `frames` frames and clears all of them.
__device__ inline std::uint64_t take_fault(std::uint64_t* faults, std::uint32_t frames) {
  std::uint64_t fault = 0;
  for (std::uint32_t i = frames; i-- > 0;) fault = faults[i] != 0 ? faults[i] : fault;
  __syncthreads();
  if (threadIdx.x < frames) faults[threadIdx.x] = 0;
  return fault;
}

// The error of the frames that were read.
struct Inherited {
  double known = 0;                 // where the host has read their headers
  const DeviceHeader* a = nullptr;  // where kernels have
  const DeviceHeader* b = nullptr;  // null: one frame
  Op op = Op::sum;

  LACONIC_HOST_DEVICE static double of(Op op, double a, double b) { return op == Op::sum ? a + b : a > b ? a : b; }
  __device__ double error() const {
    if (a == nullptr) return known;
    return b == nullptr ? a->error : of(op, a->error, b->error);
  }
};

// Settles with one thread block for each target.  faults: the faults of the `frames` frames that were read.
template <unsigned most>
__global__ void __launch_bounds__(part_blocks)
    settle_frames(const __grid_constant__ Targets<most> targets, Heading heading, Shape shape, Inherited inherited,
                  std::uint64_t* words, std::uint64_t* faults, std::uint32_t frames) {
  const Piece& target = targets.of[blockIdx.x];
  std::uint64_t* const own = words + std::size_t{blockIdx.x} * targets.parts_of_each;
  if (const std::uint64_t fault = take_fault(faults, frames); fault != 0) {
    for (std::uint32_t part = threadIdx.x; part < targets.parts_of_each; part += part_blocks) own[part] = 0;
    if (threadIdx.x == 0) {
      *target.report = Report{};
      target.report->fault = static_cast<std::uint32_t>(fault);
    }
    return;
  }
  const Settled settled = settle_pieces(shape, target, own);
  if (threadIdx.x != 0) return;
  const std::uint64_t payload = Shape::pieces_at(target.count) - wire::header_bytes + settled.bytes;
  double error = inherited.error() + std::bit_cast<double>(settled.error);
  if (!(error < DBL_MAX)) error = DBL_MAX;
  static_assert(wire::count_offset == 8 && wire::payload_offset == 12 && wire::error_offset == 24);
  const std::uint64_t header[4] = {heading.words[0], target.count | payload << 32, heading.words[2],
                                   std::bit_cast<std::uint64_t>(error)};
  Report& report = *target.report;
  report.fault = 0;
  report.rounded = 0;
  report.bytes = wire::header_bytes + payload;
  for (std::uint32_t i = 0; i < 4; ++i) {
    put_bytes(target.out + 8 * i, header[i]);
    put_bytes(report.header + 8 * i, header[i]);
  }
  put_bytes(target.out + wire::header_bytes, heading.head);
}

__device__ inline std::uint32_t half_word(const std::byte* at) {
  return std::to_integer<std::uint32_t>(at[0]) | std::to_integer<std::uint32_t>(at[1]) << 8;
}

// The fault in the head of the payload of a frame of `size` bytes, if it is not that of this operation.
__device__ inline Fault check_head(const OpenFrame& frame, std::size_t size, std::size_t count, Dtype dtype,
                                   const Parameters& ours) {
  if (size < Shape::pieces_at(count)) return Fault::no_index;
  const std::byte* head = frame.bytes + wire::header_bytes;
  const Parameters theirs{static_cast<Mode>(head[0]), static_cast<std::int16_t>(half_word(head + 2))};
  if (head[1] != std::byte{0} || !theirs.valid(dtype)) return Fault::parameters;
  return theirs.mode == ours.mode && theirs.parameter == ours.parameter ? Fault::none : Fault::others;
}

// Finds the pieces of a frame for kernels that read them: writes a place for each part, or 0 for all when there is a
// fault, which is stored where the caller asks for it.  read: the header as a kernel has read it; null: the host has.
__global__ void __launch_bounds__(part_blocks)
    open_frame(OpenFrame frame, const DeviceHeader* read, std::size_t count, Dtype dtype, Parameters ours, Shape shape,
               std::uint64_t* fault, Report* report) {
  const std::uint32_t pieces = Shape::pieces(count);
  const std::size_t size = read == nullptr ? frame.size : wire::header_bytes + read->payload;
  Fault found =
      read != nullptr && read->fault != HeaderFault::none ? Fault::header : check_head(frame, size, count, dtype, ours);
  std::uint64_t offset = Shape::pieces_at(count);
  for (std::uint32_t first = 0; first < pieces && found == Fault::none; first += part_blocks) {
    const std::uint32_t piece = first + threadIdx.x;
    const bool there = piece < pieces;
    const std::uint32_t numbers = there ? Shape::numbers_in(count, piece) : 0;
    const std::uint32_t bytes = there ? half_word(frame.bytes + Shape::index_at() + size_bytes * piece) : 0;
    const bool raw = bytes == shape.raw_bytes(numbers);
    const SumOfThreads sum = sum_of_threads(bytes);
    const std::uint64_t at = offset + sum.before;
    const bool bad = there && !raw && (shape.always_raw(numbers) || bytes != shape.coded_bytes(numbers));
    if (__syncthreads_or(bad) != 0) found = Fault::piece;
    if (there && found == Fault::none)
      for (std::uint32_t part = 0; part < Shape::parts_of(numbers); ++part)
        frame.places[piece * parts_of_piece + part] = Place::at(at, raw).word;
    offset += sum.all;
  }
  if (found == Fault::none && offset != size) found = Fault::piece;
  if (found != Fault::none)  // every thread clears the places that it has written, so no thread waits for others
    for (std::uint32_t piece = threadIdx.x; piece < pieces; piece += part_blocks)
      for (std::uint32_t part = 0; part < parts_of_piece; ++part) frame.places[piece * parts_of_piece + part] = 0;
  if (threadIdx.x != 0) return;
  if (fault != nullptr) *fault = static_cast<std::uint64_t>(found);
  if (report != nullptr) {
    *report = Report{};
    report->fault = static_cast<std::uint32_t>(found);
  }
}

}  // namespace laconic::zfp
