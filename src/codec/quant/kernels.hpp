// SPDX-License-Identifier: BSD-3-Clause
// The loops of quant, one table per instruction set.  Every table computes the same bytes and bits as
// reference_kernels(), which is the specification in code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/status.hpp"
#include "codec/codec.hpp"
#include "codec/quant/format.hpp"
#include "codec/quant/mask.hpp"

namespace laconic::quant {

// Lattice points of one block.  The kernels read and write whole sub-blocks, and two values before the first.
struct alignas(64) Points {
  std::int32_t before[16];
  std::int32_t q[block_values];
};

// A block in a frame.  Kernels, which get those on the lattice except zero_block, may read up to `end`, beyond its
// body.
struct Packed {
  Entry entry;
  const std::byte* body;
  const std::byte* end;
};

inline bool has_first_word(const Packed& block, bool zero) {
  return is_compound(block.entry) && (block.body[0] == std::byte{0} && block.body[1] == std::byte{0}) == zero;
}
inline bool is_far(const Packed& block) { return has_first_word(block, true); }
inline bool is_masked(const Packed& block) { return has_first_word(block, false); }
// True if every number has a point.
inline bool has_points(const Packed& block) { return on_lattice(kind_of(block.entry)) || is_far(block); }

// A block that is packed but not yet written: the result of a table's functions for whole blocks, and the input of its
// put().
struct alignas(64) Staged {
  std::byte memory[4608];
  int exponent = 0;  // of a scaled block
};

// The bits that are set in any point of a block, and in any magnitude: in q, or in its complement where it is negative.
struct PointBits {
  std::uint32_t any;
  std::uint32_t magnitudes;
};

struct FarBits {
  std::uint64_t any;
  std::uint64_t magnitudes;
};

struct Kernels {
  std::string_view name;

  // q[0..n) = lattice points of x[0..n); false, with unspecified q, when any number has no lattice point.
  bool (*quantise_f32)(const float* x, std::size_t n, const Lattice& lattice, Points& points);
  bool (*quantise_f64)(const double* x, std::size_t n, const Lattice& lattice, Points& points);

  void (*dequantise_f32)(const Points& points, std::size_t n, double step, double divisor, float* x);
  void (*dequantise_f64)(const Points& points, std::size_t n, double step, double divisor, double* x);

  // Writes the body of the block on the lattice that represents q[0..n), n >= 1, in at most largest_packed_block bytes,
  // and returns its entry.  Up to store_slack bytes after the body may be overwritten.  The bytes are a function of the
  // points alone.  The call may overwrite points beyond n.
  Entry (*pack)(Points& points, std::size_t n, std::byte* out);

  // Reads such a block; false when it is not valid.
  bool (*unpack)(const Packed& in, std::size_t n, Points& points);

  // into[0..n) = into op other.
  void (*combine)(Op op, Points& into, const Points& other, std::size_t n);

  // The same for points of 64 bits, in two parts (far.hpp).
  struct Far {
    bool (*quantise_f32)(const float* x, std::size_t n, const Lattice& lattice, Points& low, Points& high);
    bool (*quantise_f64)(const double* x, std::size_t n, const Lattice& lattice, Points& low, Points& high);
    void (*dequantise_f32)(const Points& low, const Points& high, std::size_t n, double step, double divisor, float* x);
    void (*dequantise_f64)(const Points& low, const Points& high, std::size_t n, double step, double divisor,
                           double* x);
    void (*combine)(Op op, Points& low, Points& high, const Points& other_low, const Points& other_high, std::size_t n);
    // For scaled frames, whose steps are powers of two: points up to `limit`, at most 2^61, their bits, and their
    // product with 2^by, which they allow, or quotient.
    bool (*quantise_scaled)(const double* x, std::size_t n, double inverse, double limit, Points& low, Points& high);
    FarBits (*bits)(const Points& low, const Points& high, std::size_t n);
    void (*shift)(Points& low, Points& high, std::size_t n, int by);
  };
  Far far;

