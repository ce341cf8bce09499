// quant: numbers are rounded once, at the source, to integer multiples of a step; sums of integers are exact, so the
// result does not depend on who adds what when.  A block with a number that has no lattice point within the
// allowance (NaN, infinity, too large for the step) is kept uncompressed.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "codec/codec.hpp"
#include "codec/quant/blocks.hpp"
#include "codec/quant/kernels.hpp"

namespace laconic {
namespace quant {
namespace {

template <class T>
bool quantise_block(const Kernels& k, const T* x, std::size_t n, const Lattice& lattice, Points& points) {
  if (lattice.step == 0) return false;
  if constexpr (sizeof(T) == 4)
    return k.quantise_f32(x, n, lattice, points);
  else
    return k.quantise_f64(x, n, lattice, points);
}

template <class T>
void dequantise_block(const Kernels& k, const Points& points, std::size_t n, double step, double divisor, T* x) {
  if constexpr (sizeof(T) == 4)
    k.dequantise_f32(points, n, step, divisor, x);
  else
    k.dequantise_f64(points, n, step, divisor, x);
}

// Writes a block of kind raw, or fill when all numbers have the same bits.
template <class T>
Entry write_numbers(const T* x, std::size_t n, std::byte* out) {
  const auto* bytes = reinterpret_cast<const std::byte*>(x);
  // Equal to itself shifted by one number: all numbers are the first one.
  const bool same = n > 1 && std::memcmp(bytes, bytes + sizeof(T), (n - 1) * sizeof(T)) == 0;
  const std::size_t size = same ? sizeof(T) : n * sizeof(T);
  std::memcpy(out, x, size);
  return make_entry(same ? Kind::fill : Kind::raw, size);
}

template <class T>
void combine_numbers(Op op, T* into, const T* other, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) into[i] = combine(op, into[i], other[i]);
}

// Numbers of one block, as lattice points or as they are.
template <class T>
struct Block {
  bool lattice = false;
  Points points;
  T numbers[block_values];

  // False when the block is not valid.
  bool read(const Kernels& k, const Packed& in, std::size_t n) {
    const Kind kind = kind_of(in.entry);
    lattice = on_lattice(kind);
    if (kind == Kind::raw) {
      std::memcpy(numbers, in.body, n * sizeof(T));
    } else if (kind == Kind::fill) {
      T value;
      std::memcpy(&value, in.body, sizeof(T));
      std::fill_n(numbers, n, value);
    } else if (in.entry == zero_block) {
      std::memset(points.q, 0, sizeof points.q);
    } else {
      return k.unpack(in, n, points);
    }
    return true;
  }

  // Turns lattice points into numbers.
  void leave_lattice(const Kernels& k, std::size_t n, double step) {
    if (!lattice) return;
    dequantise_block(k, points, n, step, 1, numbers);
    lattice = false;
  }
};

Status other_step() { return {Code::frame, "malformed frame: step differs from this operation's"}; }

Lattice lattice_of(const Coding& coding) {
  return Lattice::make(coding.allowance, coding.terms, coding.dtype, coding.greatest);
}

class QuantCodec final : public Codec {
 public:
  explicit QuantCodec(const Kernels& kernels) : k_(kernels) {}

  std::string_view name() const override { return "quant"; }
  std::uint8_t id() const override { return 2; }
  bool exact_sums() const override { return true; }

  std::size_t capacity(std::size_t count, Dtype dtype) const override {
    const std::size_t block = std::max(block_values * size_of(dtype), largest_packed_block);
    return wire::header_bytes + index_bytes(count) + blocks_of(count) * block + store_slack;
  }

  Coded encode(const void* numbers, std::size_t count, const Coding& coding, Blob out) const override {
    return dispatch(coding.dtype, [&](auto zero) {
      return encode_as(static_cast<const decltype(zero)*>(numbers), count, coding, out);
    });
  }

  Coded fold(Frame frame, const void* numbers, std::size_t count, const Coding& coding, Blob out) const override {
    return dispatch(coding.dtype, [&](auto zero) {
      return fold_as(frame, static_cast<const decltype(zero)*>(numbers), count, coding, out);
    });
  }

