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
void get(const Segment& segment, std::size_t part, std::size_t n, Scaled<T>& block) {
  block.lattice = segment.lattice[part];
  if (!block.lattice) return get_numbers(segment, part, n, block.numbers);
  std::memcpy(block.points.q, segment.q + part * part_values, part_values * sizeof *segment.q);
  block.exponent = segment.exponents[part];
  block.normalise(n);
}

template <class T>
void put(const Scaled<T>& block, Segment& segment, std::size_t part, std::size_t n) {
  if (!block.lattice) return segment.leave_lattice(Frames::scaled, part);
  segment.put(Frames::scaled, part, block.points.q, n);
  segment.exponents[part] = static_cast<Exponent>(block.exponent);
}

template <class F>
void each_part(std::size_t n, F&& f) {
  each_unit(Frames::scaled, n, f);
}

Reader reader_of(Frame frame, std::size_t number_bytes) {
  return {frame.subspan(wire::header_bytes), Frames::scaled, true, number_bytes};
}

}  // namespace

template <class T>
Payload encode(const AllKernels& k, const T* x, std::size_t count, const Coding& coding, Blob out) {
  Memory& m = memory();
  Scaled<T> own;
  Wide<T> wide;
  std::byte* at = out.data() + wire::header_bytes;
  double error = 0;
  const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
    each_part(n, [&](std::size_t part, std::size_t first, std::size_t values) {
      const T* numbers = x + i + first;
      if (coding.exact_denormals && holds_denormal(numbers, values))
        own.lattice = false;
      else
        own.round(k.quant, numbers, values, coding, wide, error);
      put(own, m.written, part, values);
    });
    at = write_segment(k.dense, Frames::scaled, m.written, n, m.work, at, [&](std::size_t part, std::byte* to) {
      return put_numbers(x + i + part * part_values, std::min(part_values, n - part * part_values), to);
    });
    return {};
  });
  return {status, at, error};
}

// combine_part(block, part, first, n) combines what it has of a part into `block`.
template <class T, class CombinePart>
std::byte* write_combined(const AllKernels& k, Memory& m, std::size_t n, std::byte* at, CombinePart&& combine_part) {
  Scaled<T> block;
  each_part(n, [&](std::size_t part, std::size_t first, std::size_t values) {
    combine_part(block, part, first, values);
    put(block, m.written, part, values);
  });
  // Numbers off the lattice are few, so they are combined once more instead of kept.
  return write_segment(k.dense, Frames::scaled, m.written, n, m.work, at, [&](std::size_t part, std::byte* to) {
    const std::size_t first = part * part_values;
    const std::size_t values = std::min(part_values, n - first);
    combine_part(block, part, first, values);
    return put_numbers(block.numbers, values, to);
  });
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
    const auto combine_part = [&](Scaled<T>& block, std::size_t part, std::size_t first, std::size_t values) {
      const T* numbers = x + i + first;
      get(other, part, values, block);
      if (!block.lattice || !own.round(k.quant, numbers, values, coding, wide, error)) {
        own.lattice = false;
        std::memcpy(static_cast<void*>(own.numbers), numbers, values * sizeof(T));
      }
      block.combine_with(k.quant, own, coding.op, values);
    };
    at = write_combined<T>(k, m, n, at, combine_part);
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
    const auto combine_part = [&](Scaled<T>& block, std::size_t part, std::size_t, std::size_t values) {
      get(left, part, values, block);
      get(right, part, values, addend);
      block.combine_with(k.quant, addend, coding.op, values);
    };
    at = write_combined<T>(k, m, n, at, combine_part);
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
      get(segment, part, values, block);
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