  // The numbers of a block that are in a mask, or items of 2, 4 or 8 bytes that belong to them.  Memory has room for
  // block_values items; those behind the ones that are asked for may be read and overwritten.
  struct Masks {
    // The numbers that are not within `limit` after multiplication by `inverse`; NaN never is.
    void (*beyond_f32)(const float* x, std::size_t n, double inverse, double limit, Mask& mask);
    void (*beyond_f64)(const double* x, std::size_t n, double inverse, double limit, Mask& mask);
    // Moves the items in the mask to the front of `out`.
    void (*take)(const void* in, std::size_t item_bytes, const Mask& mask, std::size_t n, void* out);
    // The inverse: moves items to their n places, and puts 0 in the others.
    void (*put)(const void* in, std::size_t item_bytes, const Mask& mask, std::size_t n, void* out);
    // Copies the items in the mask to the same places.
    void (*copy)(const void* in, std::size_t item_bytes, const Mask& mask, std::size_t n, void* out);
    // Bit j: item j + 1 of n differs from item j.
    void (*changes)(const void* in, std::size_t item_bytes, std::size_t n, Mask& mask);
  };
  Masks masks;

  // For scaled frames: the scale of a block (block_range.hpp, scaled_rules.hpp), and the common power of two of its
  // points.
  struct Scales {
    // block_range(x, n).
    double (*range_f32)(const float* x, std::size_t n);
    double (*range_f64)(const double* x, std::size_t n);
    // The sum of the squares of n numbers, each times `factor`.  docs/wire-format.md fixes the order of the additions.
    double (*squares_f32)(const float* x, std::size_t n, double factor);
    double (*squares_f64)(const double* x, std::size_t n, double factor);
    PointBits (*bits)(const Points& points, std::size_t n);
    // q[0..n) *= 2^by, which the points allow; negative: divides.
    void (*shift)(Points& points, std::size_t n, int by);
  };
  Scales scales;

  // Functions for full blocks of float32 numbers, and for sums without intermediate points: they do the work of the
  // functions above in one step, faster.  They return false, with unspecified output, when a block must take the
  // general path, which may also find that the block is invalid.  They are null where there is nothing faster.
  struct Blocks {
    bool (*encode)(const float* x, const Lattice& lattice, Staged& out) = nullptr;
    bool (*decode)(const Packed& in, double step, bool streaming, float* x) = nullptr;
    bool (*fold)(const Packed& in, const float* x, const Lattice& lattice, Staged& out) = nullptr;
    bool (*add)(const Packed& a, const Packed& b, Staged& out) = nullptr;
    // Writes a block that one of these functions staged, as pack() does.  It is a separate step so that the next block
    // can be staged first: writing waits for the last results of staging.
    Entry (*put)(const Staged& block, std::byte* out) = nullptr;
    void (*settle)() = nullptr;  // makes streamed numbers visible to other threads, like any other store
  };
  Blocks blocks = {};

  // The same for full blocks of scaled frames, without their exponents.  The points of a summand are multiplied by 2^up
  // before they are added.
  struct ScaledBlocks {
    bool (*encode)(const float* x, const Lattice& lattice, Staged& out) = nullptr;
    bool (*decode)(const Packed& in, double step, bool streaming, float* x) = nullptr;
    bool (*fold)(const Packed& in, int up_in, const float* x, const Lattice& lattice, int up, Staged& out) = nullptr;
    bool (*add)(const Packed& a, int up_a, const Packed& b, int up_b, Staged& out) = nullptr;
    Entry (*put)(const Staged& block, std::byte* out) = nullptr;
    // True if some point of a staged block is odd, so that the exponent cannot be larger.
    bool (*is_odd)(const Staged& block) = nullptr;
  };
  ScaledBlocks scaled_blocks = {};
};

const Kernels& reference_kernels();

// The tables that this processor can run, reference first, fastest last.
std::span<const Kernels* const> available_kernels();

// The fastest table, or the one that LACONIC_ISA names.  An unusable value falls back to the fastest here and is
// reported by check_isa() when a communicator is first used.
const Kernels& best_kernels();

// Checks a value of LACONIC_ISA: the name must be known, and this processor must be able to run the table.
Status check_isa(std::string_view name);

// The codec with one particular table, for differential tests and benchmarks.
std::unique_ptr<Codec> make_codec(const Kernels& kernels);

}  // namespace laconic::quant
