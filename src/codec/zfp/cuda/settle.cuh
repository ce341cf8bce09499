// SPDX-License-Identifier: BSD-3-Clause
// Kernels that process all pieces of a frame: on writing they settle sizes, errors and places of the pieces, on reading
// they find the pieces.
//
// A thread has a piece, and a thread block adds up the sizes of all pieces before its own: no thread block waits for
// another.  Sizes are few (a word or two for 4096 numbers), so reading them again costs less than a pass over them. The
// last thread block of a frame has seen all pieces; it alone writes the header, the report and the fault.
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

// The pieces of a thread block: one for each thread.
struct PiecesOfBlock {
  std::uint32_t first;
  std::uint32_t all;  // pieces of the frame

  static std::uint32_t thread_blocks(std::uint32_t pieces) {
    return pieces == 0 ? 1 : (pieces + part_blocks - 1) / part_blocks;
  }
  __device__ PiecesOfBlock(std::size_t count, std::uint32_t number)
      : first(number * part_blocks), all(Shape::pieces(count)) {}
  // Frames that share a launch may have no pieces for some thread blocks.  The first has the header of an empty frame.
  __device__ bool needed() const { return first == 0 || first < all; }
  __device__ bool last() const { return first + part_blocks >= all; }
  __device__ std::uint32_t own() const { return first + threadIdx.x; }
};

// The result of a piece from the verdicts of its parts.  error: as bits, which are in the order of the numbers.
struct Settled {
  bool raw;
  std::uint32_t bytes;
  std::uint64_t error;

  __device__ Settled(const Shape& shape, std::uint32_t numbers, const std::uint64_t* verdicts) {
    std::uint64_t verdict = 0;
    for (std::uint32_t part = 0; part < Shape::parts_of(numbers); ++part)
      verdict = verdicts[part] > verdict ? verdicts[part] : verdict;
    const bool judged_raw = verdict == Judged<float>::raw;
    // The error is raised a little, because the subtraction was rounded.
    const double raised = judged_raw ? 0 : std::bit_cast<double>(verdict) * (1 + 0x1p-50);
    raw = shape.always_raw(numbers) || judged_raw || !(raised <= DBL_MAX);
    bytes = shape.bytes(numbers, raw);
    error = raw ? 0 : std::bit_cast<std::uint64_t>(raised);
  }
};

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

// The first fault in `frames` frames.
__device__ inline std::uint32_t first_fault(const std::uint32_t* faults, std::uint32_t frames) {
  std::uint32_t fault = 0;
  for (std::uint32_t i = frames; i-- > 0;) fault = faults[i] != 0 ? faults[i] : fault;
  return fault;
}

