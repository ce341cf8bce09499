// SPDX-License-Identifier: BSD-3-Clause
// The processing of a block by a warp, for blocks whose lattice is that of the whole frame.
#pragma once

#include "codec/quant/cuda/masked_block.cuh"

namespace laconic::quant::cuda {

template <class T, unsigned most_outputs, class In>
struct BlockMaker {
  static constexpr std::uint32_t values = full_block;

  // Thread blocks per multiprocessor: the number that leaves every thread the registers that it needs.
  static constexpr unsigned resident(Input input) {
    return input == Input::numbers ? 4 : input == Input::frame_and_numbers ? 3 : 2;
  }

  const MakeArguments<T, most_outputs, In>& arguments;
  const Output<T>& output;
  std::uint32_t block;
  WarpMemory& memory;
  std::uint32_t (&v)[lane_values];
  Measured& measured;
  const std::uint32_t* before_tile;  // in each long input frame

  __device__ unsigned n() const {
    const std::uint32_t left = output.count - block * values;
    return left < values ? left : values;
  }
  __device__ OwnNumbers<T> own() const { return {output.numbers + std::size_t{block} * values}; }
  // The block in input frame k.
  __device__ InBlock find(unsigned k) const {
    return find_block<T, values>(arguments.frames[k], block, output.count, before_tile[k]);
  }

  __device__ void round_result() const {
    if (arguments.coarser == 0) return;
    LACONIC_UNROLL
    for (unsigned i = 0; i < lane_values; ++i)
      v[i] = static_cast<std::uint32_t>(coarse_point(static_cast<std::int32_t>(v[i]), arguments.coarser));
  }

  __device__ void combine_with(const std::uint32_t (&others)[lane_values]) const {
    LACONIC_UNROLL
    for (unsigned i = 0; i < lane_values; ++i) v[i] = combine_points(arguments.op, v[i], others[i]);
  }

  // False, on all lanes, if an own number has no point.
  __device__ bool combine_with_own() const {
    // Fewer numbers are loaded at a time than in encode(), because registers hold the points of the frame.
    if (!quantise_own<8>(own().numbers, n(), arguments.lattice, memory)) return false;
    std::uint32_t own_points[lane_values];
    load_points(memory.words, own_points);
    combine_with(own_points);
    return true;
  }

  __device__ Content encode() const {
    if (arguments.exact_denormals && holds_denormal(own(), n())) return keep_numbers<T>(Content::Form::own, own(), n());
    if (!quantise_own<16>(own().numbers, n(), arguments.lattice, memory)) {
      const bool plain = arguments.lattice.step == 0 || (arguments.exact_denormals && holds_payload(own(), n()));
      return plain ? keep_numbers<T>(Content::Form::own, own(), n()) : measure_any<Input::numbers>();
    }
    load_points(memory.words, v);
    Content c = pack(v, n(), memory, measured);
    c.top = 1;
    return c;
  }

  __device__ Content fold() const {
    const InBlock in = find(0);
    if (in.problem != Problem::none) return failed(in.problem);
    if (!in.on_lattice() && arguments.lattice.step > 0) return measure_any<Input::frame_and_numbers>();
    if (!in.on_lattice())
      return keep_numbers<T>(Content::Form::from_frame, combined<T>(in.numbers<T>(), own(), arguments.op), n());
    unsigned begin;
    if (!fetch_points(in, n(), memory, begin, v)) return failed(Problem::bad_block);
    if (!combine_with_own()) return measure_any<Input::frame_and_numbers>();
    round_result();
    Content c = pack_combined(v, n(), memory, measured);
    c.top = 1;
    return c;
  }

  __device__ Content combine() const {
    unsigned begin;
    LACONIC_NO_UNROLL
    for (unsigned k = 0; k < arguments.frame_count; ++k) {
      const InBlock in = find(k);
      if (in.problem != Problem::none) return failed(in.problem);
      if (!in.on_lattice()) return measure_any<Input::several>();
      if (k == 0) {
        if (!fetch_points(in, n(), memory, begin, v)) return failed(Problem::bad_block);
        continue;
      }
      std::uint32_t w[lane_values];
      if (!fetch_points(in, n(), memory, begin, w)) return failed(Problem::bad_block);
      combine_with(w);
    }
    const bool with_own = output.numbers != nullptr;
    if (with_own && !combine_with_own()) return measure_any<Input::several>();
    round_result();
    Content c = pack_combined(v, n(), memory, measured);
    c.top = with_own ? 1 : 0;
    return c;
  }

