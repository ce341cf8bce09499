// SPDX-License-Identifier: BSD-3-Clause
#include "codec/quant/scaled.hpp"

#include <cmath>
#include <type_traits>

#include "codec/denormals.hpp"
#include "codec/quant/operation.hpp"
#include "codec/quant/scaled_block.hpp"

namespace laconic::quant::scaled {
namespace {

// Reads the exponent of a block.
Status read_exponent(const std::byte* at, int& exponent) {
  Exponent x;
  std::memcpy(&x, at, sizeof x);
  if (x < least_exponent || x > greatest_exponent) return status_of(Problem::bad_exponent);
  exponent = x;
  return {};
}

// Splits a block on the lattice that is not zero_block into its exponent and the rest.
Status split(const Packed& in, int& exponent, Packed& rest) {
  const std::size_t size = bytes_of(in.entry);
  if (size <= sizeof(Exponent)) return status_of(Problem::ends_in_exponent);
  rest = {make_entry(kind_of(in.entry), size - sizeof(Exponent)), in.body + sizeof(Exponent), in.end};
  return read_exponent(in.body, exponent);
}
bool has_exponent(const Packed& in) { return on_lattice(kind_of(in.entry)) && in.entry != zero_block; }

// Reads the points of a block, or of a part of a masked one, and their exponent.
Status get_points(const Kernels& k, const Packed& in, std::size_t n, AnyPoints& points, int& exponent) {
  points.far = is_far(in);
  if (points.far) {
    if (bytes_of(in.entry) < sizeof(Entry) + sizeof(Exponent)) return Reader::bad_block();
    if (Status s = read_exponent(in.body + sizeof(Entry), exponent); !s) return s;
    return unpack_far(k, in, n, points.points, points.high, sizeof(Exponent)) ? Status{} : Reader::bad_block();
  }
  Packed rest = in;
  if (in.entry != zero_block)
    if (Status s = split(in, exponent, rest); !s) return s;
  return unpack_any(k, rest, n, points.points) ? Status{} : Reader::bad_block();
}

// Reads a block, and leaves its points as they are.
template <class T>
Status unpack(const Kernels& k, const Packed& in, std::size_t n, Scaled<T>& block) {
  Status status;
  const bool good = block.read(k, in, n, [&](AnyPoints& points, const Packed& part, std::size_t count, int& exponent) {
    status = get_points(k, part, count, points, exponent);
    return status.ok();
  });
  return good || !status.ok() ? status : Reader::bad_block();
}

// Reads a block to be combined.
template <class T>
Status read(const Kernels& k, const Packed& in, std::size_t n, Scaled<T>& block) {
  if (Status s = unpack(k, in, n, block); !s) return s;
  block.normalise(k, n);
  return {};
}

// Writes a block on the lattice: put(body) writes what follows the exponent.
template <class Put>
Entry with_exponent(int exponent, std::byte* out, Put&& put) {
  const auto x = static_cast<Exponent>(exponent);
  const Entry entry = put(out + sizeof x);
  std::memcpy(out, &x, sizeof x);
  return make_entry(kind_of(entry), bytes_of(entry) + sizeof x);
}

// The inverse of get_points().
Entry put_points(const Kernels& k, AnyPoints& points, std::size_t n, int exponent, std::byte* out) {
  if (!points.far) return with_exponent(exponent, out, [&](std::byte* body) { return k.pack(points.points, n, body); });
  const Entry entry = pack_far(k, points.points, points.high, n, out, sizeof(Exponent));
  const auto x = static_cast<Exponent>(exponent);
  std::memcpy(out + sizeof(Entry), &x, sizeof x);
  return entry;
}

// Writes a block; its bytes are those of format 1.0 unless it has exceptions or points of 64 bits.
template <class T>
void write(const Kernels& k, std::size_t n, Scaled<T>& block, const Coding& coding, bool smallest, Writer& out) {
  out.put(block.write(k, n, coding, smallest, out.body(), [&](AnyPoints& points, std::size_t count, std::byte* at) {
    return block.zero() ? zero_block : put_points(k, points, count, block.exponent(), at);
  }));
}

struct PutScaled {
  void operator()(const Kernels& k, const Staged& block, Writer& out) const {
    out.put(
        with_exponent(block.exponent, out.body(), [&](std::byte* body) { return k.scaled_blocks.put(block, body); }));
  }
};
using ScaledStages = AnyStages<PutScaled>;

// The functions below stage full blocks of float32 numbers by the kernels that take them as a whole; false where there
// are none, or the block must take the general path.  A block whose points have a common power of two takes it, too.

bool take(const Kernels& k, int exponent, ScaledStages& stages) {
  Staged& block = stages.next();
  if (!k.scaled_blocks.is_odd(block)) return false;
  block.exponent = exponent;
  return stages.take();
}

bool encode_whole(const Kernels& k, const float* x, std::size_t n, const Coding& coding, double scale,
                  ScaledStages& stages, double& error) {
  if (n != values || k.scaled_blocks.encode == nullptr) return false;
  Lattice own;
  int exponent = 0;
  if (!scaled::lattice_of<float>(scale, coding.relative, coding.terms, own, exponent) ||
      !k.scaled_blocks.encode(x, own, stages.next()) || !take(k, exponent, stages))
    return false;
  error = std::max(error, own.step / 2);
  return true;
}
bool fold_whole(const Kernels& k, const Packed& in, const float* x, std::size_t n, const Coding& coding, double scale,
                ScaledStages& stages, double& error) {
  if (n != values || k.scaled_blocks.fold == nullptr || coding.op != Op::sum || !has_exponent(in)) return false;
  Lattice own;
  Packed rest;
  int theirs = 0;
  int mine = 0;
  if (!split(in, theirs, rest) || !scaled::lattice_of<float>(scale, coding.relative, coding.terms, own, mine))
    return false;
  const int smaller = std::min(mine, theirs);
  if (!k.scaled_blocks.fold(rest, theirs - smaller, x, own, mine - smaller, stages.next()) || !take(k, smaller, stages))
    return false;
  error = std::max(error, own.step / 2);
  return true;
}
bool add_whole(const Kernels& k, const Packed& a, const Packed& b, std::size_t n, const Coding& coding,
               ScaledStages& stages) {
  if (n != values || k.scaled_blocks.add == nullptr || coding.op != Op::sum || !has_exponent(a) || !has_exponent(b))
    return false;
  Packed rest_a;
  Packed rest_b;
  int x_a = 0;
  int x_b = 0;
  if (!split(a, x_a, rest_a) || !split(b, x_b, rest_b)) return false;
  const int smaller = std::min(x_a, x_b);
  return k.scaled_blocks.add(rest_a, x_a - smaller, rest_b, x_b - smaller, stages.next()) && take(k, smaller, stages);
}

bool decode_whole(const Kernels& k, const Packed& in, std::size_t n, const Coding& coding, float* x) {
  Packed rest = in;
  int exponent = 0;
  return n == values && k.scaled_blocks.decode != nullptr && coding.divisor == 1 && has_exponent(in) &&
         split(in, exponent, rest) && k.scaled_blocks.decode(rest, power_of_two(exponent), coding.streaming, x);
}
template <class T>
bool decode_whole(const Kernels&, const Packed&, std::size_t, const Coding&, T*) {
  return false;
}

// Calls f(first, n) for every block until it returns an error.
template <class F>
Status each_block(std::size_t count, F&& f) {
  for (std::size_t i = 0; i < count; i += values)
    if (Status s = f(i, std::min(values, count - i)); !s) return s;
  return {};
}

}  // namespace

template <class T>
Payload encode(const Kernels& k, const T* x, std::size_t count, const Coding& coding, Blob out) {
  ScaledStages stages(k, Writer(out, count, values));
  Scaled<T> own;
  Wide<T> wide;
  double error = 0;
  const Status status = each_block(count, [&](std::size_t i, std::size_t n) -> Status {
    const T* const numbers = x + i;
    const bool exact = coding.exact_denormals && holds_denormal(numbers, n);
    const auto* w = wide.of(numbers, n);
    const double scale = exact ? 0 : scale_of(k, w, n, coding.scale);
    if constexpr (std::is_same_v<T, float>)
      if (!exact && encode_whole(k, w, n, coding, scale, stages, error)) return {};
    own.encode(k, numbers, w, n, coding, scale, exact, error);
    write(k, n, own, coding, !adds(coding), stages.writer());
    return {};
  });
  return {status, stages.writer().end(), error};
}

template <class T>
Payload fold(const Kernels& k, Frame frame, double inherited, const T* x, std::size_t count, const Coding& coding,
             Blob out) {
  Reader reader(frame, count, true, sizeof(T), values);
  ScaledStages stages(k, Writer(out, count, values));
  Scaled<T> block;
  Scaled<T> own;
  Wide<T> wide;
  double error = 0;
  Status status = each_block(count, [&](std::size_t i, std::size_t n) -> Status {
    Packed in;
    if (!reader.next(n, in)) return reader.problem();
    const auto* w = wide.of(x + i, n);
    const double scale = needs_lattice(in.entry) ? scale_of(k, w, n, coding.scale) : 0;
    if constexpr (std::is_same_v<T, float>)
      if (fold_whole(k, in, w, n, coding, scale, stages, error)) return {};
    if (Status s = read(k, in, n, block); !s) return s;
    own.round_for(k, block, x + i, w, n, coding, scale, error);
    block.combine_with(k, own, coding, n);
    write(k, n, block, coding, false, stages.writer());
    return {};
  });
  if (status.ok()) status = reader.finish();
  return {status, stages.writer().end(), error_of(coding.op, inherited, error)};
}

template <class T>
Payload add(const Kernels& k, Frame a, Frame b, double inherited, std::size_t count, const Coding& coding, Blob out) {
  Reader reader_a(a, count, true, sizeof(T), values);
  Reader reader_b(b, count, true, sizeof(T), values);
  ScaledStages stages(k, Writer(out, count, values));
  Scaled<T> block_a;
  Scaled<T> block_b;
  Status status = each_block(count, [&](std::size_t, std::size_t n) -> Status {
    Packed in_a;
    Packed in_b;
    if (!reader_a.next(n, in_a)) return reader_a.problem();
    if (!reader_b.next(n, in_b)) return reader_b.problem();
    if (add_whole(k, in_a, in_b, n, coding, stages)) return {};
    if (Status s = read(k, in_a, n, block_a); !s) return s;
    if (Status s = read(k, in_b, n, block_b); !s) return s;
    block_a.combine_with(k, block_b, coding, n);
    write(k, n, block_a, coding, false, stages.writer());
    return {};
  });
  if (status.ok()) status = reader_a.finish();
  if (status.ok()) status = reader_b.finish();
  return {status, stages.writer().end(), inherited};
}

template <class T>
Status decode(const Kernels& k, Frame frame, T* x, std::size_t count, const Coding& coding) {
  Reader reader(frame, count, true, sizeof(T), values);
  Scaled<T> block;
  const Status status = each_block(count, [&](std::size_t i, std::size_t n) -> Status {
    Packed in;
    if (!reader.next(n, in)) return reader.problem();
    if (decode_whole(k, in, n, coding, x + i)) return {};
    if (Status s = unpack(k, in, n, block); !s) return s;
    block.decode(k, n, block.step(), coding.divisor, x + i);
    return {};
  });
  if (coding.streaming && k.blocks.settle) k.blocks.settle();
  return status.ok() ? reader.finish() : status;
}

#define LACONIC_SCALED(T)                                                                              \
  template Payload encode<T>(const Kernels&, const T*, std::size_t, const Coding&, Blob);              \
  template Payload fold<T>(const Kernels&, Frame, double, const T*, std::size_t, const Coding&, Blob); \
  template Payload add<T>(const Kernels&, Frame, Frame, double, std::size_t, const Coding&, Blob);     \
  template Status decode<T>(const Kernels&, Frame, T*, std::size_t, const Coding&);
LACONIC_SCALED(float)
LACONIC_SCALED(double)
LACONIC_SCALED(Float16)
LACONIC_SCALED(Bfloat16)
#undef LACONIC_SCALED

}  // namespace laconic::quant::scaled
