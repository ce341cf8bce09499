// SPDX-License-Identifier: BSD-3-Clause
// Kernels that write the parts of frames.
//
// Each part is written to its final place, if no piece turns out to be raw unexpectedly, and leaves a verdict: the
// largest error in the part, or that its piece has to be raw.  settle_frames() (settle.cuh) then knows the places of
// the pieces.  Parts that were written to another place, or have to be raw, are written once more.
//
// No thread sets a bit in a word that another thread writes: the code of a block goes to words of its own in shared
// memory, and the words of the frame are assembled from there.  Where the code of a block is whole words, and the frame
// is suitably aligned, they are stored directly.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "codec/denormals.hpp"
#include "codec/device_codec.hpp"
#include "codec/zfp/cuda/numbers.cuh"
#include "codec/zfp/cuda/together.cuh"

namespace laconic::zfp {

// The arrays that one launch encodes, as a kernel receives them.
template <unsigned most>
struct Targets {
  Piece of[most];
  std::uint32_t count;
  std::uint32_t parts_of_each;  // the maximum over the arrays
};

// Sources: the numbers that a part encodes.  `number` is that of the thread block, for places of pieces.
struct OwnNumbers {
  __device__ bool there() const { return true; }
  __device__ void forget(std::uint32_t) const {}
  template <class T>
  __device__ Quad<T> load(const void* own, const PartAt& at, std::uint32_t, std::uint32_t, std::uint32_t n) const {
    return load_block(static_cast<const T*>(own) + at.first_number(threadIdx.x), n);
  }
};

struct FrameAndNumbers {
  OpenFrame frame;
  Op op;

  __device__ bool there() const { return *frame.fault == 0; }
  __device__ void forget(std::uint32_t number) const { frame.close(number); }
  template <class T>
  __device__ Quad<T> load(const void* own, const PartAt& at, std::uint32_t number, std::uint32_t block_bits,
                          std::uint32_t n) const {
    const Place place{frame.places[number]};
    const auto of_frame = read_block<T>(frame, place, block_bits, at.block_of_piece(threadIdx.x), n);
    return combine_blocks(op, of_frame, load_block(static_cast<const T*>(own) + at.first_number(threadIdx.x), n));
  }
};

struct TwoFrames {
  OpenFrame a;
  OpenFrame b;
  Op op;

  __device__ bool there() const { return *a.fault == 0 && *b.fault == 0; }
  __device__ void forget(std::uint32_t number) const {
    a.close(number);
    b.close(number);
  }
  template <class T>
  __device__ Quad<T> load(const void*, const PartAt& at, std::uint32_t number, std::uint32_t block_bits,
                          std::uint32_t n) const {
    const std::uint32_t block = at.block_of_piece(threadIdx.x);
    const auto of_a = read_block<T>(a, Place{a.places[number]}, block_bits, block, n);
    return combine_blocks(op, of_a, read_block<T>(b, Place{b.places[number]}, block_bits, block, n));
  }
};

// The code of the blocks of a part: word i of block b is at [i * part_blocks + b], so that neighbouring threads use
// different banks of shared memory.
template <class T>
struct CodeOfPart {
  std::uint32_t words[4 * width<T> / 32 * part_blocks];
};

// Returns 32 bits of the code, from bit `first` of the part on.
__device__ inline std::uint32_t code_word(const std::uint32_t* code, std::uint32_t first, std::uint32_t block_bits,
                                          std::uint32_t blocks) {
  std::uint32_t block = first / block_bits;
  std::uint32_t within = first - block * block_bits;
  std::uint32_t word = 0;
  for (std::uint32_t have = 0; have < 32 && block < blocks; ++block) {
    const std::uint32_t* at = code + within / 32 * part_blocks + block;
    const std::uint32_t shift = within % 32;
    const std::uint32_t there = block_bits - within;
    std::uint32_t bits = at[0] >> shift;
    if (shift > 0 && there > 32 - shift) bits |= at[part_blocks] << (32 - shift);
    word |= bits << have;
    have += there;
    within = 0;
  }
  return word;
}

// Stores the code, which has `bytes` bytes, to memory of any alignment.
__device__ inline void store_code(std::byte* to, std::uint32_t bytes, const std::uint32_t* code,
                                  std::uint32_t block_bits, std::uint32_t blocks) {
  const auto around = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(to) % 4);
  std::uint32_t before = (4 - around) % 4;
  if (before > bytes) before = bytes;
  const std::uint32_t words = (bytes - before) / 4;
  auto* const aligned = reinterpret_cast<std::uint32_t*>(to + before);
  for (std::uint32_t i = threadIdx.x; i < words; i += part_blocks)
    aligned[i] = code_word(code, 8 * before + 32 * i, block_bits, blocks);
  // These are the bytes at both ends, at most three each.
  const std::uint32_t edge = threadIdx.x < 4 ? threadIdx.x : before + 4 * words + threadIdx.x - 4;
  if (threadIdx.x < before || (threadIdx.x >= 4 && threadIdx.x < 8 && edge < bytes))
    to[edge] = static_cast<std::byte>(code_word(code, 8 * edge, block_bits, blocks) & 0xff);
}

template <class T>
__device__ inline T magnitude(T x) {
  return x < 0 ? -x : x;
}

// The conditions for a piece to be coded: no number is beyond `largest`, and none is denormal if denormals must be
// exact.
template <class T>
struct Limits {
  T largest;
  bool exact_denormals;
};

template <class T>
struct Judged {
  std::uint64_t verdict;

