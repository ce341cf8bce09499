// SPDX-License-Identifier: BSD-3-Clause
// dense: the lattice of `quant`, with predictions across rows and an entropy coder instead of bit planes.  Frames are
// smaller and take longer.  The points are those of `quant`, so the numbers that come out are the same.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numbers>

#include "codec/denormals.hpp"
#include "codec/dense/segment.hpp"
#include "codec/quant/numbers.hpp"
#include "codec/quant/operation.hpp"
#include "codec/typed_codec.hpp"

namespace laconic {
namespace dense {
namespace {

using quant::Lattice;
using quant::Points;

// The memory of a thread that codes segments, kept from call to call.
struct Memory {
  Segment read[2];
  Segment written;
  Work work;
};

Memory& memory() {
  static thread_local const std::unique_ptr<Memory> kept = std::make_unique<Memory>();
  return *kept;
}

template <class T>
Numbers put_numbers(const T* x, std::size_t n, std::byte* at) {
  const quant::Entry entry = quant::write_numbers(x, n, at);
  return {quant::kind_of(entry) == quant::Kind::fill ? fill_kind : raw_kind, quant::bytes_of(entry)};
}

class DenseCodec final : public TypedCodec<DenseCodec, FloatingTypes> {
 public:
  explicit DenseCodec(const Kernels& kernels) : k_(kernels) {}

  std::string_view name() const override { return "dense"; }
  CodecName api_name() const override { return CodecName::dense; }
  std::uint8_t id() const override { return 6; }
  bool exact_sums() const override { return true; }
  bool rounds_results() const override { return true; }

  // As those of quant, whose lattice this is.
  ErrorShape error_shape() const override { return {0, std::numbers::inv_sqrt3, true}; }

  std::size_t capacity(std::size_t count, Dtype dtype) const override {
    const std::size_t whole = count / segment_values;
    return wire::header_bytes + whole * largest_segment(segment_values, size_of(dtype)) +
           largest_segment(count % segment_values, size_of(dtype)) + slack;
  }

 private:
  friend class TypedCodec<DenseCodec, FloatingTypes>;

  // Calls f(first number, numbers) for every segment, until it returns an error.
  template <class F>
  static Status each_segment(std::size_t count, F&& f) {
    for (std::size_t i = 0; i < count; i += segment_values)
      if (Status s = f(i, std::min(segment_values, count - i)); !s) return s;
    return {};
  }

  // Calls f(block, its first number within the segment, its numbers) for every block of a segment of n numbers.
  template <class F>
  static void each_block(std::size_t n, F&& f) {
    for (std::size_t b = 0; b < blocks_of(n); ++b) f(b, b * block_values, std::min(block_values, n - b * block_values));
  }

  // The numbers of one block of a segment that was read.
  template <class T>
  void read_block(const Segment& segment, std::size_t b, std::size_t n, double step, double divisor, T* x) const {
    if (segment.lattice[b]) {
      Points points;
      std::memcpy(points.q, segment.block(b), sizeof points.q);
      return quant::dequantise_block(quant_, points, n, step, divisor, x);
    }
    T numbers[block_values];
    if (segment.fill[b]) {
      T value;
      std::memcpy(&value, segment.numbers[b], sizeof(T));
      std::fill_n(numbers, n, value);
    } else {
      std::memcpy(static_cast<void*>(numbers), segment.numbers[b], n * sizeof(T));
    }
    quant::divide_block(numbers, n, divisor, x);
  }

  // Puts a block of points into a segment to be written.
  static void put_points(const Points& points, Segment& segment, std::size_t b, std::size_t n) {
    segment.lattice[b] = true;
    std::memcpy(segment.block(b), points.q, n * sizeof *points.q);
  }
  static void leave_lattice(Segment& segment, std::size_t b) {
    segment.lattice[b] = false;
    segment.set_zero(b);
  }

  template <class T>
  Coded encode_as(const T* x, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = quant::lattice_of(coding);
    Memory& m = memory();
    quant::Wide<T> wide;
    Points points;
    std::byte* at = out.data() + wire::header_bytes;
    bool rounded = false;
    const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
      each_block(n, [&](std::size_t b, std::size_t first, std::size_t values) {
        const T* own = x + i + first;
        const bool exact = coding.exact_denormals && holds_denormal(own, values);
        if (exact || !quant::quantise_block(quant_, wide.of(own, values), values, lattice, points))
          return leave_lattice(m.written, b);
        put_points(points, m.written, b, values);
        rounded = true;
      });
      at = write_segment(k_, m.written, n, m.work, at, [&](std::size_t b, std::byte* to) {
        return put_numbers(x + i + b * block_values, std::min(block_values, n - b * block_values), to);
      });
      return {};
    });
    if (!status.ok()) return {status, 0};
    return finish(at, count, coding, lattice.step, rounded ? coding.allowance : 0, out);
  }

