// SPDX-License-Identifier: BSD-3-Clause
#include "codec/quant/scaled.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "codec/denormals.hpp"
#include "codec/quant/numbers.hpp"

namespace laconic::quant::scaled {
namespace {

// The sum of the squares of n numbers, each times `factor`.  docs/wire-format.md fixes the order of the additions for
// all machines.
template <class T>
double sum_of_squares(const T* x, std::size_t n, double factor) {
  constexpr std::size_t lanes = sum_lanes;
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) {
      const double v = static_cast<double>(x[i + l]) * factor;
      sums[l] += v * v;
    }
  for (std::size_t l = 0; i + l < n; ++l) {
    const double v = static_cast<double>(x[i + l]) * factor;
    sums[l] += v * v;
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  return sums[0];
}

// A block of numbers or of points; a point stands for point * 2^exponent.
template <class T>
struct Scaled : Block<T> {
  bool zero = false;  // all points are 0, and the exponent has no meaning
  int exponent = 0;
  int bits = 0;  // width of the point of the largest magnitude

  // Makes the exponent as large as the points and float64 allow, so that the bytes of a frame are a function of the
  // numbers that it stands for.  Otherwise sums of three frames could have different exponents when two of them cancel.
  void normalise(std::size_t n) {
    std::int32_t* q = this->points.q;
    std::uint32_t any = 0;
    std::uint32_t magnitudes = 0;
    for (std::size_t i = 0; i < n; ++i) {
      any |= static_cast<std::uint32_t>(q[i]);
      magnitudes |= static_cast<std::uint32_t>(q[i] ^ (q[i] >> 31));
    }
    zero = any == 0;
    if (zero) return;
    const int down = std::min(std::countr_zero(any), greatest_exponent - exponent);
    bits = static_cast<int>(std::bit_width(magnitudes)) - down;
    exponent += down;
    if (down > 0)
      for (std::size_t i = 0; i < n; ++i) q[i] >>= down;
  }

  Status read(const Kernels& k, const Packed& in, std::size_t n) {
    this->lattice = on_lattice(kind_of(in.entry));
    zero = in.entry == zero_block;
    if (!this->lattice) {
      read_numbers(in, n, this->numbers);
      return {};
    }
    if (zero) {
      std::memset(this->points.q, 0, sizeof this->points.q);
      return {};
    }
    Exponent x;
    const std::size_t size = bytes_of(in.entry);
    if (size <= sizeof x) return status_of(Problem::ends_in_exponent);
    std::memcpy(&x, in.body, sizeof x);
    if (x < least_exponent || x > greatest_exponent) return status_of(Problem::bad_exponent);
    exponent = x;
    const Packed rest{make_entry(kind_of(in.entry), size - sizeof x), in.body + sizeof x, in.end};
    if (!k.unpack(rest, n, this->points)) return Reader::bad_block();
    normalise(n);
    return {};
  }

  // Rounds the numbers to points; false when some number has no point.  error: the error of the numbers, which this
  // function may only raise.
  bool round(const Kernels& k, const T* x, std::size_t n, const Coding& coding, Wide<T>& wide, double& error) {
    const auto* w = wide.of(x, n);
    const double rms = root_mean_square<sizeof *w == 8>([&](double factor) { return sum_of_squares(w, n, factor); }, n);
    this->lattice = true;
    if (rms == 0) {
      zero = true;
      std::memset(this->points.q, 0, sizeof this->points.q);
      return true;
    }
    Lattice own;
    if (!scaled::lattice_of<T>(rms, coding.relative, coding.terms, own, exponent) ||
        !quantise_block(k, w, n, own, this->points))
      return this->lattice = false;
    error = std::max(error, own.step / 2);
    normalise(n);
    return true;
  }

  void leave_lattice(const Kernels& k, std::size_t n) {
    Block<T>::leave_lattice(k, n, zero ? 1 : std::ldexp(1.0, exponent));
  }

  // Shifts the points, which are not all 0, to a smaller exponent.
  void shift_to(int smaller, std::size_t n) {
    std::int32_t* q = this->points.q;
    const int up = exponent - smaller;
    exponent = smaller;
    if (up == 0) return;
    for (std::size_t i = 0; i < n; ++i) q[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(q[i]) << up);
  }

  void combine_with(const Kernels& k, Scaled& other, Op op, std::size_t n) {
    if (this->lattice && other.lattice) {
      if (zero) exponent = other.exponent;
      if (other.zero) other.exponent = exponent;
      const int smaller = std::min(exponent, other.exponent);
      const auto fits = [&](const Scaled& s) { return s.zero || s.bits + s.exponent - smaller <= addend_bits; };
      if (fits(*this) && fits(other)) {
        shift_to(smaller, n);
        other.shift_to(smaller, n);
        k.combine(op, this->points, other.points, n);
        return normalise(n);
      }
    }
    leave_lattice(k, n);
    other.leave_lattice(k, n);
    combine(op, this->numbers, other.numbers, n);
  }

  void write(const Kernels& k, std::size_t n, Writer& out) {
    if (!this->lattice) return out.put(write_numbers(this->numbers, n, out.body()));
    if (zero) return out.put(zero_block);
    const auto x = static_cast<Exponent>(exponent);
    const Entry entry = k.pack(this->points, n, out.body() + sizeof x);
    std::memcpy(out.body(), &x, sizeof x);
    out.put(make_entry(kind_of(entry), bytes_of(entry) + sizeof x));
  }
};

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
  return block.read(k, in, n);
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
      own.write(k, n, writer);
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
    block.write(k, n, writer);
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
    block_a.write(k, n, writer);
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