  Coded add(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const override {
    return dispatch(coding.dtype, [&](auto zero) { return add_as<decltype(zero)>(a, b, count, coding, out); });
  }

  Status decode(Frame frame, void* numbers, std::size_t count, const Coding& coding) const override {
    return dispatch(coding.dtype,
                    [&](auto zero) { return decode_as(frame, static_cast<decltype(zero)*>(numbers), count, coding); });
  }

 private:
  // Kernels for blocks as a whole are for float32 and full blocks.
  template <class T>
  static bool whole(std::size_t n) {
    return sizeof(T) == 4 && n == block_values;
  }
  template <class T>
  static const float* as_float(const T* x) {
    return reinterpret_cast<const float*>(x);
  }

  // Writes a block of own numbers as lattice points; false, with nothing written, when one of them has none.
  template <class T>
  bool put_on_lattice(const T* x, std::size_t n, const Lattice& lattice, Points& points, Writer& out) const {
    Entry entry = zero_block;
    if (!(whole<T>(n) && k_.blocks.encode && k_.blocks.encode(as_float(x), lattice, out.body(), entry))) {
      if (!quantise_block(k_, x, n, lattice, points)) return false;
      entry = k_.pack(points, n, out.body());
    }
    out.put(entry);
    return true;
  }

  template <class T>
  Coded encode_as(const T* x, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = lattice_of(coding);
    Points points;
    Writer writer(out, count);
    bool rounded = false;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      // Also when packing gains nothing: numbers that stay off the lattice would be added as floating-point numbers,
      // and the result would depend on how the data is cut.
      if (put_on_lattice(x + i, n, lattice, points, writer))
        rounded = true;
      else
        writer.put(write_numbers(x + i, n, writer.body()));
    }
    return finish<T>(count, lattice, rounded ? coding.allowance : 0, writer, out);
  }

  template <class T>
  Coded fold_as(Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = lattice_of(coding);
    wire::Header header;
    if (Status s = check(frame, count, coding, lattice, header); !s) return {s, 0};
    Reader reader(frame, count, lattice.step > 0, sizeof(T));
    Block<T> block;
    Points points;
    Writer writer(out, count);
    bool rounded = false;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      Packed in;
      if (!reader.next(n, in)) return {reader.problem(), 0};
      Entry entry = zero_block;
      if (coding.op == Op::sum && whole<T>(n) && k_.blocks.fold && on_lattice(kind_of(in.entry)) &&
          in.entry != zero_block && k_.blocks.fold(in, as_float(x + i), lattice, writer.body(), entry)) {
        writer.put(entry);
        rounded = true;
        continue;
      }
      if (coding.op == Op::sum && in.entry == zero_block && put_on_lattice(x + i, n, lattice, points, writer)) {
        rounded = true;
        continue;
      }
      if (!block.read(k_, in, n)) return {Reader::bad_block(), 0};
      if (block.lattice && quantise_block(k_, x + i, n, lattice, points)) {
        k_.combine(coding.op, block.points, points, n);
        writer.put(k_.pack(block.points, n, writer.body()));
        rounded = true;
        continue;
      }
      block.leave_lattice(k_, n, lattice.step);
      combine_numbers(coding.op, block.numbers, x + i, n);
      writer.put(write_numbers(block.numbers, n, writer.body()));
    }
    if (Status s = reader.finish(); !s) return {s, 0};
    return finish<T>(count, lattice, error_of(coding.op, header.error, rounded ? coding.allowance : 0), writer, out);
  }

  // One block of a + b; false when one of them is not valid.
  template <class T>
  bool add_blocks(const Packed& a, const Packed& b, std::size_t n, Op op, double step, Block<T>& block_a,
                  Block<T>& block_b, Writer& out) const {
    if (op == Op::sum && on_lattice(kind_of(a.entry)) && on_lattice(kind_of(b.entry))) {
      // Adding zero changes nothing.
      if (a.entry == zero_block || b.entry == zero_block) {
        const Packed& other = a.entry == zero_block ? b : a;
        Head head;
        if (other.entry != zero_block && !read_head(other.entry, other.body, n, head)) return false;
        std::memcpy(out.body(), other.body, bytes_of(other.entry));
        out.put(other.entry);
        return true;
      }
      Entry entry = zero_block;
      if (whole<T>(n) && k_.blocks.add && k_.blocks.add(a, b, out.body(), entry)) {
        out.put(entry);
        return true;
      }
    }
    if (!block_a.read(k_, a, n) || !block_b.read(k_, b, n)) return false;
    if (block_a.lattice && block_b.lattice) {
      k_.combine(op, block_a.points, block_b.points, n);
      out.put(k_.pack(block_a.points, n, out.body()));
      return true;
    }
    block_a.leave_lattice(k_, n, step);
    block_b.leave_lattice(k_, n, step);
    combine_numbers(op, block_a.numbers, block_b.numbers, n);
    out.put(write_numbers(block_a.numbers, n, out.body()));
    return true;
  }

