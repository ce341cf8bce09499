// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dense/scaled.hpp"

#include <cmath>

#include "codec/denormals.hpp"
#include "codec/dense/units.hpp"
#include "codec/quant/scaled_block.hpp"

namespace laconic::dense::scaled {
namespace {

using quant::Wide;
using quant::scaled::Scaled;

// Reads a part, whose points need not be normalised.
template <class T>
void get(const quant::Kernels& k, const Segment& segment, std::size_t part, std::size_t n, Scaled<T>& block) {
  const Exponent exponent = segment.exponents[part];
  block.lattice = exponent < raw_part;
  if (!block.lattice) return get_numbers(segment.numbers[part], exponent == fill_part, n, block.numbers);
  std::memcpy(block.points.q, segment.q + part * part_values, part_values * sizeof *segment.q);
  block.exponent = exponent;
  block.normalise(k, n);
}

// Puts a part into a segment, and its numbers, where it is off the lattice, to `at`; returns their end.
template <class T>
std::byte* put(const Scaled<T>& block, Segment& segment, std::size_t part, std::size_t n, std::byte* at) {
  if (block.lattice) {
    segment.put_part(part, block.points.q, block.zero ? zero_part : static_cast<Exponent>(block.exponent), n);
    return at;
  }
  const quant::Entry entry = quant::write_numbers(block.numbers, n, at);
  const std::int32_t zeros[part_values] = {};
  segment.put_part(part, zeros, quant::kind_of(entry) == quant::Kind::fill ? fill_part : raw_part, n);
  return at + quant::bytes_of(entry);
}

template <class T>
void keep_numbers(Scaled<T>& block, const T* x, std::size_t n) {
  block.lattice = false;
  std::memcpy(static_cast<void*>(block.numbers), x, n * sizeof(T));
}

template <class F>
void each_part(std::size_t n, F&& f) {
  each_unit(Frames::scaled, n, f);
}

Reader reader_of(Frame frame, std::size_t number_bytes) {
  return {frame.subspan(wire::header_bytes), Frames::scaled, number_bytes};
}

// Writes a segment of n numbers from `at` on and returns its end.  make_part(block, part, first, n) makes each part.
template <class T, class MakePart>
std::byte* write(const AllKernels& k, Memory& m, std::size_t n, std::byte* at, MakePart&& make_part) {
  Scaled<T> block;
  std::byte* numbers = begin_of_numbers(Frames::scaled, n, at);
  each_part(n, [&](std::size_t part, std::size_t first, std::size_t values) {
    make_part(block, part, first, values);
    numbers = put(block, m.written, part, values, numbers);
  });
  return write_segment(k.dense, Frames::scaled, m.written, n, m.work, at, numbers);
}

}  // namespace

template <class T>
Payload encode(const AllKernels& k, const T* x, std::size_t count, const Coding& coding, Blob out) {
  Memory& m = memory();
  Wide<T> wide;
  std::byte* at = out.data() + wire::header_bytes;
  double error = 0;
  const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
    at = write<T>(k, m, n, at, [&](Scaled<T>& own, std::size_t, std::size_t first, std::size_t values) {
      const T* numbers = x + i + first;
      if (!(coding.exact_denormals && holds_denormal(numbers, values)) &&
          own.round(k.quant, numbers, values, coding, wide, error))
        return;
      keep_numbers(own, numbers, values);
    });
    return {};
  });
  return {status, at, error};
}

template <class T>
Payload fold(const AllKernels& k, Frame frame, double inherited, const T* x, std::size_t count, const Coding& coding,
             Blob out) {
  Reader reader = reader_of(frame, sizeof(T));
  Memory& m = memory();
  Segment& other = m.read[0];
  Scaled<T> own;
  Wide<T> wide;
  std::byte* at = out.data() + wire::header_bytes;
  double error = 0;
  Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
    if (Status s = reader.next(k.dense, n, other); !s) return s;
    at = write<T>(k, m, n, at, [&](Scaled<T>& block, std::size_t part, std::size_t first, std::size_t values) {
      const T* numbers = x + i + first;
      get(k.quant, other, part, values, block);
      if (!block.lattice || !own.round(k.quant, numbers, values, coding, wide, error))
        keep_numbers(own, numbers, values);
      block.combine_with(k.quant, own, coding.op, values);
    });
    return {};
  });
  if (status.ok()) status = reader.finish();
  return {status, at, quant::error_of(coding.op, inherited, error)};
}

template <class T>
Payload add(const AllKernels& k, Frame a, Frame b, double inherited, std::size_t count, const Coding& coding,
            Blob out) {
  Reader reader_a = reader_of(a, sizeof(T));
  Reader reader_b = reader_of(b, sizeof(T));
  Memory& m = memory();
  Segment& left = m.read[0];
  Segment& right = m.read[1];
  Scaled<T> addend;
  std::byte* at = out.data() + wire::header_bytes;
  Status status = each_segment(count, [&](std::size_t, std::size_t n) -> Status {
    if (Status s = reader_a.next(k.dense, n, left); !s) return s;
    if (Status s = reader_b.next(k.dense, n, right); !s) return s;
    at = write<T>(k, m, n, at, [&](Scaled<T>& block, std::size_t part, std::size_t, std::size_t values) {
      get(k.quant, left, part, values, block);
      get(k.quant, right, part, values, addend);
      block.combine_with(k.quant, addend, coding.op, values);
    });
    return {};
  });
  if (status.ok()) status = reader_a.finish();
  if (status.ok()) status = reader_b.finish();
  return {status, at, inherited};
}

template <class T>
Status decode(const AllKernels& k, Frame frame, T* x, std::size_t count, const Coding& coding) {
  Reader reader = reader_of(frame, sizeof(T));
  Segment& segment = memory().read[0];
  Scaled<T> block;
  const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
    if (Status s = reader.next(k.dense, n, segment); !s) return s;
    each_part(n, [&](std::size_t part, std::size_t first, std::size_t values) {
      T* to = x + i + first;
      get(k.quant, segment, part, values, block);
      if (block.lattice)
        block.decode(k.quant, values, block.zero ? 1 : std::ldexp(1.0, block.exponent), coding.divisor, to);
      else
        quant::divide_block(block.numbers, values, coding.divisor, to);
    });
    return {};
  });
  return status.ok() ? reader.finish() : status;
}

#define LACONIC_SCALED(T)                                                                                 \
  template Payload encode<T>(const AllKernels&, const T*, std::size_t, const Coding&, Blob);              \
  template Payload fold<T>(const AllKernels&, Frame, double, const T*, std::size_t, const Coding&, Blob); \
  template Payload add<T>(const AllKernels&, Frame, Frame, double, std::size_t, const Coding&, Blob);     \
  template Status decode<T>(const AllKernels&, Frame, T*, std::size_t, const Coding&);
LACONIC_SCALED(float)
LACONIC_SCALED(double)
LACONIC_SCALED(Float16)
LACONIC_SCALED(Bfloat16)
#undef LACONIC_SCALED

}  // namespace laconic::dense::scaled