// Settles with `blocks_of_each` thread blocks for each target: writes header and index and, for each part, a place if
// it has to be written again, else 0.  faults: those of the `frames` frames that were read.
template <unsigned most>
__global__ void __launch_bounds__(part_blocks)
    settle_frames(const __grid_constant__ Targets<most> targets, std::uint32_t blocks_of_each, Heading heading,
                  Shape shape, Inherited inherited, PartWords words, const std::uint32_t* faults,
                  std::uint32_t frames) {
  const std::uint32_t number = blockIdx.x / blocks_of_each;
  const Piece& target = targets.of[number];
  const PiecesOfBlock pieces(target.count, blockIdx.x % blocks_of_each);
  if (!pieces.needed()) return;
  const std::uint32_t first_part = number * targets.parts_of_each;
  const std::uint32_t piece = pieces.own();
  const auto place_parts = [&](Place place) {
    for (std::uint32_t part = 0; part < Shape::parts_of(Shape::numbers_in(target.count, piece)); ++part)
      words.place(first_part + piece * parts_of_piece + part) = place.word;
  };
  if (const std::uint32_t fault = first_fault(faults, frames); fault != 0) {
    if (piece < pieces.all) place_parts({});
    if (threadIdx.x != 0 || !pieces.last()) return;
    *target.report = Report{};
    target.report->fault = fault;
    return;
  }
  const auto settled = [&](std::uint32_t p) {
    return Settled(shape, Shape::numbers_in(target.count, p), &words.verdict(first_part + p * parts_of_piece));
  };
  std::uint64_t before = 0;
  std::uint64_t worst = 0;
  for (std::uint32_t p = threadIdx.x; p < pieces.first; p += part_blocks) {
    const Settled earlier = settled(p);
    before += earlier.bytes;
    worst = earlier.error > worst ? earlier.error : worst;
  }
  before = Shape::pieces_at(target.count) + sum_of_threads(before).all;
  bool raw = false;
  std::uint32_t bytes = 0;
  if (piece < pieces.all) {
    const Settled own = settled(piece);
    raw = own.raw;
    bytes = own.bytes;
    worst = own.error > worst ? own.error : worst;
  }
  const SumOfThreads sum = sum_of_threads(bytes);
  if (piece < pieces.all) {
    put_bytes(target.out + Shape::index_at() + size_bytes * piece, static_cast<std::uint16_t>(bytes));
    const Place place = Place::at(before + sum.before, raw);
    place_parts(place == Place::expected(shape, target.count, piece) ? Place{} : place);
  }
  worst = greatest_of_all(worst);
  if (threadIdx.x != 0 || !pieces.last()) return;

  const std::uint64_t payload = before + sum.all - wire::header_bytes;
  double error = inherited.error() + std::bit_cast<double>(worst);
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

// Finds the pieces of a frame for kernels that read them: writes a place for each part, and the fault of the frame.
// After a fault the places are not valid.  read: the header as a kernel has read it; null: the host has.
__global__ void __launch_bounds__(part_blocks) open_frame(OpenFrame frame, const DeviceHeader* read, std::size_t count,
                                                          Dtype dtype, Parameters ours, Shape shape, Report* report) {
  const PiecesOfBlock pieces(count, blockIdx.x);
  const std::size_t size = read == nullptr ? frame.size : wire::header_bytes + read->payload;
  Fault found =
      read != nullptr && read->fault != HeaderFault::none ? Fault::header : check_head(frame, size, count, dtype, ours);
  if (found == Fault::none) {
    const auto bytes_of = [&](std::uint32_t piece) {
      return half_word(frame.bytes + Shape::index_at() + size_bytes * piece);
    };
    const auto is_bad = [&](std::uint32_t piece, std::uint32_t bytes) {
      const std::uint32_t numbers = Shape::numbers_in(count, piece);
      return bytes != shape.raw_bytes(numbers) && (shape.always_raw(numbers) || bytes != shape.coded_bytes(numbers));
    };
    std::uint64_t before = 0;
    bool bad = false;
    for (std::uint32_t piece = threadIdx.x; piece < pieces.first; piece += part_blocks) {
      const std::uint32_t bytes = bytes_of(piece);
      before += bytes;
      bad = bad || is_bad(piece, bytes);
    }
    before = Shape::pieces_at(count) + sum_of_threads(before).all;
    const std::uint32_t piece = pieces.own();
    const bool there = piece < pieces.all;
    const std::uint32_t bytes = there ? bytes_of(piece) : 0;
    bad = bad || (there && is_bad(piece, bytes));
    const SumOfThreads sum = sum_of_threads(bytes);
    if (there) {
      const std::uint32_t numbers = Shape::numbers_in(count, piece);
      const Place place = Place::at(before + sum.before, bytes == shape.raw_bytes(numbers));
      for (std::uint32_t part = 0; part < Shape::parts_of(numbers); ++part)
        frame.places[piece * parts_of_piece + part] = place.word;
    }
    if (__syncthreads_or(bad) != 0 || before + sum.all != size) found = Fault::piece;
  }
  if (threadIdx.x != 0 || !pieces.last()) return;
  if (report != nullptr) *report = Report{};
  *frame.fault = static_cast<std::uint32_t>(found);
}

}  // namespace laconic::zfp
