// SPDX-License-Identifier: BSD-3-Clause
// Blocks in which some numbers are exceptions: they have no lattice point (NaN, infinities, fill values) and keep their
// bits, while all others are on the lattice.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/combine.hpp"
#include "codec/quant/exceptions.hpp"
#include "codec/quant/numbers.hpp"

namespace laconic::quant {

// Exceptions take at most the 8 bytes that their points would in the far block, whose last sub-blocks may be partial.
inline constexpr std::size_t largest_masked_block =
    largest_masks + sizeof(Entry) + largest_far_block + 2 * 4 * sub_values;
static_assert(largest_masked_block / 2 < 1u << 13, "its size fits an entry");

// The numbers that are not within `limit` after multiplication by `inverse`.
inline void find_beyond(const Kernels& k, const float* x, std::size_t n, double inverse, double limit, Mask& mask) {
  k.masks.beyond_f32(x, n, inverse, limit, mask);
}
inline void find_beyond(const Kernels& k, const double* x, std::size_t n, double inverse, double limit, Mask& mask) {
  k.masks.beyond_f64(x, n, inverse, limit, mask);
}

// A block of numbers, with points where they have some.
template <class T>
class MaskedBlock {
 public:
  enum class Form : std::uint8_t {
    points,   // every number has a point
    masked,   // those outside of the mask have
    numbers,  // none has
  };

  Form form() const { return form_; }
  bool has_points() const { return form_ != Form::numbers; }

  // The block has points unless its form is numbers.  The mask is valid in form masked.  The numbers are those of the
  // exceptions, or all in form numbers.
  const AnyPoints& points() const { return points_; }
  const Mask& mask() const { return mask_; }
  const T* numbers() const { return numbers_; }

  // Makes a block of n points, which get(points) sets, of which `exceptions` (or none, if null) are not.
  template <class Get>
  void take_points(const Kernels& k, const Exceptions* exceptions, std::size_t n, Get&& get) {
    get(points_);
    form_ = exceptions == nullptr ? Form::points : Form::masked;
    if (exceptions == nullptr) return;
    mask_ = exceptions->mask;
    exceptions->get(k, n, numbers_);
    clear_exceptions(k, n);
  }

  // Makes a block without points; the caller writes its numbers to the result.
  T* take_numbers() {
    form_ = Form::numbers;
    return numbers_;
  }

  // Reads a block; false when it is not valid.
  bool read(const Kernels& k, const Packed& in, std::size_t n) {
    return read_with(k, in, n, [&](AnyPoints& points, const Packed& part, std::size_t count) {
      return points.read(k, part, count);
    });
  }

  // Rounds own numbers, as far as they have points; wide: the same in the type that kernels take.
  template <class W>
  void round(const Kernels& k, const T* x, const W* wide, std::size_t n, const Lattice& lattice) {
    form_ = Form::points;
    if (!points_.round(k, wide, n, lattice)) return round_some(k, x, wide, n, lattice);
    // Where nothing is added, they may be smaller.
    if (points_.far) std::memcpy(static_cast<void*>(numbers_), x, n * sizeof(T));
  }

  // The same for numbers that are known not to have points all.
  template <class W>
  void round_some(const Kernels& k, const T* x, const W* wide, std::size_t n, const Lattice& lattice) {
    form_ = Form::numbers;
    std::memcpy(static_cast<void*>(numbers_), x, n * sizeof(T));
    if (lattice.step == 0) return;
    find_points(k, wide, n, lattice);
    settle(n);
  }

  // Where one of two numbers is an exception, the result is one: of the exception and the number that the other's point
  // stands for, also where that is an own number.  So it does not matter which number was in a frame.
  void combine_with(const Kernels& k, Op op, MaskedBlock& other, std::size_t n, double step) {
    if (form_ == Form::points && other.form_ == Form::points) return points_.combine_with(k, op, other.points_, n);
    T memory[2][block_values];
    const T* mine = all_numbers(k, n, step, memory[0]);
    const T* others = other.all_numbers(k, n, step, memory[1]);
    if (!has_points() || !other.has_points()) {
      if (mine != numbers_) std::memcpy(static_cast<void*>(numbers_), mine, n * sizeof(T));
      combine(op, numbers_, others, n);
      form_ = Form::numbers;
      return;
    }
    if (form_ == Form::points) mask_.clear();
    if (other.form_ == Form::masked)
      for (unsigned w = 0; w < mask_words; ++w) mask_.words[w] |= other.mask_.words[w];
    T exceptions[2][block_values];
    k.masks.take(mine, sizeof(T), mask_, n, exceptions[0]);
    k.masks.take(others, sizeof(T), mask_, n, exceptions[1]);
    combine(op, exceptions[0], exceptions[1], mask_.count());
    k.masks.put(exceptions[0], sizeof(T), mask_, n, numbers_);
    points_.combine_with(k, op, other.points_, n);
    clear_exceptions(k, n);
    settle(n);
  }