  static constexpr std::uint64_t raw = std::uint64_t{1} << 63;  // above the bits of every error

  // Judges n numbers against the numbers decoded from their code.
  __device__ Judged(const Quad<T>& x, const Quad<T>& back, std::uint32_t n, const Limits<T>& limits) : verdict(0) {
    judge(x.x, back.x, limits);
    if (n > 1) judge(x.y, back.y, limits);
    if (n > 2) judge(x.z, back.z, limits);
    if (n > 3) judge(x.w, back.w, limits);
  }

 private:
  __device__ void judge(T x, T back, const Limits<T>& limits) {
    const double error = magnitude(static_cast<double>(x) - static_cast<double>(back));
    const bool good = magnitude(x) <= limits.largest && magnitude(back) <= limits.largest &&  // false for NaN
                      !(limits.exact_denormals && is_denormal(x));
    const std::uint64_t mine = good ? std::bit_cast<std::uint64_t>(error) & ~raw : raw;
    verdict = mine > verdict ? mine : verdict;
  }
};

// Encodes a block into words that are `stride` apart and judges its decoded numbers.
template <class T>
__device__ inline std::uint64_t encode_and_judge(const Quad<T>& x, std::uint32_t n, std::uint32_t block_bits,
                                                 const Limits<T>& limits, std::uint32_t* words, std::uint32_t stride) {
  // A number that cannot be coded must not be converted to an integer either: 0 replaces it, as the piece will be raw.
  const auto clean = [&limits](T v) { return magnitude(v) <= limits.largest ? without_tiny(v) : T(0); };
  BitWriter out(words, stride);
  const Quad<T> back = encode_block(padded(each(x, clean), n), block_bits, out);
  return Judged<T>(x, back, n, limits).verdict;
}

template <class T>
__device__ inline void put_raw(const Quad<T>& x, std::uint32_t* words) {
  using Word = typename Traits<T>::Word;
  const Quad<Word> bits{std::bit_cast<Word>(x.x), std::bit_cast<Word>(x.y), std::bit_cast<Word>(x.z),
                        std::bit_cast<Word>(x.w)};
  BitWriter out(words, part_blocks);
  const auto put = [&out](Word word) {
    out.put(static_cast<std::uint32_t>(word), 32);
    if constexpr (sizeof(Word) == 8) out.put(static_cast<std::uint32_t>(word >> 32), 32);
  };
  put(bits.x), put(bits.y), put(bits.z), put(bits.w);
}

// The number of thread blocks per multiprocessor that leaves the compiler the registers that it needs.
template <class T>
inline constexpr unsigned resident = sizeof(T) == 4 ? 5 : 3;

// Two words for each of the `parts` parts of all targets.  Other kernels may have left anything in them, so each is
// written before it is read; they are 0 at the end.
struct PartWords {
  std::uint64_t* words;
  std::uint32_t parts;

  // The place of the piece, if the part has to be written once more, else 0.  After a fault no part has one.
  __device__ std::uint64_t& place(std::uint32_t part) const { return words[part]; }
  __device__ std::uint64_t& verdict(std::uint32_t part) const { return words[parts + part]; }
};

// Encodes with one thread block for each part.  again: writes the parts that have a place, and clears all words.
template <class T, class Source, unsigned most>
__global__ void __launch_bounds__(part_blocks, resident<T>)
    encode_parts(const __grid_constant__ Targets<most> targets, Source source, Shape shape, Limits<T> limits,
                 PartWords words, bool again) {
  LACONIC_SHARED(CodeOfPart<T>, code);
  const std::uint32_t number = blockIdx.x;
  const Piece& target = targets.of[number / targets.parts_of_each];
  const PartAt at(target.count, number % targets.parts_of_each);
  if (!again && (at.numbers == 0 || !source.there())) return;
  Place place;
  if (!again)
    place = Place::expected(shape, target.count, at.piece);
  else if (at.numbers > 0)
    place = {words.place(number)};
  const std::uint32_t n = at.in_block(threadIdx.x);
  Quad<T> x{0, 0, 0, 0};
  if (!place.nowhere() && n > 0) x = source.template load<T>(target.numbers, at, number, shape.block_bits, n);
  if (again) {
    __syncthreads();
    if (threadIdx.x == 0) {
      words.place(number) = words.verdict(number) = 0;
      source.forget(number);
    }
    if (place.nowhere()) return;
  }

  const bool raw = place.raw();
  const std::uint32_t block_bits = raw ? 4 * width<T> : shape.block_bits;
  std::byte* const to = target.out + place.offset() + at.part * shape.part_bytes(raw);
  const bool direct = !raw && block_bits % 32 == 0 && reinterpret_cast<std::uintptr_t>(to) % 4 == 0;
  std::uint64_t verdict = 0;
  if (n > 0) {
    if (raw) {
      put_raw(x, code.words + threadIdx.x);
    } else {
      std::uint32_t* const own =
          direct ? reinterpret_cast<std::uint32_t*>(to) + threadIdx.x * (block_bits / 32) : code.words + threadIdx.x;
      verdict = encode_and_judge(x, n, block_bits, limits, own, direct ? 1 : part_blocks);
    }
  }
  verdict = greatest_of_all(verdict);
  if (threadIdx.x == 0 && !again) words.verdict(number) = verdict;
  if (!direct) store_code(to, shape.bytes(at.numbers, raw), code.words, block_bits, at.blocks());
}

}  // namespace laconic::zfp
