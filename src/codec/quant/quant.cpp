// SPDX-License-Identifier: BSD-3-Clause
// quant: numbers are rounded once, at the source, to integer multiples of a step.  Sums of integers are exact, so the
// result does not depend on the order of the additions.  Numbers that have no lattice point within the allowance (NaN,
// infinities, those too large for the step) are kept as they are, beside the points of their block.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numbers>
#include <string>

#include "base/target.hpp"
#include "codec/denormals.hpp"
#include "codec/device_codec.hpp"
#include "codec/quant/blocks.hpp"
#include "codec/quant/masked_blocks.hpp"
#include "codec/quant/numbers.hpp"
#include "codec/quant/operation.hpp"
#include "codec/quant/scaled.hpp"
#include "codec/typed_codec.hpp"

namespace laconic {
namespace quant {
namespace {

class QuantCodec final : public TypedCodec<QuantCodec, FloatingTypes> {
 public:
  explicit QuantCodec(const Kernels& kernels) : k_(kernels) {}

  std::string_view name() const override { return "quant"; }
  CodecName api_name() const override { return CodecName::quant; }
  std::uint8_t id() const override { return 2; }
  bool relative() const override { return true; }
  bool exact_sums() const override { return true; }
  bool rounds_results() const override { return true; }

  // The errors of numbers that spread over several steps.  The step is a little below twice the allowance.
  ErrorShape error_shape() const override { return {0, std::numbers::inv_sqrt3, true}; }

  const DeviceCodec* on_device() const override { return find_device_codec(name()); }

  std::size_t capacity(std::size_t count, Dtype dtype) const override {
    const std::size_t size = size_of(dtype);
    return room(count, std::max({block_values * size, largest_masked_block, 2 * scaled::largest_block(size)}));
  }

  // Masked and far blocks are smaller than their numbers, but the last one may be found larger when it has been
  // written.
  std::size_t moved_capacity(std::size_t count, Dtype dtype) const override {
    const std::size_t size = size_of(dtype);
    const std::size_t scaled_parts = 2 * (sizeof(scaled::Exponent) + scaled::largest_packed);
    const std::size_t block = std::max({block_values * size, largest_packed_block, scaled_parts});
    const std::size_t points = size > 4 ? largest_far_block : largest_packed_block;
    return room(count, block) + largest_masks + sizeof(Entry) + 2 * 4 * sub_values + std::max(points, block) - block;
  }

 private:
  friend class TypedCodec<QuantCodec, FloatingTypes>;

  // The room for blocks of at most `block` bytes.
  static std::size_t room(std::size_t count, std::size_t block) {
    return wire::header_bytes + index_bytes(count, scaled::values) + blocks_of(count) * block + store_slack;
  }

  // The kernels for whole blocks take full blocks of float32 numbers.  True when the block is staged.
  bool encode_whole(const float* x, std::size_t n, const Lattice& lattice, Stages& stages) const {
    return n == block_values && k_.blocks.encode && k_.blocks.encode(x, lattice, stages.next()) && stages.take();
  }
  bool encode_whole(const double*, std::size_t, const Lattice&, Stages&) const { return false; }

  bool fold_whole(const Packed& in, const float* x, std::size_t n, const Lattice& lattice, Stages& stages) const {
    return n == block_values && k_.blocks.fold && on_lattice(kind_of(in.entry)) && in.entry != zero_block &&
           k_.blocks.fold(in, x, lattice, stages.next()) && stages.take();
  }
  bool fold_whole(const Packed&, const double*, std::size_t, const Lattice&, Stages&) const { return false; }

  LACONIC_INLINE bool add_whole(const Packed& a, const Packed& b, std::size_t n, Stages& stages) const {
    return n == block_values && k_.blocks.add && k_.blocks.add(a, b, stages.next()) && stages.take();
  }

  bool decode_whole(const Packed& in, std::size_t n, double step, const Coding& coding, float* x) const {
    return n == block_values && coding.divisor == 1 && k_.blocks.decode && on_lattice(kind_of(in.entry)) &&
           k_.blocks.decode(in, step, coding.streaming, x);
  }
  template <class T>
  bool decode_whole(const Packed&, std::size_t, double, const Coding&, T*) const {
    return false;
  }

  // Writes a block of own numbers as lattice points of 32 bits; false, with nothing written, when a number has none.
  template <class T>
  bool put_on_lattice(const T* x, std::size_t n, const Lattice& lattice, Points& points, Stages& out) const {
    if (encode_whole(x, n, lattice, out)) return true;
    if (!quantise_block(k_, x, n, lattice, points)) return false;
    out.writer().put(k_.pack(points, n, out.writer().body()));
    return true;
  }

