// Kernels that write frames: encode, fold, add, and encode of several arrays at once.  One pass over the numbers: a
// warp makes a block, a thread block a tile of them, and looks back for its place in the frame.
#pragma once

#include "base/combine.hpp"
#include "codec/device_codec.hpp"
#include "codec/quant/cuda/frame_blocks.cuh"
#include "codec/quant/cuda/look_back.cuh"

namespace laconic::quant::cuda {

// What frames are made of.
enum class Input : std::uint8_t {
  numbers,            // encode
  frame_and_numbers,  // fold
  frames,             // add
};

template <class T>
struct Output {
  const T* numbers = nullptr;
  std::byte* out = nullptr;
  Report* report = nullptr;
  std::uint32_t count = 0;
  std::uint32_t first_tile = 0;
};

template <class T, unsigned most_outputs>
struct MakeArguments {
  Output<T> outputs[most_outputs];
  std::uint32_t output_count = 1;
  Op op = Op::sum;
  InFrame a;  // fold, add
  InFrame b;  // add
  Lattice lattice;
  std::uint32_t header[wire::header_bytes / 4];  // but count, payload and, when numbers were rounded, error
  double error_if_rounded = 0;
  std::uint64_t* tickets = nullptr;
  std::uint64_t* words = nullptr;  // one for each tile
  std::uint32_t handed_out = 0;
  std::uint32_t epoch = 0;
};

struct TileMemory {
  WarpMemory warps[tile_blocks];
  std::uint32_t halves[tile_blocks];
  bool rounded[tile_blocks];
  std::uint32_t tile;
  Said before;
};

// What a warp has made of its block, before it is known where it goes.
struct Content {
  enum class Form : std::uint8_t { nothing, packed, copied, own, from_frame, from_points, from_both };
  Form form = Form::nothing;
  Entry entry = zero_block;
  bool rounded = false;
  Problem problem = Problem::none;
  unsigned begin = 0;  // copied: where the body is in the warp's memory
};

// Own numbers to points in the warp's memory; false, on all lanes, when one of them has none.  The loads of `rows`
// rows, a number to a lane each, are under way together.
template <unsigned rows, class T>
__device__ inline bool quantise_own(const T* numbers, unsigned n, const Lattice& lattice, WarpMemory& memory) {
  if (lattice.step == 0) return false;
  const float reach = reach_of_single(lattice);
  bool ok = true;
  LACONIC_NO_UNROLL
  for (unsigned first = lane_index(); first < block_values; first += rows * warp_lanes) {
    T x[rows];
    LACONIC_UNROLL
    for (unsigned k = 0; k < rows; ++k) x[k] = first + k * warp_lanes < n ? numbers[first + k * warp_lanes] : T(0.0f);
    // Without branches as long as float32 will do, which is nearly always.
    const unsigned place = WarpMemory::place(first);
    bool near = true;
    LACONIC_UNROLL
    for (unsigned k = 0; k < rows; ++k) {
      std::int32_t q = 0;
      if constexpr (sizeof(T) <= 4)
        near &= quantise_single(static_cast<float>(x[k]), lattice.inverse_single, reach, q);
      else
        ok &= quantise(x[k], lattice, q);
      memory.words[place + k * (warp_lanes + 1)] = static_cast<std::uint32_t>(q);
    }
    if constexpr (sizeof(T) <= 4) {
      if (__all_sync(all_lanes, near)) continue;
      LACONIC_NO_UNROLL
      for (unsigned i = first; i < first + rows * warp_lanes && i < n; i += warp_lanes) {
        std::int32_t q = 0;
        ok &= quantise(static_cast<float>(numbers[i]), lattice, q);
        memory.point(i) = static_cast<std::uint32_t>(q);
      }
    }
  }
  ok = __all_sync(all_lanes, ok);
  __syncwarp();
  return ok;
}

__device__ inline std::uint32_t combine_points(Op op, std::uint32_t a, std::uint32_t b) {
  const auto x = static_cast<std::int32_t>(a);
  const auto y = static_cast<std::int32_t>(b);
  return op == Op::sum ? a + b : static_cast<std::uint32_t>((op == Op::max) == (x > y) ? x : y);
}

// From points in registers, of which those of the first lanes are in memory, too.  The body takes their place there,
// behind a barrier.
__device__ inline Content pack(std::uint32_t (&v)[lane_values], unsigned n, WarpMemory& memory, Measured& measured) {
  Content c;
  measured = measure(v, n, memory);
  c.form = Content::Form::packed;
  c.entry = measured.entry;
  return c;
}

// Points that were combined in registers: those that decide the order go to memory first.
__device__ inline Content pack_combined(std::uint32_t (&v)[lane_values], unsigned n, WarpMemory& memory,
                                        Measured& measured) {
  __syncwarp();
  if (lane_index() < sampled_groups * group_subs / lane_subs) store_points(v, memory);
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

// Numbers of two sources, combined as plain MPI would.
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

// The ways of one warp through one block.
template <class T, unsigned most_outputs>
struct BlockMaker {
  const MakeArguments<T, most_outputs>& arguments;
  const Output<T>& output;
  std::uint32_t block;
  WarpMemory& memory;
  std::uint32_t (&v)[lane_values];
  Measured& measured;

  __device__ unsigned n() const {
    const std::uint32_t left = output.count - block * static_cast<std::uint32_t>(block_values);
    return left < block_values ? left : static_cast<unsigned>(block_values);
  }
  __device__ OwnNumbers<T> own() const { return {output.numbers + std::size_t{block} * block_values}; }
  __device__ PointNumbers<T> points() const { return {&memory, arguments.lattice.step}; }
  __device__ InBlock find(const InFrame& frame) const { return find_block<T>(frame, block, output.count); }

  __device__ Content encode() const {
    if (!quantise_own<16>(own().numbers, n(), arguments.lattice, memory))
      return keep_numbers<T>(Content::Form::own, own(), n());
    load_points(memory, v);
    Content c = pack(v, n(), memory, measured);
    c.rounded = true;
    return c;
  }

  __device__ Content fold() const {
    const InBlock in = find(arguments.a);
    if (in.problem != Problem::none) return failed(in.problem);
    if (!in.on_lattice())
      return keep_numbers<T>(Content::Form::from_frame, combined<T>(in.numbers<T>(), own(), arguments.op), n());
    unsigned begin;
    if (!fetch_points(in, n(), memory, begin, v)) return failed(Problem::bad_block);
    // Fewer rows at a time: registers hold the points of the frame.
    if (!quantise_own<8>(own().numbers, n(), arguments.lattice, memory)) {
      __syncwarp();
      store_points(v, memory);
      __syncwarp();
      return keep_numbers<T>(Content::Form::from_points, combined<T>(points(), own(), arguments.op), n());
    }
    LACONIC_UNROLL
    for (unsigned i = 0; i < lane_values; ++i)
      v[i] = combine_points(arguments.op, v[i], memory.point(lane_index() * lane_values + i));
    Content c = pack_combined(v, n(), memory, measured);
    c.rounded = true;
    return c;
  }

  __device__ Content add() const {
    const InBlock a = find(arguments.a);
    const InBlock b = find(arguments.b);
    if (a.problem != Problem::none) return failed(a.problem);
    if (b.problem != Problem::none) return failed(b.problem);
    if (!a.on_lattice() && !b.on_lattice())
      return keep_numbers<T>(Content::Form::from_both, combined<T>(a.numbers<T>(), b.numbers<T>(), arguments.op), n());
    unsigned begin;
    if (a.on_lattice() != b.on_lattice()) {
      const InBlock packed = choose(a.on_lattice(), a, b);
      const InBlock other = choose(a.on_lattice(), b, a);
      if (!fetch_points(packed, n(), memory, begin, v)) return failed(Problem::bad_block);
      store_points(v, memory);
      __syncwarp();
      return keep_numbers<T>(Content::Form::from_points, combined<T>(points(), other.numbers<T>(), arguments.op), n());
    }
    // In a sum a block that meets a zero block stays as it is, byte for byte.
    if (arguments.op == Op::sum && (a.entry == zero_block || b.entry == zero_block)) {
      const InBlock other = choose(a.entry == zero_block, b, a);
      Content c;
      if (!fetch_points(other, n(), memory, c.begin, v)) return failed(Problem::bad_block);
      c.form = Content::Form::copied;
      c.entry = other.entry;
      return c;
    }
    if (!fetch_points(a, n(), memory, begin, v)) return failed(Problem::bad_block);
    std::uint32_t w[lane_values];
    if (!fetch_points(b, n(), memory, begin, w)) return failed(Problem::bad_block);
    LACONIC_UNROLL
    for (unsigned i = 0; i < lane_values; ++i) v[i] = combine_points(arguments.op, v[i], w[i]);
    return pack_combined(v, n(), memory, measured);
  }

  template <Input input>
  __device__ Content make() const {
    if constexpr (input == Input::numbers)
      return encode();
    else if constexpr (input == Input::frame_and_numbers)
      return fold();
    else
      return add();
  }

  // Numbers off the lattice go where they belong without a stop in the warp's memory, formed once more.
  template <Input input>
  __device__ void write(const Content& c, std::byte* out) const {
    using Form = Content::Form;
    const auto bytes = static_cast<unsigned>(bytes_of(c.entry));
    if (c.form == Form::packed || c.form == Form::copied) {
      const unsigned begin = c.begin;
      write_words(out, bytes, [&](unsigned k) {
        return begin == 0 ? memory.words[k] : memory.words[k] >> 16 | memory.words[k + 1] << 16;
      });
    } else if (c.form == Form::own) {
      if constexpr (input == Input::numbers) write_numbers<T>(own(), bytes, out);
    } else if (c.form == Form::from_frame) {
      if constexpr (input == Input::frame_and_numbers)
        write_numbers<T>(combined<T>(find(arguments.a).template numbers<T>(), own(), arguments.op), bytes, out);
    } else if (c.form == Form::from_points) {
      if constexpr (input == Input::frame_and_numbers) {
        write_numbers<T>(combined<T>(points(), own(), arguments.op), bytes, out);
      } else if constexpr (input == Input::frames) {
        const InBlock a = find(arguments.a);
        const InBlock b = find(arguments.b);
        const InBlock other = choose(a.on_lattice(), b, a);
        write_numbers<T>(combined<T>(points(), other.template numbers<T>(), arguments.op), bytes, out);
      }
    } else if (c.form == Form::from_both) {
      if constexpr (input == Input::frames)
        write_numbers<T>(
            combined<T>(find(arguments.a).template numbers<T>(), find(arguments.b).template numbers<T>(), arguments.op),
            bytes, out);
    }
  }
};

// Which array a tile belongs to.
template <class T, unsigned most_outputs>
__device__ inline unsigned output_of(const MakeArguments<T, most_outputs>& arguments, std::uint32_t tile) {
  unsigned low = 0;
  if constexpr (most_outputs > 1) {
    unsigned high = arguments.output_count;
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      (arguments.outputs[middle].first_tile <= tile ? low : high) = middle;
    }
  }
  return low;
}

// The header, and what the host is told.
template <class T, unsigned most_outputs>
__device__ inline void finish_frame(const MakeArguments<T, most_outputs>& arguments, const Output<T>& output,
                                    Said all) {
  const std::uint32_t payload = 2 * (count_blocks(output.count) + all.halves);
  const auto error = std::bit_cast<std::uint64_t>(arguments.error_if_rounded);
  auto* words = reinterpret_cast<std::uint32_t*>(output.out);
  auto* told = reinterpret_cast<std::uint32_t*>(output.report->header);
  LACONIC_UNROLL
  for (unsigned i = 0; i < wire::header_bytes / 4; ++i) {
    std::uint32_t word = arguments.header[i];
    if (i == wire::count_offset / 4) word = output.count;
    if (i == wire::payload_offset / 4) word = payload;
    if (i == wire::error_offset / 4 && all.rounded) word = static_cast<std::uint32_t>(error);
    if (i == wire::error_offset / 4 + 1 && all.rounded) word = static_cast<std::uint32_t>(error >> 32);
    words[i] = word;
    told[i] = word;
  }
  output.report->bytes = wire::header_bytes + std::uint64_t{payload};
  output.report->rounded = all.rounded;
}

// Thread blocks on a multiprocessor at a time: what leaves every thread the registers that it needs.
constexpr unsigned resident(Input input) { return input == Input::frames ? 2 : 3; }

template <class T, Input input, unsigned most_outputs>
__global__ void __launch_bounds__(tile_threads, resident(input))
    make_frames(const __grid_constant__ MakeArguments<T, most_outputs> arguments) {
  LACONIC_SHARED(TileMemory, shared);
  const unsigned warp = threadIdx.x / warp_lanes;
  const unsigned lane = lane_index();
  if (threadIdx.x == 0) shared.tile = take_ticket(arguments.tickets, arguments.handed_out);
  __syncthreads();
  const std::uint32_t tile = shared.tile;
  const Output<T>& output = arguments.outputs[output_of(arguments, tile)];
  const std::uint32_t blocks = count_blocks(output.count);
  const std::uint32_t block = (tile - output.first_tile) * tile_blocks + warp;

  std::uint32_t v[lane_values];
  Measured measured;
  Content content;
  const BlockMaker<T, most_outputs> maker{arguments, output, block, shared.warps[warp], v, measured};
  if (block < blocks) content = maker.template make<input>();
  if (lane == 0) {
    shared.halves[warp] = content.entry >> 3;
    shared.rounded[warp] = content.rounded;
    if (content.problem != Problem::none) output.report->fault = static_cast<std::uint32_t>(content.problem);
  }
  __syncthreads();

  Said tile_says{0, false};
  std::uint32_t before = 0;  // halves of the tile before this block
  for (unsigned w = 0; w < tile_blocks; ++w) {
    if (w == warp) before = tile_says.halves;
    tile_says.halves += shared.halves[w];
    tile_says.rounded |= shared.rounded[w];
  }
  const bool first = tile == output.first_tile;
  if (threadIdx.x == 0) say(arguments.words, tile, tile_says, first, arguments.epoch);
  // Meanwhile earlier thread blocks may come to know their places.
  if (content.form == Content::Form::packed) write_body(v, measured, shared.warps[warp]);
  if (warp == 0) {
    Said earlier = look_back(arguments.words, output.first_tile, tile, arguments.epoch);
    if (lane == 0) {
      shared.before = earlier;
      earlier.halves += tile_says.halves;
      earlier.rounded |= tile_says.rounded;
      if (!first) say(arguments.words, tile, earlier, true, arguments.epoch);
      if (block + tile_blocks >= blocks) finish_frame(arguments, output, earlier);
    }
  }
  __syncthreads();

  if (block >= blocks) return;
  std::byte* index = output.out + wire::header_bytes;
  if (lane == 0) reinterpret_cast<std::uint16_t*>(index)[block] = content.entry;
  maker.template write<input>(content, index + 2 * (std::size_t{blocks} + shared.before.halves + before));
}

}  // namespace laconic::quant::cuda
