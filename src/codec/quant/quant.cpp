// quant: numbers are rounded once, at the source, to integer multiples of a step; sums of integers are exact, so the
// result does not depend on who adds what when.  A block with a number that has no lattice point within the
// allowance (NaN, infinity, too large for the step) is kept uncompressed.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "codec/codec.hpp"
#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"

namespace laconic {
namespace quant {
namespace {

template <class T>
constexpr std::size_t raw_block(std::size_t n) {
  return 1 + n * sizeof(T);
}

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
std::size_t write_numbers(const T* x, std::size_t n, std::byte* out) {
  const auto* bytes = reinterpret_cast<const std::byte*>(x);
  // Equal to itself shifted by one number: all numbers are the first one.
  const bool same = n > 1 && std::memcmp(bytes, bytes + sizeof(T), (n - 1) * sizeof(T)) == 0;
  *out = static_cast<std::byte>(same ? Kind::fill : Kind::raw);
  const std::size_t size = same ? sizeof(T) : n * sizeof(T);
  std::memcpy(out + 1, x, size);
  return 1 + size;
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

  // Turns lattice points into numbers.
  void leave_lattice(const Kernels& k, std::size_t n, double step) {
    if (!lattice) return;
    dequantise_block(k, points, n, step, 1, numbers);
    lattice = false;
  }
};

// Walks the blocks of a frame's payload.
class Reader {
 public:
  Reader(Frame frame, bool has_lattice)
      : at_(frame.data() + wire::header_bytes), end_(frame.data() + frame.size()), has_lattice_(has_lattice) {}

  template <class T>
  bool next(const Kernels& k, std::size_t n, Block<T>& block) {
    if (at_ == end_) return false;
    const auto available = static_cast<std::size_t>(end_ - at_);
    const auto kind = static_cast<Kind>(*at_);
    block.lattice = on_lattice(kind);
    if (block.lattice) {
      const std::size_t size = has_lattice_ ? k.unpack(at_, available, n, block.points) : 0;
      at_ += size;
      return size != 0;
    }
    if (kind == Kind::raw && available >= raw_block<T>(n)) {
      std::memcpy(block.numbers, at_ + 1, n * sizeof(T));
      at_ += raw_block<T>(n);
      return true;
    }
    if (kind == Kind::fill && available >= raw_block<T>(1)) {
      T value;
      std::memcpy(&value, at_ + 1, sizeof(T));
      std::fill_n(block.numbers, n, value);
      at_ += raw_block<T>(1);
      return true;
    }
    return false;
  }

  bool at_end() const { return at_ == end_; }

  // What to say when next() failed, and when the last block has been read and this is not at_end().
  Status bad_block(std::size_t n) const {
    return malformed(problem_of_block(at_, static_cast<std::size_t>(end_ - at_), n, has_lattice_));
  }
  static Status bad_end() { return malformed("bytes after the last block"); }

  // The next block is zero: adding it changes nothing.
  bool at_zero() const { return at_ != end_ && has_lattice_ && static_cast<Kind>(*at_) == Kind::zero; }
  void skip_zero() { ++at_; }

  // The bytes of the next block if it is on the lattice, else nothing and the block stays next.
  Frame next_packed(std::size_t n) {
    if (!has_lattice_) return {};
    const std::size_t size = read_block_head(at_, static_cast<std::size_t>(end_ - at_), n).total;
    const Frame block(at_, size);
    at_ += size;
    return block;
  }

 private:
  static Status malformed(const char* what) { return {Code::frame, std::string("malformed frame: ") + what}; }

  const std::byte* at_;
  const std::byte* end_;
  bool has_lattice_;
};

Status other_step() { return {Code::frame, "malformed frame: step differs from this operation's"}; }

class QuantCodec final : public Codec {
 public:
  explicit QuantCodec(const Kernels& kernels) : k_(kernels) {}

  std::string_view name() const override { return "quant"; }
  std::uint8_t id() const override { return 2; }
  bool exact_sums() const override { return true; }

  std::size_t capacity(std::size_t count, Dtype dtype) const override {
    const std::size_t blocks = (count + block_values - 1) / block_values;
    const std::size_t raw = 1 + block_values * size_of(dtype);
    return wire::header_bytes + blocks * (raw > largest_packed_block ? raw : largest_packed_block) + store_slack;
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
  template <class T>
  Coded encode_as(const T* x, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = Lattice::make(coding.allowance, coding.terms, coding.dtype);
    Points points;
    std::byte* at = out.data() + wire::header_bytes;
    bool rounded = false;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      // Also when packing gains nothing: numbers that stay off the lattice would be added as floating-point numbers,
      // and the result would depend on how the data is cut.
      const bool on_lattice = quantise_block(k_, x + i, n, lattice, points);
      at += on_lattice ? k_.pack(points, n, at) : write_numbers(x + i, n, at);
      rounded = rounded || on_lattice;
    }
    return finish<T>(count, lattice, rounded ? coding.allowance : 0, at, out);
  }