  template <class T>
  Coded add_as(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = lattice_of(coding);
    wire::Header header_a;
    wire::Header header_b;
    if (Status s = check(a, count, coding, lattice, header_a); !s) return {s, 0};
    if (Status s = check(b, count, coding, lattice, header_b); !s) return {s, 0};
    Reader reader_a(a, count, lattice.step > 0, sizeof(T));
    Reader reader_b(b, count, lattice.step > 0, sizeof(T));
    Block<T> block_a;
    Block<T> block_b;
    Writer writer(out, count);
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      Packed in_a;
      Packed in_b;
      if (!reader_a.next(n, in_a)) return {reader_a.problem(), 0};
      if (!reader_b.next(n, in_b)) return {reader_b.problem(), 0};
      if (!add_blocks(in_a, in_b, n, coding.op, lattice.step, block_a, block_b, writer))
        return {Reader::bad_block(), 0};
    }
    if (Status s = reader_a.finish(); !s) return {s, 0};
    if (Status s = reader_b.finish(); !s) return {s, 0};
    return finish<T>(count, lattice, error_of(coding.op, header_a.error, header_b.error), writer, out);
  }

  template <class T>
  Status decode_as(Frame frame, T* x, std::size_t count, const Coding& coding) const {
    wire::Header header;
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    // Within an operation the step is known, and another one would scale every number.
    if (coding.allowance > 0 && header.step != lattice_of(coding).step) return other_step();
    Reader reader(frame, count, header.step > 0, sizeof(T));
    Block<T> block;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      Packed in;
      if (!reader.next(n, in)) return reader.problem();
      if (whole<T>(n) && coding.divisor == 1 && k_.blocks.decode && on_lattice(kind_of(in.entry)) &&
          k_.blocks.decode(in, header.step, coding.streaming, reinterpret_cast<float*>(x + i)))
        continue;
      if (!block.read(k_, in, n)) return Reader::bad_block();
      if (block.lattice) {
        dequantise_block(k_, block.points, n, header.step, coding.divisor, x + i);
      } else if (coding.divisor == 1) {
        std::memcpy(x + i, block.numbers, n * sizeof(T));
      } else {
        for (std::size_t j = 0; j < n; ++j)
          x[i + j] = static_cast<T>(static_cast<double>(block.numbers[j]) / coding.divisor);
      }
    }
    if (coding.streaming && k_.blocks.settle) k_.blocks.settle();
    return reader.finish();
  }

  Status check(Frame frame, std::size_t count, const Coding& coding, const Lattice& lattice,
               wire::Header& header) const {
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    return header.step == lattice.step ? Status{} : other_step();
  }

  // Finite whatever the frames say: what is written must be readable.
  static double error_of(Op op, double a, double b) {
    return op == Op::sum ? std::min(a + b, std::numeric_limits<double>::max()) : std::max(a, b);
  }

  template <class T>
  Coded finish(std::size_t count, const Lattice& lattice, double error, const Writer& writer, Blob out) const {
    wire::Header header;
    header.codec = id();
    header.dtype = sizeof(T) == 4 ? Dtype::f32 : Dtype::f64;
    header.count = static_cast<std::uint32_t>(count);
    header.payload =
        static_cast<std::uint32_t>(writer.end() - out.data() - static_cast<std::ptrdiff_t>(wire::header_bytes));
    header.step = lattice.step;
    header.error = error;
    wire::write_header(header, out);
    return {{}, wire::header_bytes + header.payload};
  }

  const Kernels& k_;
};

}  // namespace

std::unique_ptr<Codec> make_codec(const Kernels& kernels) { return std::make_unique<QuantCodec>(kernels); }

}  // namespace quant

const Codec& quant_codec() {
  static const quant::QuantCodec codec(quant::best_kernels());
  return codec;
}

}  // namespace laconic