  template <class T>
  Coded fold_as(Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = quant::lattice_of(coding);
    wire::Header header;
    if (Status s = check(frame, count, coding, lattice, header); !s) return {s, 0};
    Reader reader(frame.subspan(wire::header_bytes), lattice.step > 0, sizeof(T));
    Memory& m = memory();
    Segment& other = m.read[0];
    quant::Wide<T> wide;
    Points points;
    Points theirs;
    std::byte* at = out.data() + wire::header_bytes;
    bool rounded = false;
    Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
      if (Status s = reader.next(k_, n, other); !s) return s;
      each_block(n, [&](std::size_t b, std::size_t first, std::size_t values) {
        if (!other.lattice[b] ||
            !quant::quantise_block(quant_, wide.of(x + i + first, values), values, lattice, points))
          return leave_lattice(m.written, b);
        std::memcpy(theirs.q, other.block(b), sizeof theirs.q);
        quant_.combine(coding.op, theirs, points, values);
        if (coding.rounds_result()) quant::coarsen(theirs, coding.coarser, values);
        put_points(theirs, m.written, b, values);
        rounded = true;
      });
      at = write_segment(k_, m.written, n, m.work, at, [&](std::size_t b, std::byte* to) {
        const std::size_t values = std::min(block_values, n - b * block_values);
        T numbers[block_values];
        read_block(other, b, values, lattice.step, 1, numbers);
        combine(coding.op, numbers, x + i + b * block_values, values);
        return put_numbers(numbers, values, to);
      });
      return {};
    });
    if (status.ok()) status = reader.finish();
    if (!status.ok()) return {status, 0};
    const double error = quant::error_of(coding.op, header.error, rounded ? coding.allowance : 0);
    return finish_combined(at, count, coding, lattice, error, out);
  }

  template <class T>
  Coded add_as(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = quant::lattice_of(coding);
    wire::Header header_a;
    wire::Header header_b;
    if (Status s = check(a, count, coding, lattice, header_a); !s) return {s, 0};
    if (Status s = check(b, count, coding, lattice, header_b); !s) return {s, 0};
    Reader reader_a(a.subspan(wire::header_bytes), lattice.step > 0, sizeof(T));
    Reader reader_b(b.subspan(wire::header_bytes), lattice.step > 0, sizeof(T));
    Memory& m = memory();
    Segment& left = m.read[0];
    Segment& right = m.read[1];
    Points sum;
    Points addend;
    std::byte* at = out.data() + wire::header_bytes;
    Status status = each_segment(count, [&](std::size_t, std::size_t n) -> Status {
      if (Status s = reader_a.next(k_, n, left); !s) return s;
      if (Status s = reader_b.next(k_, n, right); !s) return s;
      each_block(n, [&](std::size_t block, std::size_t, std::size_t values) {
        if (!left.lattice[block] || !right.lattice[block]) return leave_lattice(m.written, block);
        std::memcpy(sum.q, left.block(block), sizeof sum.q);
        std::memcpy(addend.q, right.block(block), sizeof addend.q);
        quant_.combine(coding.op, sum, addend, values);
        if (coding.rounds_result()) quant::coarsen(sum, coding.coarser, values);
        put_points(sum, m.written, block, values);
      });
      at = write_segment(k_, m.written, n, m.work, at, [&](std::size_t block, std::byte* to) {
        const std::size_t values = std::min(block_values, n - block * block_values);
        T numbers[block_values];
        T addends[block_values];
        read_block(left, block, values, lattice.step, 1, numbers);
        read_block(right, block, values, lattice.step, 1, addends);
        combine(coding.op, numbers, addends, values);
        return put_numbers(numbers, values, to);
      });
      return {};
    });
    if (status.ok()) status = reader_a.finish();
    if (status.ok()) status = reader_b.finish();
    if (!status.ok()) return {status, 0};
    const double error = quant::error_of(coding.op, header_a.error, header_b.error);
    return finish_combined(at, count, coding, lattice, error, out);
  }

  template <class T>
  Status decode_as(Frame frame, T* x, std::size_t count, const Coding& coding) const {
    wire::Header header;
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    if (Status s = quant::check_decoded(header, coding); !s) return s;
    Reader reader(frame.subspan(wire::header_bytes), header.step > 0, sizeof(T));
    Segment& segment = memory().read[0];
    const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
      if (Status s = reader.next(k_, n, segment); !s) return s;
      each_block(n, [&](std::size_t b, std::size_t first, std::size_t values) {
        read_block(segment, b, values, header.step, coding.divisor, x + i + first);
      });
      return {};
    });
    return status.ok() ? reader.finish() : status;
  }

  // error: that of the combined frames and numbers.
  Coded finish_combined(const std::byte* end, std::size_t count, const Coding& coding, const Lattice& lattice,
                        double error, Blob out) const {
    error = quant::error_of(Op::sum, error, quant::error_of_rounding(coding, lattice));
    return finish(end, count, coding, quant::step_of_frames(coding, lattice), error, out);
  }

  // Reads and checks the header of a frame to be combined.
  Status check(Frame frame, std::size_t count, const Coding& coding, const Lattice& lattice,
               wire::Header& header) const {
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    return quant::check_combined(header, coding, lattice);
  }

  const Kernels& k_;
  const quant::Kernels& quant_ = quant::best_kernels();  // for numbers to points and back
};

}  // namespace

std::unique_ptr<Codec> make_codec(const Kernels& kernels) { return std::make_unique<DenseCodec>(kernels); }

}  // namespace dense

const Codec& dense_codec() {
  static const dense::DenseCodec codec(dense::best_kernels());
  return codec;
}

}  // namespace laconic
