// SPDX-License-Identifier: BSD-3-Clause
// The processing of a block of a scaled frame by a warp.
#pragma once

#include "codec/quant/cuda/make_arguments.cuh"
#include "codec/quant/cuda/scaled_points.cuh"
#include "codec/quant/numbers.hpp"

namespace laconic::quant::cuda {

template <class T, unsigned most_outputs, class In>
struct ScaledMaker {
  static constexpr std::uint32_t values = scaled_block;
  static constexpr unsigned resident(Input input) { return input == Input::numbers ? 3 : 2; }

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

  // Said::top of a block that was rounded, and the error of the frame that follows from the largest top.
  __device__ static std::uint32_t top_of(int exponent) { return static_cast<std::uint32_t>(exponent + 1024); }
  __device__ double error(std::uint32_t top) const {
    if (top == 0) return error_inherited(arguments);
    return error_of(arguments.op, error_inherited(arguments), scaled::power_of_two(static_cast<int>(top) - 1025));
  }

  // Rounds own numbers to normalised points; false when they have none.
  __device__ bool round(std::uint32_t (&points)[lane_values], Scale& scale, std::uint32_t& top) const {
    int exponent;
    bool zero;
    if (!round_scaled(own().numbers, n(), arguments.relative, arguments.terms, memory, exponent, zero)) return false;
    LACONIC_UNROLL
    for (unsigned i = 0; i < lane_values; ++i) points[i] = 0;
    if (!zero) load_points(memory.words, points);
    __syncwarp();
    clear_missing(points, n());
    scale = normalise(points, exponent);
    top = zero ? 0 : top_of(exponent);
    return true;
  }

  __device__ Content make_points(const Scale& scale) const {
    if (scale.zero) return {};
    Content c = pack_combined(v, n(), memory, measured);
    measured.exponents[0] = scale.exponent;
    c.entry = make_entry(kind_of(c.entry), bytes_of(c.entry) + sizeof(scaled::Exponent));
    return c;
  }

  // Stores points to memory, where Numbers reads them, next to those of another block.
  __device__ void put(const std::uint32_t (&points)[lane_values], const Scale& scale, unsigned operand) const {
    __syncwarp();
    if (lane_index() * lane_values < values) store_points(points, memory.words + operand * second_points);
    measured.exponents[operand] = scale.zero ? 0 : scale.exponent;
    __syncwarp();
  }
  struct Numbers {
    const WarpMemory* memory;
    unsigned begin;
    double step;
    __device__ T operator()(unsigned i) const {
      return dequantise<T>(static_cast<std::int32_t>(memory->words[begin + WarpMemory::place(i)]), step, 1);
    }
  };
  __device__ Numbers numbers_of(unsigned operand) const {
    return {&memory, operand * second_points, scaled::power_of_two(measured.exponents[operand])};
  }

  __device__ Content encode() const {
    Scale scale;
    std::uint32_t top = 0;
    const bool exact = arguments.exact_denormals && holds_denormal(own(), n());
    if (exact || !round(v, scale, top)) return keep_numbers<T>(Content::Form::own, own(), n());
    Content c = make_points(scale);
    c.top = top;
    return c;
  }

  // Combines the points of two blocks, those of the first in v: as points where they fit, else as numbers.
  __device__ Content combine_with(Scale scale, std::uint32_t (&others)[lane_values], Scale other) const {
    if (scale.zero) scale.exponent = other.exponent;
    if (other.zero) other.exponent = scale.exponent;
    const int smaller = scale.exponent < other.exponent ? scale.exponent : other.exponent;
    const auto fits = [&](const Scale& s) { return s.zero || s.bits + s.exponent - smaller <= scaled::addend_bits; };
    if (!fits(scale) || !fits(other)) {
      put(v, scale, 0);
      put(others, other, 1);
      return keep_numbers<T>(Content::Form::from_points, combined<T>(numbers_of(0), numbers_of(1), arguments.op), n());
    }
    const int up[2] = {scale.exponent - smaller, other.exponent - smaller};
    LACONIC_UNROLL
    for (unsigned i = 0; i < lane_values; ++i) v[i] = combine_points(arguments.op, v[i] << up[0], others[i] << up[1]);
    return make_points(normalise(v, smaller));
  }