  // Rounds the points of a result to multiples of 2^coarser, and divides them by it.
  void coarsen(std::uint32_t coarser, std::size_t n) {
    if (has_points()) points_.coarsen(coarser, n);
  }

  // Writes the block.  smallest: nothing was combined, and a masked or far block that is not smaller than its numbers
  // becomes raw.
  Entry write(const Kernels& k, std::size_t n, bool smallest, std::byte* out) {
    if (form_ == Form::numbers) return write_all(k, n, out);
    const Entry entry = write_points(
        k, n, out, [&](AnyPoints& points, std::size_t count, std::byte* at) { return points.pack(k, count, at); });
    if (!smallest || !is_compound(entry) || bytes_of(entry) < n * sizeof(T)) return entry;
    form_ = Form::numbers;
    return write_all(k, n, out);
  }

  // Makes the block one without points where write() would, to write the smallest.
  void leave_lattice_if_larger(const Kernels& k, std::size_t n) {
    std::byte unused[largest_masked_block + store_slack];
    if (form_ == Form::masked) write(k, n, true, unused);
  }

  // Writes a block without points: only what differs is written, unless that is not smaller.
  Entry write_all(const Kernels& k, std::size_t n, std::byte* out) const {
    std::size_t values = 1;
    for (std::size_t i = 1; i < n; ++i) values += same_bits(numbers_[i], numbers_[i - 1]) ? 0 : 1;
    if (values > 1 && values < n) {
      Mask all;
      all.clear();
      all.add(0, static_cast<unsigned>(n));
      const std::size_t bytes = write_exceptions(k, all, numbers_, n, out);
      if (bytes < n * sizeof(T)) return make_entry(Kind::fill, bytes);
    }
    return write_numbers(numbers_, n, out);
  }

  // Writes a block without points as frames without a lattice hold it.
  Entry write_plain(std::size_t n, std::byte* out) const { return write_numbers(numbers_, n, out); }

  void decode(const Kernels& k, std::size_t n, double step, double divisor, T* x) const {
    if (form_ == Form::numbers) return divide_block(numbers_, n, divisor, x);
    points_.decode(k, n, step, divisor, x);
    if (form_ != Form::masked) return;
    T quotients[block_values];
    if (divisor != 1) divide_block(numbers_, n, divisor, quotients);
    k.masks.copy(divisor != 1 ? quotients : numbers_, sizeof(T), mask_, n, x);
  }

 protected:
  // Writes a block with points: put(points, count, out) those of its numbers that are no exceptions.
  template <class Put>
  Entry write_points(const Kernels& k, std::size_t n, std::byte* out, Put&& put) {
    if (form_ == Form::points) return put(points_, n, out);
    std::size_t at = write_exceptions(k, mask_, numbers_, n, out);
    AnyPoints front;
    gather(k, n, front);
    const Entry inner = put(front, n - mask_.count(), out + at + sizeof(Entry));
    std::memcpy(out + at, &inner, sizeof inner);
    at += sizeof inner + bytes_of(inner);
    return make_entry(Kind::fill, at);
  }

  // The inverse, for any block: get(points, in, count) reads points.
  template <class Get>
  bool read_with(const Kernels& k, const Packed& in, std::size_t n, Get&& get) {
    if (is_masked(in)) return read_masked(k, in, n, get);
    form_ = quant::has_points(in) ? Form::points : Form::numbers;
    if (has_points()) return get(points_, in, n);
    read_numbers(in, n, numbers_);
    return true;
  }