  // The functions below that are not inlined would slow down the loops around the kernels for whole blocks.

  // Writes a block that kernels could not put on the lattice as a whole; true when some numbers were put on it.
  template <class T>
  [[gnu::noinline]] bool put_own(const T* x, std::size_t n, const Coding& coding, const Lattice& lattice, Wide<T>& wide,
                                 MaskedBlock<T>& block, Writer& out) const {
    // NaN with a payload is mostly an integer or an address, like a denormal number.
    if (lattice.step == 0 || (coding.exact_denormals && (holds_denormal(x, n) || holds_payload(x, n)))) {
      out.put(write_numbers(x, n, out.body()));
      return false;
    }
    block.round(k_, x, wide.of(x, n), n, lattice);
    out.put(block.write(k_, n, !adds(coding), out.body()));
    return block.has_points();
  }

  // Writes a block of combined numbers, whose points are rounded once more if they are a result.
  template <class T>
  void put_combined(MaskedBlock<T>& block, std::size_t n, const Coding& coding, double step, Writer& out) const {
    if (coding.rounds_result()) block.coarsen(coding.coarser, n);
    out.put(step == 0 ? block.write_plain(n, out.body()) : block.write(k_, n, false, out.body()));
  }

  template <class T>
  Coded encode_as(const T* x, std::size_t count, const Coding& coding, Blob out) const {
    if (coding.relative > 0) return finish_scaled(scaled::encode(k_, x, count, coding, out), count, coding, out);
    const Lattice lattice = lattice_of(coding);
    Points points;
    MaskedBlock<T> block;
    Wide<T> wide;
    Stages stages(k_, Writer(out, count));
    bool rounded = false;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      const bool exact = coding.exact_denormals && holds_denormal(x + i, n);
      // The lattice is used even when packing gains nothing, for the reason in put_own().
      const bool on_lattice = (!exact && put_on_lattice(wide.of(x + i, n), n, lattice, points, stages)) ||
                              put_own(x + i, n, coding, lattice, wide, block, stages.writer());
      rounded = rounded || on_lattice;
    }
    return finish(stages.writer().end(), count, coding, lattice.step, rounded ? coding.allowance : 0, out);
  }

  // False when the block is not valid.
  template <class T, class W>
  [[gnu::noinline]] bool fold_points_or_numbers(const Packed& in, const T* x, const W* wide, std::size_t n,
                                                const Coding& coding, const Lattice& lattice, MaskedBlock<T>& block,
                                                MaskedBlock<T>& added, Writer& out) const {
    if (!block.read(k_, in, n)) return false;
    added.round(k_, x, wide, n, lattice);
    block.combine_with(k_, coding.op, added, n, lattice.step);
    put_combined(block, n, coding, lattice.step, out);
    return true;
  }

  template <class T>
  Coded fold_as(Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = lattice_of(coding);
    wire::Header header;
    if (Status s = check(frame, count, coding, lattice, header); !s) return {s, 0};
    if (header.scaled())
      return finish_scaled(scaled::fold(k_, frame, header.error, x, count, coding, out), count, coding, out);
    Reader reader(frame, count, lattice.step > 0, sizeof(T));
    MaskedBlock<T> block;
    MaskedBlock<T> added;
    Points points;
    Wide<T> wide;
    Stages stages(k_, Writer(out, count));
    bool rounded = false;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      Packed in;
      if (!reader.next(n, in)) return {reader.problem(), 0};
      const auto* own = wide.of(x + i, n);
      if (coding.op == Op::sum && !coding.rounds_result() &&
          (fold_whole(in, own, n, lattice, stages) ||
           (in.entry == zero_block && put_on_lattice(own, n, lattice, points, stages)))) {
        rounded = true;
        continue;
      }
      if (!fold_points_or_numbers(in, x + i, own, n, coding, lattice, block, added, stages.writer()))
        return {Reader::bad_block(), 0};
      rounded = rounded || added.has_points();
    }
    if (Status s = reader.finish(); !s) return {s, 0};
    const double error = error_of(coding.op, header.error, rounded ? coding.allowance : 0);
    return finish_combined(stages, count, coding, lattice, error, out);
  }

