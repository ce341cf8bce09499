// SPDX-License-Identifier: BSD-3-Clause
// dense: the lattice of `quant`, with predictions across rows and an entropy coder instead of bit planes.  Frames are
// smaller and take longer.  The points and the exceptions are those of `quant`, so the numbers that come out are the
// same.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numbers>

#include "codec/denormals.hpp"
#include "codec/dense/exact.hpp"
#include "codec/dense/scaled.hpp"
#include "codec/dense/units.hpp"
#include "codec/quant/operation.hpp"
#include "codec/typed_codec.hpp"

namespace laconic {
namespace dense {
namespace {

using quant::Lattice;
using quant::MaskedBlock;
using quant::Points;

class DenseCodec final : public TypedCodec<DenseCodec, AllTypes> {
 public:
  explicit DenseCodec(const Kernels& kernels) : k_(kernels) {}

  std::string_view name() const override { return "dense"; }
  CodecName api_name() const override { return CodecName::dense; }
  std::uint8_t id() const override { return 6; }
  bool relative() const override { return true; }
  bool exact_sums() const override { return true; }
  bool rounds_results() const override { return true; }

  // As those of quant, whose lattice this is.
  ErrorShape error_shape() const override { return {0, std::numbers::inv_sqrt3, true}; }

  std::size_t capacity(std::size_t count, Dtype dtype) const override { return room(count, dtype, true); }

  // Only float64 numbers have points of more than 32 bits where nothing is added.
  std::size_t moved_capacity(std::size_t count, Dtype dtype) const override {
    return room(count, dtype, size_of(dtype) == 8);
  }

 private:
  static std::size_t room(std::size_t count, Dtype dtype, bool has_rests) {
    const std::size_t size = size_of(dtype);
    const std::size_t rounded = count / segment_values * largest_segment(segment_values, size, has_rests) +
                                largest_segment(count % segment_values, size, has_rests) + slack;
    return wire::header_bytes + std::max(is_integer(dtype) ? 0 : rounded, exact::capacity(count, size));
  }

  friend class TypedCodec<DenseCodec, AllTypes>;

  template <class F>
  static void each_block(std::size_t n, F&& f) {
    each_unit(Frames::plain, n, f);
  }

  // Puts any block into the segment that is written, and what it has of cuts and numbers to `at`, and returns the end.
  template <class T>
  [[gnu::noinline]] std::byte* put(const MaskedBlock<T>& block, std::size_t b, std::size_t n, Memory& m,
                                   std::byte* at) const {
    if (block.has_points()) return put_points(quant_, block, b, n, 0, m, at);
    return put_numbers(block.write_all(quant_, n, at), b, m.written, at);
  }

  // Puts a block of own numbers that do not all have points of 32 bits; true when some have any.
  template <class T, class W>
  [[gnu::noinline]] bool put_own(const T* x, const W* wide, std::size_t b, std::size_t n, const Coding& coding,
                                 const Lattice& lattice, Memory& m, std::byte*& at) const {
    // The rules are those of quant, so that results are the same: see its put_own().
    if (coding.exact_denormals && (holds_denormal(x, n) || holds_payload(x, n))) {
      at = put_numbers(quant::write_numbers(x, n, at), b, m.written, at);
      return false;
    }
    MaskedBlock<T> block;
    block.round(quant_, x, wide, n, lattice);
    if (!quant::adds(coding)) block.leave_lattice_if_larger(quant_, n);
    at = put(block, b, n, m, at);
    return block.has_points();
  }

  template <class T>
  Coded encode_rounded(const T* x, std::size_t count, const Coding& coding, Blob out) const {
    if (coding.relative > 0) return finish_scaled(scaled::encode(all_, x, count, coding, out), count, coding, out);
    const Lattice lattice = quant::lattice_of(coding);
    Memory& m = memory();
    quant::Wide<T> wide;
    Points points;
    std::byte* at = out.data() + wire::header_bytes;
    bool rounded = false;
    const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
      std::byte* numbers = begin_of_numbers(Frames::plain, n, at);
      m.written.begin(Frames::plain);
      bool some = false;
      each_block(n, [&](std::size_t b, std::size_t first, std::size_t values) {
        const T* own = x + i + first;
        const auto* w = wide.of(own, values);
        const bool exact = coding.exact_denormals && holds_denormal(own, values);
        if (!exact && !m.written.cut.wide && quant::quantise_block(quant_, w, values, lattice, points)) {
          m.written.put_near(b, points.q, values);
          some = true;
        } else if (put_own(own, w, b, values, coding, lattice, m, numbers)) {
          some = true;
        }
      });
      std::byte* const begin = at;
      at = write_segment(k_, m.written, n, m.work, at, numbers);
      bool exact = false;
      if (!quant::adds(coding)) at = write_smaller(k_, x + i, n, m, begin, at, exact);
      rounded = rounded || (some && !exact);
      return {};
    });
    if (!status.ok()) return {status, 0};
    return finish(at, count, coding, lattice.step, rounded ? coding.allowance : 0, out);
  }