  // Turns masks of none or all of the numbers into the other forms.
  void settle(std::size_t n) {
    const std::size_t exceptions = mask_.count();
    form_ = exceptions == 0 ? Form::points : exceptions == n ? Form::numbers : Form::masked;
  }

  void clear_exceptions(const Kernels& k, std::size_t n) {
    static constexpr Points zeros{};
    k.masks.copy(zeros.q, sizeof zeros.q[0], mask_, n, points_.points.q);
    if (points_.far) k.masks.copy(zeros.q, sizeof zeros.q[0], mask_, n, points_.high.q);
  }

  // Sets `far` where the point has 64 bits.
  template <class W>
  static bool find_point(W x, const Lattice& lattice, std::uint64_t& q, bool& far) {
    std::int32_t near = 0;
    if (quantise(x, lattice, near)) {
      q = static_cast<std::uint64_t>(static_cast<std::int64_t>(near));
      return true;
    }
    if (!(lattice.largest_far > 0 && quantise_far(x, lattice, q))) return false;
    far = true;
    return true;
  }

  // Finds the points of numbers that do not all have one.  First a test that no number with a point fails: if all that
  // pass it have one, kernels find them.
  template <class W>
  void find_points(const Kernels& k, const W* x, std::size_t n, const Lattice& lattice) {
    const double limit = std::max(lattice.largest, lattice.largest_far) * (1 + 0x1p-20) + 1;
    find_beyond(k, x, n, lattice.inverse, limit, mask_);
    const std::size_t left = n - mask_.count();
    if (left == 0) return;
    if (left < n) {
      W kept[block_values];
      k.masks.take(x, sizeof(W), mask_.others(n), n, kept);
      AnyPoints front;
      if (front.round(k, kept, left, lattice)) return spread(k, front, n);
    }
    points_.far = false;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t q = 0;
      if (!mask_.has(i) && !find_point(x[i], lattice, q, points_.far)) mask_.add(i);
      if (mask_.has(i)) q = 0;
      points_.points.q[i] = low_of(q);
      points_.high.q[i] = high_of(q);
    }
  }

  // Moves the points of the other numbers from the front of a block to their places, and back.
  void spread(const Kernels& k, const AnyPoints& front, std::size_t n) {
    const Mask others = mask_.others(n);
    points_.far = front.far;
    k.masks.put(front.points.q, sizeof front.points.q[0], others, n, points_.points.q);
    if (front.far) k.masks.put(front.high.q, sizeof front.high.q[0], others, n, points_.high.q);
  }
  void gather(const Kernels& k, std::size_t n, AnyPoints& front) const {
    const Mask others = mask_.others(n);
    front.far = points_.far;
    k.masks.take(points_.points.q, sizeof front.points.q[0], others, n, front.points.q);
    if (front.far) k.masks.take(points_.high.q, sizeof front.high.q[0], others, n, front.high.q);
  }

  // All numbers, in numbers_ or in `memory`.
  const T* all_numbers(const Kernels& k, std::size_t n, double step, T* memory) const {
    if (form_ == Form::numbers) return numbers_;
    decode(k, n, step, 1, memory);
    return memory;
  }

  template <class Get>
  bool read_masked(const Kernels& k, const Packed& in, std::size_t n, Get&& get) {
    const std::byte* at = in.body;
    const std::byte* end = in.body + bytes_of(in.entry);
    Exceptions exceptions;
    if (!read_exceptions(at, end, n, sizeof(T), exceptions)) return false;
    exceptions.get(k, n, numbers_);
    form_ = exceptions.count == n ? Form::numbers : Form::masked;
    if (form_ == Form::numbers) return at == end;
    mask_ = exceptions.mask;
    Entry inner;
    if (static_cast<std::size_t>(end - at) < sizeof inner) return false;
    std::memcpy(&inner, at, sizeof inner);
    at += sizeof inner;
    const Packed rest{inner, at, in.end};
    AnyPoints front;
    if (bytes_of(inner) != static_cast<std::size_t>(end - at) || !quant::has_points(rest) ||
        !get(front, rest, n - exceptions.count))
      return false;
    spread(k, front, n);
    return true;
  }

  Form form_ = Form::numbers;
  AnyPoints points_;         // 0 for exceptions
  Mask mask_;                // in form masked: the exceptions
  T numbers_[block_values];  // of exceptions or, in form numbers, all
};

}  // namespace laconic::quant
