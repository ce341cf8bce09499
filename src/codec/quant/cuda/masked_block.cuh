// SPDX-License-Identifier: BSD-3-Clause
// Blocks that are not simply on the lattice: far and masked blocks (docs/wire-format.md), and raw and fill blocks
// beside a lattice.  They are rare, and made as far_block.cuh says.  The bytes are those of MaskedBlock on the host.
#pragma once

#include "codec/quant/cuda/far_block.cuh"
#include "codec/quant/mask.hpp"

namespace laconic::quant::cuda {

static_assert(mask_words == warp_lanes && mask_word_bits == lane_values, "a lane has a word of a mask");

// The lane's share of a block.
template <class T>
struct AnyLane {
  FarLane points;          // 0 for exceptions
  T numbers[lane_values];  // of exceptions; where own numbers were rounded, all
  std::uint32_t mask;      // the exceptions
  bool far;                // the same on all lanes
};

// The entry of the block and whether own numbers were rounded for it, or the problem that its input has.
struct AnyEntry {
  Entry entry = zero_block;
  bool rounded = false;
  Problem problem = Problem::none;
};

// The lane's numbers that a block of n has.
__device__ inline std::uint32_t present(unsigned n) {
  const unsigned first = lane_index() * lane_values;
  const unsigned left = n > first ? n - first : 0;
  return left >= lane_values ? ~0u : (1u << left) - 1;
}

// Moves the points between the lanes' numbers that are no exceptions and the front of the block.  v: those of the lane.
__device__ LACONIC_NO_INLINE inline void spread(std::uint32_t mask, unsigned n, WarpMemory& memory,
                                                std::uint32_t (&v)[lane_values]) {
  std::uint32_t all;
  const std::uint32_t has = present(n) & ~mask;
  std::uint32_t next = sum_before(static_cast<std::uint32_t>(__popc(has)), all);
  __syncwarp();
  store_points(v, memory.words);
  __syncwarp();
  for (unsigned i = 0; i < lane_values; ++i) v[i] = (has >> i & 1) != 0 ? memory.point(next++) : 0;
  __syncwarp();
}
__device__ LACONIC_NO_INLINE inline void gather(std::uint32_t mask, unsigned n, WarpMemory& memory,
                                                const std::uint32_t (&v)[lane_values],
                                                std::uint32_t (&front)[lane_values]) {
  std::uint32_t all;
  const std::uint32_t has = present(n) & ~mask;
  std::uint32_t next = sum_before(static_cast<std::uint32_t>(__popc(has)), all);
  __syncwarp();
  for (unsigned i = 0; i < lane_values; ++i)
    if ((has >> i & 1) != 0) memory.point(next++) = v[i];
  for (unsigned i = all + lane_index(); i < block_values; i += warp_lanes) memory.point(i) = 0;
  __syncwarp();
  load_points(memory.words, front);
  __syncwarp();
}

// The parts of the body of a masked block, in bytes from its beginning.
struct MaskedParts {
  bool good;
  unsigned exceptions;
  unsigned values;
  unsigned inner;
};

// Reads the masks, of which the lane gets its word and the number of its first exception's value.
__device__ LACONIC_NO_INLINE inline MaskedParts fetch_masks(Entry entry, const std::byte* body, unsigned n,
                                                            unsigned number_bytes, WarpMemory& memory,
                                                            std::uint32_t& mask) {
  MaskedParts parts{};
  __syncwarp();
  if (lane_index() == 0) {
    const std::byte* at = body + masked_head_bytes;
    const std::byte* end = body + bytes_of(entry);
    Mask exceptions;
    Mask changes;
    parts.exceptions = load_bits<std::uint16_t>(body);
    parts.good = read_mask(at, end, n, exceptions) && exceptions.count() == parts.exceptions &&
                 read_mask(at, end, parts.exceptions - 1, changes);
    if (parts.good) {
      parts.values = static_cast<unsigned>(at - body + (at - body) % 2);
      const unsigned bytes = (1 + changes.count()) * number_bytes;
      parts.inner = parts.values + bytes;
      parts.good = parts.inner <= bytes_of(entry);
      for (unsigned w = 0; w < mask_words; ++w) {
        memory.words[w] = exceptions.words[w];
        memory.words[mask_words + w] = changes.words[w];
      }
    }
  }
  __syncwarp();
  parts.good = __shfl_sync(all_lanes, parts.good ? 1u : 0u, 0) != 0;
  parts.exceptions = __shfl_sync(all_lanes, parts.exceptions, 0);
  parts.values = __shfl_sync(all_lanes, parts.values, 0);
  parts.inner = __shfl_sync(all_lanes, parts.inner, 0);
  mask = parts.good ? memory.words[lane_index()] : 0;
  return parts;
}

template <class T>
__device__ LACONIC_NO_INLINE bool fetch_masked(Entry entry, const std::byte* body, unsigned n, WarpMemory& memory,
                                               AnyLane<T>& block) {
  const MaskedParts parts = fetch_masks(entry, body, n, sizeof(T), memory, block.mask);
  if (!parts.good) return false;
  std::uint32_t all;
  std::uint32_t exception = sum_before(static_cast<std::uint32_t>(__popc(block.mask)), all);
  // The changes up to an exception say which value it has.
  const std::uint32_t* changes = memory.words + mask_words;
  unsigned value = 0;
  for (unsigned k = 0; k + 1 < exception; ++k) value += changes[k / mask_word_bits] >> k % mask_word_bits & 1;
  for (unsigned i = 0; i < lane_values; ++i) {
    if ((block.mask >> i & 1) == 0) continue;
    if (exception > 0) value += changes[(exception - 1) / mask_word_bits] >> (exception - 1) % mask_word_bits & 1;
    block.numbers[i] = std::bit_cast<T>(load_bits<BitsOf<T>>(body + parts.values + value * sizeof(T)));
    ++exception;
  }
  __syncwarp();
  for (unsigned i = 0; i < lane_values; ++i) block.points.low[i] = block.points.high[i] = 0;
  block.far = false;
  const std::byte* at = body + parts.inner;
  const unsigned left = static_cast<unsigned>(bytes_of(entry)) - parts.inner;
  if (parts.exceptions == n) return left == 0;
  if (left < sizeof(Entry)) return false;
  const Entry inner = load_bits<Entry>(at);
  at += sizeof(Entry);
  block.far = is_compound(inner);
  if (bytes_of(inner) != left - sizeof(Entry) || !needs_lattice(inner) ||
      !fetch_far(inner, at, n - parts.exceptions, memory, block.points))
    return false;
  spread(block.mask, n, memory, block.points.low);
  if (block.far) spread(block.mask, n, memory, block.points.high);
  return true;
}

// Reads any block; false, on all lanes, when it is not valid.
template <class T>
__device__ LACONIC_NO_INLINE bool fetch_any(Entry entry, const std::byte* body, unsigned n, WarpMemory& memory,
                                            AnyLane<T>& block) {
  block.far = false;
  block.mask = 0;
  if (is_compound(entry) && load_bits<std::uint16_t>(body) != 0) return fetch_masked(entry, body, n, memory, block);
  if (needs_lattice(entry)) {
    block.far = is_compound(entry);
    return fetch_far(entry, body, n, memory, block.points);
  }
  const FrameNumbers<T> numbers{body, kind_of(entry) == Kind::fill};
  block.mask = present(n);
  for (unsigned i = 0; i < lane_values; ++i) {
    block.points.low[i] = block.points.high[i] = 0;
    if ((block.mask >> i & 1) != 0) block.numbers[i] = numbers(lane_index() * lane_values + i);
  }
  return true;
}

// Rounds own numbers, as far as they have points.
template <class T>
__device__ LACONIC_NO_INLINE void round_any(const T* numbers, unsigned n, const Lattice& lattice, AnyLane<T>& block) {
  using Wide = std::conditional_t<sizeof(T) == 8, double, float>;
  block.mask = 0;
  bool far = false;
  for (unsigned i = 0; i < lane_values; ++i) {
    block.points.low[i] = block.points.high[i] = 0;
    const unsigned at = lane_index() * lane_values + i;
    if (at >= n) continue;
    block.numbers[i] = numbers[at];
    const Wide x = static_cast<Wide>(numbers[at]);
    std::int32_t q = 0;
    std::uint64_t far_q = 0;
    if (quantise(x, lattice, q)) {
      far_q = static_cast<std::uint64_t>(static_cast<std::int64_t>(q));
    } else if (lattice.largest_far > 0 && quantise_far(x, lattice, far_q)) {
      far = true;
    } else {
      block.mask |= 1u << i;
      continue;
    }
    block.points.low[i] = static_cast<std::uint32_t>(low_of(far_q));
    block.points.high[i] = static_cast<std::uint32_t>(high_of(far_q));
  }
  block.far = __any_sync(all_lanes, far) != 0;
}

template <class T>
__device__ inline unsigned count_exceptions(const AnyLane<T>& block) {
  return __reduce_add_sync(all_lanes, static_cast<unsigned>(__popc(block.mask)));
}

// The number of the lane that a point stands for.
template <class T>
__device__ inline T number_of_lane(const AnyLane<T>& block, unsigned i, double step, double divisor) {
  const auto low = static_cast<std::int32_t>(block.points.low[i]);
  return block.far ? dequantise_far<T>(low, static_cast<std::int32_t>(block.points.high[i]), step, divisor)
                   : dequantise<T>(low, step, divisor);
}

// into = into op other.  coarser: 0, or the points are a result that is rounded to multiples of 2^coarser.
template <class T>
__device__ LACONIC_NO_INLINE void combine_any(Op op, std::uint32_t coarser, double step, AnyLane<T>& into,
                                              const AnyLane<T>& other) {
  const std::uint32_t mask = into.mask | other.mask;
  const bool far = into.far || other.far;
  for (unsigned i = 0; i < lane_values; ++i) {
    const auto value = [&](const AnyLane<T>& block) {
      return (block.mask >> i & 1) != 0 ? block.numbers[i] : number_of_lane(block, i, step, 1);
    };
    const auto point = [&](const AnyLane<T>& block) {
      const auto low = static_cast<std::int32_t>(block.points.low[i]);
      return block.far ? far_point(low, static_cast<std::int32_t>(block.points.high[i]))
                       : static_cast<std::uint64_t>(static_cast<std::int64_t>(low));
    };
    std::uint64_t q = 0;
    if ((mask >> i & 1) != 0) {
      into.numbers[i] = combine(op, value(into), value(other));
    } else {
      const std::uint64_t a = point(into);
      const std::uint64_t b = point(other);
      const bool greater = static_cast<std::int64_t>(a) > static_cast<std::int64_t>(b);
      q = op == Op::sum ? a + b : (op == Op::max) == greater ? a : b;
      if (coarser > 0)
        q = far ? coarse_far_point(q, coarser)
                : static_cast<std::uint64_t>(static_cast<std::int64_t>(coarse_point(low_of(q), coarser)));
    }
    into.points.low[i] = static_cast<std::uint32_t>(low_of(q));
    into.points.high[i] = static_cast<std::uint32_t>(high_of(q));
  }
  into.mask = mask;
  into.far = far;
}

// The value of the nearest lane before this one that has one, or this lane's where none has.
template <class Bits>
__device__ inline Bits last_before(Bits last, bool has) {
  const unsigned before = __ballot_sync(all_lanes, has ? 1 : 0) & ((1u << lane_index()) - 1);
  const unsigned from = before == 0 ? lane_index() : static_cast<unsigned>(std::bit_width(before)) - 1;
  const auto wide = static_cast<std::uint64_t>(last);
  const std::uint32_t low = __shfl_sync(all_lanes, static_cast<std::uint32_t>(wide), static_cast<int>(from));
  const std::uint32_t high = __shfl_sync(all_lanes, static_cast<std::uint32_t>(wide >> 32), static_cast<int>(from));
  return static_cast<Bits>(static_cast<std::uint64_t>(high) << 32 | low);
}

// Writes the body of a masked block up to the block of points, to `out` unless that is null, and returns its size.
template <class T>
__device__ LACONIC_NO_INLINE unsigned put_exceptions(const AnyLane<T>& block, unsigned n, WarpMemory& memory,
                                                     std::byte* out) {
  using Bits = BitsOf<T>;
  const unsigned lane = lane_index();
  std::uint32_t exceptions;
  const std::uint32_t first = sum_before(static_cast<std::uint32_t>(__popc(block.mask)), exceptions);
  Bits last = 0;
  for (unsigned i = 0; i < lane_values; ++i)
    if ((block.mask >> i & 1) != 0) last = std::bit_cast<Bits>(block.numbers[i]);
  Bits before = last_before(last, block.mask != 0);
  std::uint32_t changes = 0;  // the lane's exceptions that are written
  std::uint32_t exception = first;
  for (unsigned i = 0; i < lane_values; ++i) {
    if ((block.mask >> i & 1) == 0) continue;
    const auto bits = std::bit_cast<Bits>(block.numbers[i]);
    if (exception == 0 || bits != before) changes |= 1u << i;
    before = bits;
    ++exception;
  }
  std::uint32_t values;
  std::uint32_t value = sum_before(static_cast<std::uint32_t>(__popc(changes)), values);
  __syncwarp();
  memory.words[lane] = block.mask;
  memory.words[mask_words + lane] = 0;
  __syncwarp();
  for (unsigned turn = 0; turn < warp_lanes; ++turn) {  // neighbours may share a word
    exception = first;
    for (unsigned i = 0; i < lane_values && turn == lane; ++i) {
      if ((block.mask >> i & 1) == 0) continue;
      if ((changes >> i & 1) != 0 && exception > 0)
        memory.words[mask_words + (exception - 1) / mask_word_bits] |= 1u << (exception - 1) % mask_word_bits;
      ++exception;
    }
    __syncwarp();
  }
  unsigned at = 0;
  if (lane == 0) {
    Mask mask;
    at = masked_head_bytes;
    for (unsigned w = 0; w < mask_words; ++w) mask.words[w] = memory.words[w];
    at += write_mask(mask, n, out == nullptr ? nullptr : out + at);
    for (unsigned w = 0; w < mask_words; ++w) mask.words[w] = memory.words[mask_words + w];
    at += write_mask(mask, exceptions - 1, out == nullptr ? nullptr : out + at);
    if (at % 2 != 0) {
      if (out != nullptr) out[at] = std::byte{0};
      ++at;
    }
    if (out != nullptr) *reinterpret_cast<std::uint16_t*>(out) = static_cast<std::uint16_t>(exceptions);
  }
  at = __shfl_sync(all_lanes, at, 0);
  for (unsigned i = 0; i < lane_values && out != nullptr; ++i) {
    if ((changes >> i & 1) == 0) continue;
    const auto bits = std::bit_cast<Bits>(block.numbers[i]);
    auto* halves = reinterpret_cast<std::uint16_t*>(out + at + value * sizeof(T));
    for (unsigned k = 0; k < sizeof(T) / 2; ++k) halves[k] = static_cast<std::uint16_t>(bits >> 16 * k);
    ++value;
  }
  __syncwarp();
  return at + values * static_cast<unsigned>(sizeof(T));
}

template <class T>
__device__ LACONIC_NO_INLINE Entry put_masked(const AnyLane<T>& block, unsigned n, unsigned exceptions,
                                              WarpMemory& memory, std::byte* out) {
  unsigned at = put_exceptions(block, n, memory, out);
  FarLane front;
  gather(block.mask, n, memory, block.points.low, front.low);
  if (block.far) gather(block.mask, n, memory, block.points.high, front.high);
  std::byte* body = out == nullptr ? nullptr : out + at + sizeof(Entry);
  const Entry inner =
      block.far ? put_far(front, n - exceptions, memory, body) : put_part(front.low, n - exceptions, memory, body);
  if (out != nullptr && lane_index() == 0) *reinterpret_cast<std::uint16_t*>(out + at) = inner;
  at += static_cast<unsigned>(sizeof(Entry) + bytes_of(inner));
  return make_entry(Kind::fill, at);
}

// Writes a block without points, all of whose numbers are in `numbers`.
template <class T>
__device__ LACONIC_NO_INLINE Entry put_all(const AnyLane<T>& block, unsigned n, WarpMemory& memory, std::byte* out) {
  const auto number = [&](unsigned i) { return block.numbers[i % lane_values]; };
  const Entry plain = put_lane_numbers<T>(n, nullptr, number);
  if (kind_of(plain) == Kind::raw) {
    const unsigned bytes = put_exceptions(block, n, memory, nullptr);
    if (bytes < n * sizeof(T)) {
      if (out != nullptr) put_exceptions(block, n, memory, out);
      return make_entry(Kind::fill, bytes);
    }
  }
  return put_lane_numbers<T>(n, out, number);
}

// Writes a block with points to `out` unless that is null.
template <class T>
__device__ LACONIC_NO_INLINE Entry put_points(AnyLane<T>& block, unsigned n, unsigned exceptions, WarpMemory& memory,
                                              std::byte* out) {
  if (exceptions > 0) return put_masked(block, n, exceptions, memory, out);
  return block.far ? put_far(block.points, n, memory, out) : put_part(block.points.low, n, memory, out);
}

// Writes any block to `out` unless that is null.  smallest: as in MaskedBlock::write().
template <class T>
__device__ LACONIC_NO_INLINE Entry put_any(AnyLane<T>& block, unsigned n, bool smallest, WarpMemory& memory,
                                           std::byte* out) {
  const unsigned exceptions = count_exceptions(block);
  if (exceptions < n) {
    if (!smallest || (exceptions == 0 && !block.far)) return put_points(block, n, exceptions, memory, out);
    const Entry entry = put_points(block, n, exceptions, memory, nullptr);
    if (bytes_of(entry) < n * sizeof(T)) return out == nullptr ? entry : put_points(block, n, exceptions, memory, out);
  }
  block.mask = present(n);
  return put_all(block, n, memory, out);
}

// A block of own numbers.
template <class T>
__device__ LACONIC_NO_INLINE AnyEntry encode_any(const T* numbers, unsigned n, bool smallest, const Lattice& lattice,
                                                 WarpMemory& memory, std::byte* out) {
  AnyLane<T> block;
  round_any(numbers, n, lattice, block);
  const Entry entry = put_any(block, n, smallest, memory, out);
  return {entry, count_exceptions(block) < n, Problem::none};
}

// The combination of a block and own numbers.
template <class T>
__device__ LACONIC_NO_INLINE AnyEntry fold_any(Entry entry, const std::byte* body, const T* numbers, unsigned n, Op op,
                                               std::uint32_t coarser, const Lattice& lattice, WarpMemory& memory,
                                               std::byte* out) {
  AnyLane<T> block;
  if (!fetch_any(entry, body, n, memory, block)) return {zero_block, false, Problem::bad_block};
  AnyLane<T> own;
  round_any(numbers, n, lattice, own);
  combine_any(op, coarser, lattice.step, block, own);
  return {put_any(block, n, false, memory, out), count_exceptions(own) < n, Problem::none};
}

// The combination of two blocks.
template <class T>
__device__ LACONIC_NO_INLINE AnyEntry add_any(const InBlock& a, const InBlock& b, unsigned n, Op op,
                                              std::uint32_t coarser, double step, WarpMemory& memory, std::byte* out) {
  AnyLane<T> block;
  AnyLane<T> other;
  if (!fetch_any(a.entry, a.body, n, memory, block)) return {zero_block, false, Problem::bad_block};
  if (!fetch_any(b.entry, b.body, n, memory, other)) return {zero_block, false, Problem::bad_block};
  const bool exceptions = __any_sync(all_lanes, (block.mask | other.mask) != 0 ? 1 : 0) != 0;
  if (op == Op::sum && coarser == 0 && !exceptions && (a.entry == zero_block || b.entry == zero_block)) {
    // The other block stays as it is, byte for byte.
    const InBlock kept = choose(a.entry == zero_block, b, a);
    const auto* from = reinterpret_cast<const std::uint16_t*>(kept.body);
    auto* to = reinterpret_cast<std::uint16_t*>(out);
    for (unsigned k = lane_index(); out != nullptr && k < bytes_of(kept.entry) / 2; k += warp_lanes) to[k] = from[k];
    return {kept.entry, false, Problem::none};
  }
  combine_any(op, coarser, step, block, other);
  return {put_any(block, n, false, memory, out), false, Problem::none};
}

// The combination of the blocks block_of(0), block_of(1), ... and, after the first of them, of own numbers, unless they
// are null.
template <class T, class BlockOf>
__device__ LACONIC_NO_INLINE AnyEntry combine_any_blocks(unsigned blocks, const BlockOf& block_of, const T* numbers,
                                                         unsigned n, Op op, std::uint32_t coarser,
                                                         const Lattice& lattice, WarpMemory& memory, std::byte* out) {
  AnyLane<T> block;
  AnyLane<T> other;
  bool rounded = false;
  // Only the result is rounded to a coarser lattice.
  unsigned left = blocks - (numbers == nullptr ? 1 : 0);
  for (unsigned k = 0; k < blocks; ++k) {
    const InBlock in = block_of(k);
    if (in.problem != Problem::none) return {zero_block, false, in.problem};
    if (!fetch_any(in.entry, in.body, n, memory, k == 0 ? block : other))
      return {zero_block, false, Problem::bad_block};
    if (k > 0) combine_any(op, --left == 0 ? coarser : 0, lattice.step, block, other);
    if (k > 0 || numbers == nullptr) continue;
    round_any(numbers, n, lattice, other);
    rounded = count_exceptions(other) < n;
    combine_any(op, --left == 0 ? coarser : 0, lattice.step, block, other);
  }
  return {put_any(block, n, false, memory, out), rounded, Problem::none};
}

}  // namespace laconic::quant::cuda