  template <class T>
  Coded fold_as(Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = Lattice::make(coding.allowance, coding.terms, coding.dtype);
    wire::Header header;
    if (Status s = check(frame, count, coding, lattice, header); !s) return {s, 0};
    Reader reader(frame, lattice.step > 0);
    Block<T> block;
    Points points;
    std::byte* at = out.data() + wire::header_bytes;
    bool rounded = false;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      if (coding.op == Op::sum && reader.at_zero() && quantise_block(k_, x + i, n, lattice, points)) {
        reader.skip_zero();
        at += k_.pack(points, n, at);
        rounded = true;
        continue;
      }
      if (!reader.next(k_, n, block)) return {reader.bad_block(n), 0};
      if (block.lattice && quantise_block(k_, x + i, n, lattice, points)) {
        k_.combine(coding.op, block.points, points, n);
        at += k_.pack(block.points, n, at);
        rounded = true;
        continue;
      }
      block.leave_lattice(k_, n, lattice.step);
      combine_numbers(coding.op, block.numbers, x + i, n);
      at += write_numbers(block.numbers, n, at);
    }
    if (!reader.at_end()) return {Reader::bad_end(), 0};
    return finish<T>(count, lattice, error_of(coding.op, header.error, rounded ? coding.allowance : 0), at, out);
  }

  template <class T>
  Coded add_as(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = Lattice::make(coding.allowance, coding.terms, coding.dtype);
    wire::Header header_a;
    wire::Header header_b;
    if (Status s = check(a, count, coding, lattice, header_a); !s) return {s, 0};
    if (Status s = check(b, count, coding, lattice, header_b); !s) return {s, 0};
    Reader reader_a(a, lattice.step > 0);
    Reader reader_b(b, lattice.step > 0);
    Block<T> block_a;
    Block<T> block_b;
    std::byte* at = out.data() + wire::header_bytes;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      if (coding.op == Op::sum && (reader_a.at_zero() || reader_b.at_zero())) {
        Reader& zero = reader_a.at_zero() ? reader_a : reader_b;
        Reader& other = reader_a.at_zero() ? reader_b : reader_a;
        if (const Frame packed = other.next_packed(n); !packed.empty()) {
          zero.skip_zero();
          std::memcpy(at, packed.data(), packed.size());
          at += packed.size();
          continue;
        }
      }
      if (!reader_a.next(k_, n, block_a)) return {reader_a.bad_block(n), 0};
      if (!reader_b.next(k_, n, block_b)) return {reader_b.bad_block(n), 0};
      if (block_a.lattice && block_b.lattice) {
        k_.combine(coding.op, block_a.points, block_b.points, n);
        at += k_.pack(block_a.points, n, at);
        continue;
      }
      block_a.leave_lattice(k_, n, lattice.step);
      block_b.leave_lattice(k_, n, lattice.step);
      combine_numbers(coding.op, block_a.numbers, block_b.numbers, n);
      at += write_numbers(block_a.numbers, n, at);
    }
    if (!reader_a.at_end() || !reader_b.at_end()) return {Reader::bad_end(), 0};
    return finish<T>(count, lattice, error_of(coding.op, header_a.error, header_b.error), at, out);
  }

  template <class T>
  Status decode_as(Frame frame, T* x, std::size_t count, const Coding& coding) const {
    wire::Header header;
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    // Within an operation the step is known, and another one would scale every number.
    if (coding.allowance > 0 && header.step != Lattice::make(coding.allowance, coding.terms, coding.dtype).step)
      return other_step();
    Reader reader(frame, header.step > 0);
    Block<T> block;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      if (!reader.next(k_, n, block)) return reader.bad_block(n);
      if (block.lattice) {
        dequantise_block(k_, block.points, n, header.step, coding.divisor, x + i);
      } else if (coding.divisor == 1) {
        std::memcpy(x + i, block.numbers, n * sizeof(T));
      } else {
        for (std::size_t j = 0; j < n; ++j)
          x[i + j] = static_cast<T>(static_cast<double>(block.numbers[j]) / coding.divisor);
      }
    }
    return reader.at_end() ? Status{} : Reader::bad_end();
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
  Coded finish(std::size_t count, const Lattice& lattice, double error, const std::byte* end, Blob out) const {
    wire::Header header;
    header.codec = id();
    header.dtype = sizeof(T) == 4 ? Dtype::f32 : Dtype::f64;
    header.count = static_cast<std::uint32_t>(count);
    header.payload = static_cast<std::uint32_t>(end - out.data() - static_cast<std::ptrdiff_t>(wire::header_bytes));
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
