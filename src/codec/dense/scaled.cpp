// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dense/scaled.hpp"

#include <cmath>

#include "codec/dense/units.hpp"
#include "codec/quant/operation.hpp"
#include "codec/quant/scaled_block.hpp"

namespace laconic::dense::scaled {
namespace {

using quant::Wide;
using quant::scaled::scale_of;
using quant::scaled::Scaled;

// Reads a part, and leaves its points as they are.
template <class T>
void get(const quant::Kernels& k, const Segment& segment, std::size_t part, std::size_t n, Scaled<T>& block) {
  get_unit(k, segment, part, n, block);
  block.set_exponent(segment.cuts[part].exponent, kind_of(segment.forms[part]) == zero_kind);
}

// Reads a part to be combined.
template <class T>
void read(const quant::Kernels& k, const Segment& segment, std::size_t part, std::size_t n, Scaled<T>& block) {
  get(k, segment, part, n, block);
  block.normalise(k, n);
}

// Puts a part into the segment that is written, and what it has of cuts and numbers to `at`; returns their end.
template <class T>
std::byte* put(const quant::Kernels& k, const Scaled<T>& block, Memory& m, std::size_t part, std::size_t n,
               const Coding& coding, std::byte* at) {
  if (!block.has_points()) return put_numbers(block.write_numbers(k, n, coding, at), part, m.written, at);
  if (!block.zero()) return put_points(k, block, part, n, block.exponent(), m, at);
  const bool masked = block.form() == Scaled<T>::Form::masked;
  m.written.set_numbers(part, zero_kind | (masked ? masked_bit : 0));
  m.written.fill(part);
  return masked ? at + quant::write_exceptions(k, block.mask(), block.numbers(), n, at) : at;
}

template <class F>
void each_part(std::size_t n, F&& f) {
  each_unit(Frames::scaled, n, f);
}

Reader reader_of(Frame frame) { return {frame.subspan(wire::header_bytes), Frames::scaled}; }

// Writes a segment of n numbers from `at` on and returns its end.  make_part(block, part, first, n) makes each part.
template <class T, class MakePart>
std::byte* write(const AllKernels& k, Memory& m, std::size_t n, const Coding& coding, std::byte* at,
                 MakePart&& make_part) {
  Scaled<T> block;
  std::byte* numbers = begin_of_numbers(Frames::scaled, n, at);
  m.written.begin(Frames::scaled);
  each_part(n, [&](std::size_t part, std::size_t first, std::size_t values) {
    make_part(block, part, first, values);
    numbers = put(k.quant, block, m, part, values, coding, numbers);
  });
  return write_segment(k.dense, m.written, n, m.work, at, numbers);
}

}  // namespace

template <class T>
Payload encode(const AllKernels& k, const T* x, std::size_t count, const Coding& coding, Blob out) {
  Memory& m = memory();
  Wide<T> wide;
  std::byte* at = out.data() + wire::header_bytes;
  double error = 0;
  const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
    std::byte* const begin = at;
    double error_here = 0;
    at = write<T>(k, m, n, coding, at, [&](Scaled<T>& own, std::size_t, std::size_t first, std::size_t values) {
      const T* const numbers = x + i + first;
      const bool exact = coding.exact_denormals && holds_denormal(numbers, values);
      const auto* w = wide.of(numbers, values);
      own.encode(k.quant, numbers, w, values, coding, exact ? 0 : scale_of(k.quant, w, values, coding.scale), exact,
                 error_here);
      if (!quant::adds(coding)) own.leave_lattice_if_larger(k.quant, values);
    });
    bool exact = false;
    if (!quant::adds(coding)) at = write_smaller(k.dense, x + i, n, m, begin, at, exact);
    if (!exact) error = std::max(error, error_here);
    return {};
  });
  return {status, at, error};
}

template <class T>
Payload fold(const AllKernels& k, Frame frame, double inherited, const T* x, std::size_t count, const Coding& coding,
             Blob out) {
  Reader reader = reader_of(frame);
  Memory& m = memory();
  Segment& other = m.read[0];
  Scaled<T> own;
  Wide<T> wide;
  std::byte* at = out.data() + wire::header_bytes;
  double error = 0;
  Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
    if (Status s = reader.next(k.dense, n, other, m.work, m.numbers.of<T>(0)); !s) return s;
    at = write<T>(k, m, n, coding, at, [&](Scaled<T>& block, std::size_t part, std::size_t first, std::size_t values) {
      read(k.quant, other, part, values, block);
      const T* const numbers = x + i + first;
      const auto* w = wide.of(numbers, values);
      own.round_for(k.quant, block, numbers, w, values, coding, scale_of(k.quant, w, values, coding.scale), error);
      block.combine_with(k.quant, own, coding, values);
    });
    return {};
  });
  if (status.ok()) status = reader.finish();
  return {status, at, quant::error_of(coding.op, inherited, error)};
}

template <class T>
Payload add(const AllKernels& k, Frame a, Frame b, double inherited, std::size_t count, const Coding& coding,
            Blob out) {
  Reader reader_a = reader_of(a);
  Reader reader_b = reader_of(b);
  Memory& m = memory();
  Segment& left = m.read[0];
  Segment& right = m.read[1];
  Scaled<T> addend;
  std::byte* at = out.data() + wire::header_bytes;
  Status status = each_segment(count, [&](std::size_t, std::size_t n) -> Status {
    if (Status s = reader_a.next(k.dense, n, left, m.work, m.numbers.of<T>(0)); !s) return s;
    if (Status s = reader_b.next(k.dense, n, right, m.work, m.numbers.of<T>(1)); !s) return s;
    at = write<T>(k, m, n, coding, at, [&](Scaled<T>& block, std::size_t part, std::size_t, std::size_t values) {
      read(k.quant, left, part, values, block);
      read(k.quant, right, part, values, addend);
      block.combine_with(k.quant, addend, coding, values);
    });
    return {};
  });
  if (status.ok()) status = reader_a.finish();
  if (status.ok()) status = reader_b.finish();
  return {status, at, inherited};
}

template <class T>
Status decode(const AllKernels& k, Frame frame, T* x, std::size_t count, const Coding& coding) {
  Reader reader = reader_of(frame);
  Memory& m = memory();
  Segment& segment = m.read[0];
  Scaled<T> block;
  const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
    if (Status s = reader.next(k.dense, n, segment, m.work, m.numbers.of<T>(0)); !s) return s;
    each_part(n, [&](std::size_t part, std::size_t first, std::size_t values) {
      get(k.quant, segment, part, values, block);
      block.decode(k.quant, values, block.step(), coding.divisor, x + i + first);
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