  __device__ Content fold() const {
    using Form = Content::Form;
    const InBlock in = find(0);
    if (in.problem != Problem::none) return failed(in.problem);
    if (!in.on_lattice())
      return keep_numbers<T>(Form::from_frame, combined<T>(in.numbers<T>(), own(), arguments.op), n());
    Scale scale;
    const Problem problem = fetch_scaled(in, n(), memory, v, scale);
    if (problem != Problem::none) return failed(problem);
    std::uint32_t points[lane_values];
    Scale own_scale;
    std::uint32_t top = 0;
    if (!round(points, own_scale, top)) {
      put(v, scale, 0);
      return keep_numbers<T>(Form::from_numbers, combined<T>(numbers_of(0), own(), arguments.op), n());
    }
    Content c = combine_with(scale, points, own_scale);
    c.top = top;
    return c;
  }

  __device__ Content add() const {
    using Form = Content::Form;
    const InBlock a = find(0);
    const InBlock b = find(1);
    if (a.problem != Problem::none) return failed(a.problem);
    if (b.problem != Problem::none) return failed(b.problem);
    if (!a.on_lattice() && !b.on_lattice())
      return keep_numbers<T>(Form::from_both, combined<T>(a.numbers<T>(), b.numbers<T>(), arguments.op), n());
    Scale scale;
    if (a.on_lattice() != b.on_lattice()) {
      const Problem problem = fetch_scaled(choose(a.on_lattice(), a, b), n(), memory, v, scale);
      if (problem != Problem::none) return failed(problem);
      put(v, scale, 0);
      const InBlock other = choose(a.on_lattice(), b, a);
      return keep_numbers<T>(Form::from_numbers, combined<T>(numbers_of(0), other.numbers<T>(), arguments.op), n());
    }
    std::uint32_t points[lane_values];
    Scale other;
    Problem problem = fetch_scaled(a, n(), memory, v, scale);
    if (problem == Problem::none) problem = fetch_scaled(b, n(), memory, points, other);
    return problem == Problem::none ? combine_with(scale, points, other) : failed(problem);
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

  __device__ void write_body() const {
    if (lane_index() == 0) memory.set_half(0, static_cast<std::uint32_t>(measured.exponents[0]));
    cuda::write_body(v, measured, sizeof(scaled::Exponent) / 2, memory);
  }

  // The counterpart of BlockMaker::write().
  template <Input input>
  __device__ void write(const Content& c, std::byte* out) const {
    using Form = Content::Form;
    const auto bytes = static_cast<unsigned>(bytes_of(c.entry));
    const Op op = arguments.op;
    if (c.form == Form::packed) put_body(memory, 0, bytes, out);
    if (c.form == Form::from_points) write_numbers<T>(combined<T>(numbers_of(0), numbers_of(1), op), bytes, out);
    if constexpr (input == Input::numbers) {
      if (c.form == Form::own) write_numbers<T>(own(), bytes, out);
    } else if constexpr (input == Input::frame_and_numbers) {
      if (c.form == Form::from_numbers) write_numbers<T>(combined<T>(numbers_of(0), own(), op), bytes, out);
      if (c.form == Form::from_frame)
        write_numbers<T>(combined<T>(find(0).template numbers<T>(), own(), op), bytes, out);
    } else {
      if (c.form != Form::from_numbers && c.form != Form::from_both) return;
      const InBlock a = find(0);
      const InBlock b = find(1);
      if (c.form == Form::from_both)
        write_numbers<T>(combined<T>(a.template numbers<T>(), b.template numbers<T>(), op), bytes, out);
      else
        write_numbers<T>(combined<T>(numbers_of(0), choose(a.on_lattice(), b, a).template numbers<T>(), op), bytes,
                         out);
    }
  }
};

}  // namespace laconic::quant::cuda
