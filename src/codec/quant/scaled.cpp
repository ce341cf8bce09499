// SPDX-License-Identifier: BSD-3-Clause
#include "codec/quant/scaled.hpp"

#include <cmath>

#include "codec/denormals.hpp"
#include "codec/quant/scaled_block.hpp"

namespace laconic::quant::scaled {
namespace {

// Reads a block, whose points need not be normalised.
template <class T>
Status unpack(const Kernels& k, const Packed& in, std::size_t n, Scaled<T>& block) {
  block.lattice = on_lattice(kind_of(in.entry));
  block.zero = in.entry == zero_block;
  if (!block.lattice) {
    read_numbers(in, n, block.numbers);
    return {};
  }
  if (block.zero) {
    block.set_zero();
    return {};
  }
  Exponent x;
  const std::size_t size = bytes_of(in.entry);
  if (size <= sizeof x) return status_of(Problem::ends_in_exponent);
  std::memcpy(&x, in.body, sizeof x);
  if (x < least_exponent || x > greatest_exponent) return status_of(Problem::bad_exponent);
  block.exponent = x;
  const Packed rest{make_entry(kind_of(in.entry), size - sizeof x), in.body + sizeof x, in.end};
  if (!k.unpack(rest, n, block.points)) return Reader::bad_block();
  block.normalise(n);
  return {};
}

template <class T>
void write(const Kernels& k, std::size_t n, Scaled<T>& block, Writer& out) {
  if (!block.lattice) return out.put(write_numbers(block.numbers, n, out.body()));
  if (block.zero) return out.put(zero_block);
  const auto x = static_cast<Exponent>(block.exponent);
  const Entry entry = k.pack(block.points, n, out.body() + sizeof x);
  std::memcpy(out.body(), &x, sizeof x);
  out.put(make_entry(kind_of(entry), bytes_of(entry) + sizeof x));
}

// Calls f(first, n) for every block until it returns an error.
template <class F>
Status each_block(std::size_t count, F&& f) {
  for (std::size_t i = 0; i < count; i += values)
    if (Status s = f(i, std::min(values, count - i)); !s) return s;
  return {};
}

// Reads the next block.
template <class T>
Status read(const Kernels& k, Reader& reader, std::size_t n, Scaled<T>& block) {
  Packed in;
  if (!reader.next(n, in)) return reader.problem();
  return unpack(k, in, n, block);
}

}  // namespace

template <class T>
Payload encode(const Kernels& k, const T* x, std::size_t count, const Coding& coding, Blob out) {
  Writer writer(out, count, values);
  Scaled<T> own;
  Wide<T> wide;
  double error = 0;
  const Status status = each_block(count, [&](std::size_t i, std::size_t n) -> Status {
    const bool exact = coding.exact_denormals && holds_denormal(x + i, n);
    if (!exact && own.round(k, x + i, n, coding, wide, error))
      write(k, n, own, writer);
    else
      writer.put(write_numbers(x + i, n, writer.body()));
    return {};
  });
  return {status, writer.end(), error};
}

template <class T>
Payload fold(const Kernels& k, Frame frame, double inherited, const T* x, std::size_t count, const Coding& coding,
             Blob out) {
  Reader reader(frame, count, true, sizeof(T), values);
  Writer writer(out, count, values);
  Scaled<T> block;
  Scaled<T> own;
  Wide<T> wide;
  double error = 0;
  Status status = each_block(count, [&](std::size_t i, std::size_t n) -> Status {
    if (Status s = read(k, reader, n, block); !s) return s;
    if (!block.lattice || !own.round(k, x + i, n, coding, wide, error)) {
      own.lattice = false;
      std::memcpy(static_cast<void*>(own.numbers), x + i, n * sizeof(T));
    }
    block.combine_with(k, own, coding.op, n);
    write(k, n, block, writer);
    return {};
  });
  if (status.ok()) status = reader.finish();
  return {status, writer.end(), error_of(coding.op, inherited, error)};
}

template <class T>
Payload add(const Kernels& k, Frame a, Frame b, double inherited, std::size_t count, const Coding& coding, Blob out) {
  Reader reader_a(a, count, true, sizeof(T), values);
  Reader reader_b(b, count, true, sizeof(T), values);
  Writer writer(out, count, values);
  Scaled<T> block_a;
  Scaled<T> block_b;
  Status status = each_block(count, [&](std::size_t, std::size_t n) -> Status {
    if (Status s = read(k, reader_a, n, block_a); !s) return s;
    if (Status s = read(k, reader_b, n, block_b); !s) return s;
    block_a.combine_with(k, block_b, coding.op, n);
    write(k, n, block_a, writer);
    return {};
  });
  if (status.ok()) status = reader_a.finish();
  if (status.ok()) status = reader_b.finish();
  return {status, writer.end(), inherited};
}

template <class T>
Status decode(const Kernels& k, Frame frame, T* x, std::size_t count, const Coding& coding) {
  Reader reader(frame, count, true, sizeof(T), values);
  Scaled<T> block;
  const Status status = each_block(count, [&](std::size_t i, std::size_t n) -> Status {
    if (Status s = read(k, reader, n, block); !s) return s;
    if (block.lattice)
      dequantise_block(k, block.points, n, block.zero ? 1 : std::ldexp(1.0, block.exponent), coding.divisor, x + i);
    else
      divide_block(block.numbers, n, coding.divisor, x + i);
    return {};
  });
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