  // Adds one block of a and one of b; false when one of them is not valid.
  template <class T>
  bool add_blocks(const Packed& a, const Packed& b, std::size_t n, const Coding& coding, double step,
                  MaskedBlock<T>& block_a, MaskedBlock<T>& block_b, Stages& stages) const {
    if (coding.op == Op::sum && !coding.rounds_result() && has_points(a) && has_points(b)) {
      // Adding zero changes nothing.
      if (a.entry == zero_block || b.entry == zero_block) {
        const Packed& other = a.entry == zero_block ? b : a;
        if (!is_valid(other, n)) return false;
        Writer& out = stages.writer();
        std::memcpy(out.body(), other.body, bytes_of(other.entry));
        out.put(other.entry);
        return true;
      }
      if (on_lattice(kind_of(a.entry)) && on_lattice(kind_of(b.entry)) && add_whole(a, b, n, stages)) return true;
    }
    return add_points_or_numbers(a, b, n, coding, step, block_a, block_b, stages.writer());
  }

  template <class T>
  [[gnu::noinline]] bool add_points_or_numbers(const Packed& a, const Packed& b, std::size_t n, const Coding& coding,
                                               double step, MaskedBlock<T>& block_a, MaskedBlock<T>& block_b,
                                               Writer& out) const {
    if (!block_a.read(k_, a, n) || !block_b.read(k_, b, n)) return false;
    block_a.combine_with(k_, coding.op, block_b, n, step);
    put_combined(block_a, n, coding, step, out);
    return true;
  }

  template <class T>
  Coded add_as(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const {
    const Lattice lattice = lattice_of(coding);
    wire::Header header_a;
    wire::Header header_b;
    if (Status s = check(a, count, coding, lattice, header_a); !s) return {s, 0};
    if (Status s = check(b, count, coding, lattice, header_b); !s) return {s, 0};
    const double error = error_of(coding.op, header_a.error, header_b.error);
    if (header_a.scaled())
      return finish_scaled(scaled::add<T>(k_, a, b, error, count, coding, out), count, coding, out);
    Reader reader_a(a, count, lattice.step > 0, sizeof(T));
    Reader reader_b(b, count, lattice.step > 0, sizeof(T));
    MaskedBlock<T> block_a;
    MaskedBlock<T> block_b;
    Stages stages(k_, Writer(out, count));
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      Packed in_a;
      Packed in_b;
      if (!reader_a.next(n, in_a)) return {reader_a.problem(), 0};
      if (!reader_b.next(n, in_b)) return {reader_b.problem(), 0};
      if (!add_blocks(in_a, in_b, n, coding, lattice.step, block_a, block_b, stages)) return {Reader::bad_block(), 0};
    }
    if (Status s = reader_a.finish(); !s) return {s, 0};
    if (Status s = reader_b.finish(); !s) return {s, 0};
    return finish_combined(stages, count, coding, lattice, error, out);
  }

  // False when the block is not valid.
  template <class T>
  [[gnu::noinline]] bool decode_points_or_numbers(const Packed& in, std::size_t n, double step, double divisor,
                                                  MaskedBlock<T>& block, T* x) const {
    if (!block.read(k_, in, n)) return false;
    block.decode(k_, n, step, divisor, x);
    return true;
  }

  template <class T>
  Status decode_as(Frame frame, T* x, std::size_t count, const Coding& coding) const {
    wire::Header header;
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    if (Status s = check_decoded(header, coding); !s) return s;
    if (header.scaled()) return scaled::decode(k_, frame, x, count, coding);
    Reader reader(frame, count, header.step > 0, sizeof(T));
    MaskedBlock<T> block;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      Packed in;
      if (!reader.next(n, in)) return reader.problem();
      if (decode_whole(in, n, header.step, coding, x + i)) continue;
      if (!decode_points_or_numbers(in, n, header.step, coding.divisor, block, x + i)) return Reader::bad_block();
    }
    if (coding.streaming && k_.blocks.settle) k_.blocks.settle();
    return reader.finish();
  }

  // Reads and checks the header of a frame to be combined.
  Status check(Frame frame, std::size_t count, const Coding& coding, const Lattice& lattice,
               wire::Header& header) const {
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    return check_combined(header, coding, lattice);
  }

  // error: that of the combined frames and numbers.
  Coded finish_combined(Stages& stages, std::size_t count, const Coding& coding, const Lattice& lattice, double error,
                        Blob out) const {
    error = error_of(Op::sum, error, error_of_rounding(coding, lattice));
    return finish(stages.writer().end(), count, coding, step_of_frames(coding, lattice), error, out);
  }

  Coded finish_scaled(const scaled::Payload& payload, std::size_t count, const Coding& coding, Blob out) const {
    if (!payload.status.ok()) return {payload.status, 0};
    return finish(payload.end, count, coding, 1, payload.error, out, wire::flag_scaled);
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