  // Combines two blocks, not all of whose numbers have points of 32 bits, and puts the result.
  template <class T>
  [[gnu::noinline]] std::byte* combine_blocks(MaskedBlock<T>& block, MaskedBlock<T>& other, std::size_t b,
                                              std::size_t n, const Coding& coding, double step, Memory& m,
                                              std::byte* at) const {
    block.combine_with(quant_, coding.op, other, n, step);
    if (coding.rounds_result()) block.coarsen(coding.coarser, n);
    return put(block, b, n, m, at);
  }

  // The same for blocks of points.
  void combine_points(Points& points, const Points& other, std::size_t b, std::size_t n, const Coding& coding,
                      Segment& segment) const {
    quant_.combine(coding.op, points, other, n);
    if (coding.rounds_result()) quant::coarsen(points, coding.coarser, n);
    segment.put_near(b, points.q, n);
  }

  template <class T>
  Coded fold_rounded(Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = quant::lattice_of(coding);
    wire::Header header;
    if (Status s = check(frame, count, coding, lattice, header); !s) return {s, 0};
    if (header.scaled())
      return finish_scaled(scaled::fold(all_, frame, header.error, x, count, coding, out), count, coding, out);
    Reader reader(frame.subspan(wire::header_bytes), Frames::plain);
    Memory& m = memory();
    Segment& other = m.read[0];
    quant::Wide<T> wide;
    Points points;
    Points theirs;
    MaskedBlock<T> block;
    MaskedBlock<T> added;
    std::byte* at = out.data() + wire::header_bytes;
    bool rounded = false;
    Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
      if (Status s = reader.next(k_, n, other, m.work, m.numbers.of<T>(0)); !s) return s;
      std::byte* numbers = begin_of_numbers(Frames::plain, n, at);
      m.written.begin(Frames::plain);
      each_block(n, [&](std::size_t b, std::size_t first, std::size_t values) {
        const T* own = x + i + first;
        const auto* w = wide.of(own, values);
        if (is_near(other, b) && !m.written.cut.wide && quant::quantise_block(quant_, w, values, lattice, points)) {
          std::memcpy(theirs.q, other.block(b), sizeof theirs.q);
          combine_points(theirs, points, b, values, coding, m.written);
          rounded = true;
          return;
        }
        get_unit(quant_, other, b, values, block);
        added.round(quant_, own, w, values, lattice);
        numbers = combine_blocks(block, added, b, values, coding, lattice.step, m, numbers);
        rounded = rounded || added.has_points();
      });
      at = write_segment(k_, m.written, n, m.work, at, numbers);
      return {};
    });
    if (status.ok()) status = reader.finish();
    if (!status.ok()) return {status, 0};
    const double error = quant::error_of(coding.op, header.error, rounded ? coding.allowance : 0);
    return finish_combined(at, count, coding, lattice, error, out);
  }

  template <class T>
  Coded add_rounded(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = quant::lattice_of(coding);
    wire::Header header_a;
    wire::Header header_b;
    if (Status s = check(a, count, coding, lattice, header_a); !s) return {s, 0};
    if (Status s = check(b, count, coding, lattice, header_b); !s) return {s, 0};
    const double error = quant::error_of(coding.op, header_a.error, header_b.error);
    if (header_a.scaled())
      return finish_scaled(scaled::add<T>(all_, a, b, error, count, coding, out), count, coding, out);
    Reader reader_a(a.subspan(wire::header_bytes), Frames::plain);
    Reader reader_b(b.subspan(wire::header_bytes), Frames::plain);
    Memory& m = memory();
    Segment& left = m.read[0];
    Segment& right = m.read[1];
    Points sum;
    Points addend;
    MaskedBlock<T> block;
    MaskedBlock<T> added;
    std::byte* at = out.data() + wire::header_bytes;
    Status status = each_segment(count, [&](std::size_t, std::size_t n) -> Status {
      if (Status s = reader_a.next(k_, n, left, m.work, m.numbers.of<T>(0)); !s) return s;
      if (Status s = reader_b.next(k_, n, right, m.work, m.numbers.of<T>(1)); !s) return s;
      std::byte* numbers = begin_of_numbers(Frames::plain, n, at);
      m.written.begin(Frames::plain);
      each_block(n, [&](std::size_t number, std::size_t, std::size_t values) {
        if (is_near(left, number) && is_near(right, number) && !m.written.cut.wide) {
          std::memcpy(sum.q, left.block(number), sizeof sum.q);
          std::memcpy(addend.q, right.block(number), sizeof addend.q);
          return combine_points(sum, addend, number, values, coding, m.written);
        }
        get_unit(quant_, left, number, values, block);
        get_unit(quant_, right, number, values, added);
        numbers = combine_blocks(block, added, number, values, coding, lattice.step, m, numbers);
      });
      at = write_segment(k_, m.written, n, m.work, at, numbers);
      return {};
    });
    if (status.ok()) status = reader_a.finish();
    if (status.ok()) status = reader_b.finish();
    if (!status.ok()) return {status, 0};
    return finish_combined(at, count, coding, lattice, error, out);
  }

  // header: that of the frame, which was checked.
  template <class T>
  Status decode_rounded(Frame frame, const wire::Header& header, T* x, std::size_t count, const Coding& coding) const {
    if (header.scaled()) return scaled::decode(all_, frame, x, count, coding);
    Reader reader(frame.subspan(wire::header_bytes), Frames::plain);
    Memory& m = memory();
    Segment& segment = m.read[0];
    Points points;
    MaskedBlock<T> block;
    const Status status = each_segment(count, [&](std::size_t i, std::size_t n) -> Status {
      if (Status s = reader.next(k_, n, segment, m.work, m.numbers.of<T>(0)); !s) return s;
      each_block(n, [&](std::size_t b, std::size_t first, std::size_t values) {
        if (is_near(segment, b)) {
          std::memcpy(points.q, segment.block(b), sizeof points.q);
          return quant::dequantise_block(quant_, points, values, header.step, coding.divisor, x + i + first);
        }
        get_unit(quant_, segment, b, values, block);
        block.decode(quant_, values, header.step, coding.divisor, x + i + first);
      });
      return {};
    });
    return status.ok() ? reader.finish() : status;
  }

  // Integers are never rounded, and no number is where there is no lattice.
  static bool rounds(const Coding& coding) { return coding.relative > 0 || quant::lattice_of(coding).step > 0; }

  template <class T>
  Coded encode_as(const T* x, std::size_t count, const Coding& coding, Blob out) const {
    if constexpr (!std::is_integral_v<T>)
      if (rounds(coding)) return encode_rounded(x, count, coding, out);
    return finish_exact(exact::encode(k_, x, count, out), count, coding, out);
  }

  template <class T>
  Coded fold_as(Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) const {
    if constexpr (!std::is_integral_v<T>)
      if (rounds(coding)) return fold_rounded(frame, x, count, coding, out);
    if (Status s = check_exact(frame, count, coding); !s) return {s, 0};
    return finish_exact(exact::fold(k_, frame, x, count, coding, out), count, coding, out);
  }

  template <class T>
  Coded add_as(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const {
    if constexpr (!std::is_integral_v<T>)
      if (rounds(coding)) return add_rounded<T>(a, b, count, coding, out);
    if (Status s = check_exact(a, count, coding); !s) return {s, 0};
    if (Status s = check_exact(b, count, coding); !s) return {s, 0};
    return finish_exact(exact::add<T>(k_, a, b, count, coding, out), count, coding, out);
  }

  template <class T>
  Status decode_as(Frame frame, T* x, std::size_t count, const Coding& coding) const {
    wire::Header header;
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    if constexpr (!std::is_integral_v<T>) {
      if (Status s = quant::check_decoded(header, coding); !s) return s;
      if (header.step != 0) return decode_rounded(frame, header, x, count, coding);
    }
    if (Status s = check_exact(header); !s) return s;
    return exact::decode(k_, frame, x, count, coding);
  }

  // error: that of the combined frames and numbers.
  Coded finish_combined(const std::byte* end, std::size_t count, const Coding& coding, const Lattice& lattice,
                        double error, Blob out) const {
    error = quant::error_of(Op::sum, error, quant::error_of_rounding(coding, lattice));
    return finish(end, count, coding, quant::step_of_frames(coding, lattice), error, out);
  }

  Coded finish_exact(const exact::Payload& payload, std::size_t count, const Coding& coding, Blob out) const {
    if (!payload.status.ok()) return {payload.status, 0};
    return finish(payload.end, count, coding, 0, 0, out);
  }

  Coded finish_scaled(const scaled::Payload& payload, std::size_t count, const Coding& coding, Blob out) const {
    if (!payload.status.ok()) return {payload.status, 0};
    return finish(payload.end, count, coding, 1, payload.error, out, wire::flag_scaled);
  }

  static Status check_exact(const wire::Header& header) {
    if (header.scaled()) return quant::malformed("scaled, which this operation is not");
    if (header.step != 0) return quant::other_step();
    return header.error == 0 ? Status{} : quant::malformed("an error in a frame that rounds nothing");
  }
  Status check_exact(Frame frame, std::size_t count, const Coding& coding) const {
    wire::Header header;
    const Status s = read_codec_header(frame, *this, count, coding.dtype, header);
    return s.ok() ? check_exact(header) : s;
  }

  // Reads and checks the header of a frame to be combined.
  Status check(Frame frame, std::size_t count, const Coding& coding, const Lattice& lattice,
               wire::Header& header) const {
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    return quant::check_combined(header, coding, lattice);
  }

  const Kernels& k_;
  const quant::Kernels& quant_ = quant::best_kernels();  // for numbers to points and back
  const scaled::AllKernels all_{k_, quant_};
};

}  // namespace

std::unique_ptr<Codec> make_codec(const Kernels& kernels) { return std::make_unique<DenseCodec>(kernels); }

}  // namespace dense

const Codec& dense_codec() {
  static const dense::DenseCodec codec(dense::best_kernels());
  return codec;
}

}  // namespace laconic