  __device__ Content add() const {
    const InBlock a = find(0);
    const InBlock b = find(1);
    if (a.problem != Problem::none) return failed(a.problem);
    if (b.problem != Problem::none) return failed(b.problem);
    if (!(a.on_lattice() && b.on_lattice()) && arguments.lattice.step > 0) return measure_any<Input::frames>();
    if (!a.on_lattice())
      return keep_numbers<T>(Content::Form::from_both, combined<T>(a.numbers<T>(), b.numbers<T>(), arguments.op), n());
    unsigned begin;
    // In a sum, a block added to a zero block stays as it is, byte for byte.
    if (arguments.op == Op::sum && arguments.coarser == 0 && (a.entry == zero_block || b.entry == zero_block)) {
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
    combine_with(w);
    round_result();
    return pack_combined(v, n(), memory, measured);
  }

  __device__ double error(std::uint32_t) const { return error_if_rounded(arguments); }

  template <Input input>
  __device__ Content make() const {
    if constexpr (input == Input::numbers)
      return encode();
    else if constexpr (input == Input::frame_and_numbers)
      return fold();
    else if constexpr (input == Input::several)
      return combine();
    else
      return add();
  }

  // Makes a block of form any, and writes it to `out` unless that is null.
  template <Input input>
  __device__ AnyEntry make_any(std::byte* out) const {
    const Lattice& lattice = arguments.lattice;
    if constexpr (input == Input::numbers) {
      const bool adds = arguments.terms > 1 || arguments.op != Op::sum;
      return encode_any<T>(own().numbers, n(), !adds, lattice, memory, out);
    } else if constexpr (input == Input::frame_and_numbers) {
      const InBlock in = find(0);
      return fold_any<T>(in.entry, in.body, own().numbers, n(), arguments.op, arguments.coarser, lattice, memory, out);
    } else if constexpr (input == Input::several) {
      const T* numbers = output.numbers == nullptr ? nullptr : own().numbers;
      const auto block_of = [&](unsigned k) { return find(k); };
      return combine_any_blocks<T>(arguments.frame_count, block_of, numbers, n(), arguments.op, arguments.coarser,
                                   lattice, memory, out);
    } else {
      return add_any<T>(find(0), find(1), n(), arguments.op, arguments.coarser, lattice.step, memory, out);
    }
  }
  // The same without writing it.  The registers are set so that they need not be kept during the call.
  template <Input input>
  __device__ Content measure_any() const {
    const AnyEntry made = make_any<input>(nullptr);
    LACONIC_UNROLL
    for (unsigned i = 0; i < lane_values; ++i) v[i] = 0;
    measured = {};
    if (made.problem != Problem::none) return failed(made.problem);
    Content c;
    c.form = Content::Form::any;
    c.entry = made.entry;
    c.top = made.rounded ? 1 : 0;
    return c;
  }

  // Writes the body of a packed block to the warp's memory.
  __device__ void write_body() const { cuda::write_body(v, measured, 0, memory); }

  // Numbers off the lattice are computed once more and written directly to their destination, not through the warp's
  // memory.
  template <Input input>
  __device__ void write(const Content& c, std::byte* out) const {
    using Form = Content::Form;
    const auto bytes = static_cast<unsigned>(bytes_of(c.entry));
    if (c.form == Form::any) {
      make_any<input>(out);
    } else if (c.form == Form::packed || c.form == Form::copied) {
      put_body(memory, c.begin, bytes, out);
    } else if (c.form == Form::own) {
      if constexpr (input == Input::numbers) write_numbers<T>(own(), bytes, out);
    } else if (c.form == Form::from_frame) {
      if constexpr (input == Input::frame_and_numbers)
        write_numbers<T>(combined<T>(find(0).template numbers<T>(), own(), arguments.op), bytes, out);
    } else if (c.form == Form::from_both) {
      if constexpr (input == Input::frames)
        write_numbers<T>(combined<T>(find(0).template numbers<T>(), find(1).template numbers<T>(), arguments.op), bytes,
                         out);
    }
  }
};

}  // namespace laconic::quant::cuda
