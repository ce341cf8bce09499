// SPDX-License-Identifier: BSD-3-Clause
// The arguments of kernels that write frames, and the code that their block makers share.
#pragma once

#include "base/combine.hpp"
#include "codec/device_codec.hpp"
#include "codec/quant/cuda/frame_blocks.cuh"
#include "codec/quant/cuda/look_back.cuh"
#include "codec/quant/numbers.hpp"

namespace laconic::quant::cuda {

// The input from which frames are made.
enum class Input : std::uint8_t {
  numbers,            // encode
  frame_and_numbers,  // fold
  frames,             // add
  several,            // combine: any number of frames, and own numbers, if there are any
};

template <class T>
struct Output {
  const T* numbers = nullptr;
  std::byte* out = nullptr;
  Report* report = nullptr;
  std::uint32_t count = 0;
  std::uint32_t first_tile = 0;
};

// In: InFrame or UnreadFrame.
template <class T, unsigned most_outputs, class In = InFrame>
struct MakeArguments {
  Output<T> outputs[most_outputs];
  std::uint32_t output_count = 1;
  Op op = Op::sum;
  In frames[DeviceCodec::most_combined];  // fold, add, combine; they may have own numbers besides
  std::uint32_t frame_count = 0;
  Lattice lattice;
  double relative = 0;                           // Coding::relative; 0: the lattice is the same everywhere
  std::uint32_t terms = 1;                       // Coding::terms
  std::uint32_t coarser = 0;                     // Coding::coarser if the frame holds a result, else 0
  bool exact_denormals = false;                  // Coding::exact_denormals
  std::uint32_t header[wire::header_bytes / 4];  // without count, payload and, when numbers were rounded, error
  double error_if_rounded = 0;                   // used where the error does not depend on the numbers
  double error_inherited = 0;                    // the error of the input frames; of unread ones nobody knows it yet
  Turn turn;
  std::uint64_t* words = nullptr;  // one for each tile
};

template <class T, unsigned most_outputs, class In>
__device__ inline double error_inherited(const MakeArguments<T, most_outputs, In>& arguments) {
  if constexpr (!In::unread) {
    return arguments.error_inherited;
  } else {
    double error = arguments.frames[0].header->error;
    for (unsigned k = 1; k < arguments.frame_count; ++k)
      error = error_of(arguments.op, arguments.frames[k].header->error, error);
    return error;
  }
}

// For unread frames, arguments.error_if_rounded is that of own numbers alone.
template <class T, unsigned most_outputs, class In>
__device__ inline double error_if_rounded(const MakeArguments<T, most_outputs, In>& arguments) {
  if constexpr (!In::unread)
    return arguments.error_if_rounded;
  else
    return error_of(arguments.op, error_inherited(arguments), arguments.error_if_rounded);
}

struct TileMemory {
  WarpMemory warps[tile_blocks];
  std::uint32_t halves[tile_blocks];
  std::uint32_t tops[tile_blocks];
  std::uint32_t tile;
  Said before;
  std::uint32_t before_tile[DeviceCodec::most_combined];  // in each long input frame
};

// The result of a warp for its block, before its place in the output is known.
struct Content {
  // The source of the body.  own: own numbers.  The from_ forms combine two sources, at least one of them a frame: its
  // numbers (from_frame), points in the warp's memory (from_points, from_numbers), or the numbers of both frames
  // (from_both).  any: a block of any other kind (masked_block.cuh).
  enum class Form : std::uint8_t {
    nothing,
    packed,
    copied,
    own,
    from_frame,
    from_points,
    from_numbers,
    from_both,
    any
  };
  Form form = Form::nothing;
  Entry entry = zero_block;
  std::uint32_t top = 0;  // Said::top
  Problem problem = Problem::none;
  unsigned begin = 0;  // copied: position of the body in the warp's memory
};

__device__ inline std::uint32_t combine_points(Op op, std::uint32_t a, std::uint32_t b) {
  const auto x = static_cast<std::int32_t>(a);
  const auto y = static_cast<std::int32_t>(b);
  return op == Op::sum ? a + b : static_cast<std::uint32_t>((op == Op::max) == (x > y) ? x : y);
}

// Packs points in registers; those of the first lanes are in memory, too.  The body takes their place there, after a
// barrier.
__device__ inline Content pack(std::uint32_t (&v)[lane_values], unsigned n, WarpMemory& memory, Measured& measured) {
  Content c;
  measured = measure(v, n, memory);
  c.form = Content::Form::packed;
  c.entry = measured.entry;
  return c;
}

// Packs points that were combined in registers: those that decide the order are stored to memory first.
__device__ inline Content pack_combined(std::uint32_t (&v)[lane_values], unsigned n, WarpMemory& memory,
                                        Measured& measured) {
  __syncwarp();
  if (lane_index() < sampled_groups * group_subs / lane_subs) store_points(v, memory.words);
  __syncwarp();
  return pack(v, n, memory, measured);
}

template <class T, class Numbers>
__device__ inline Content keep_numbers(Content::Form form, const Numbers& numbers, unsigned n) {
  Content c;
  c.form = form;
  const bool same = all_same<T>(numbers, n);
  c.entry = make_entry(same ? Kind::fill : Kind::raw, (same ? 1 : n) * sizeof(T));
  return c;
}

__device__ inline Content failed(Problem problem) {
  Content c;
  c.problem = problem;
  return c;
}

// Numbers of two sources, combined as MPI would combine uncompressed ones.
template <class T, class First, class Second>
struct CombinedNumbers {
  First first;
  Second second;
  Op op;
  __device__ T operator()(unsigned i) const { return combine(op, first(i), second(i)); }
};
template <class T, class First, class Second>
__device__ inline CombinedNumbers<T, First, Second> combined(const First& first, const Second& second, Op op) {
  return {first, second, op};
}

}  // namespace laconic::quant::cuda
