// SPDX-License-Identifier: BSD-3-Clause
// Conversion of numbers to frames and back.  A codec is stateless and does not depend on ranks.  It writes whole
// frames, header included, into memory of at least capacity() bytes, allocates nothing, and reports failure as a
// Status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bound.hpp"
#include "base/dtype.hpp"
#include "base/names.hpp"
#include "base/op.hpp"
#include "base/status.hpp"
#include "wire/frame.hpp"

namespace laconic {

inline constexpr std::uint32_t largest_coarser = 24;  // of Coding::coarser

// What Coding::relative refers to: the root mean square of the numbers of a block, or their range
// (quant/block_range.hpp).
enum class BlockScale : std::uint8_t { rms, range };

// The parameters of one coding operation, identical on every rank.
struct Coding {
  Dtype dtype = Dtype::f32;
  Op op = Op::sum;
  double allowance = 0;     // largest absolute error that one encode may make; 0: none
  std::uint32_t terms = 1;  // the largest number of contributions whose sum a frame may hold
  double divisor = 1;       // decode divides by it (a mean is a sum that is divided when decoded)
  double greatest = 0;      // greatest finite magnitude among the numbers, the same on every rank; 0: not known
  double rate = 0;          // bits per number at a fixed rate, without an error bound; 0: use the allowance.  zfp only
  // The bound for one encode, as a share of the scale of the block of the number; 0: use the allowance.
  double relative = 0;
  BlockScale scale = BlockScale::rms;
  // encode() preserves blocks that hold a denormal number bit for bit.  This is for numbers that are not combined with
  // others: the effect of fold() and add() on such blocks is unspecified.
  bool exact_denormals = false;
  bool streaming = false;  // the decoded numbers will not be read soon, so they need not stay in the caches
  // The result of a sum is rounded once more, to a lattice that is 2^coarser times as coarse as that of contributions
  // and partial sums; 0: it is not.  Only for codecs with rounds_results(), and without `relative`.
  std::uint32_t coarser = 0;
  // fold() and add(): the sum is the result, and is rounded.  decode(): the frame holds the rounded result.
  bool complete = false;
  bool rounds_result() const { return complete && coarser > 0; }
};

// The distribution of the errors of many encodes, as shares of the allowance.  It serves predictions only; no guarantee
// depends on it.  By default only the allowance is known.
struct ErrorShape {
  double drift = 1;      // largest bias of the errors of one number over repeated encodes
  double deviation = 0;  // standard deviation about that bias
  // Every number is rounded to the nearest point of a lattice that depends on the allowance alone: the errors are
  // uniform, order is preserved, and encoding decoded numbers again adds no error.
  bool lattice = false;
  bool none() const { return drift == 0 && deviation == 0; }
};

struct Coded {
  Status status;
  std::size_t bytes = 0;  // size of the frame written
};

using Frame = std::span<const std::byte>;
using Blob = std::span<std::byte>;

class DeviceCodec;

class Codec {
 public:
  virtual ~Codec() = default;
  virtual std::string_view name() const = 0;

  // Its number in the public API.
  virtual CodecName api_name() const { return CodecName::unset; }

  // The value of the codec field in the frames of this codec.
  virtual std::uint8_t id() const = 0;

  // True if the codec supports numbers of this type.  For any other type every function returns an error of Code::type.
  virtual bool supports(Dtype dtype) const { return SingleAndDouble::has(dtype); }

  // True if the codec keeps bounds of this mode, or has its rate.
  virtual bool supports_bound(BoundMode mode) const {
    if (of_blocks(mode)) return relative();
    return mode != BoundMode::rate && mode != BoundMode::unset;
  }

  // True if the codec supports Coding::relative.  If it does not, every function returns an error of Code::argument for
  // a nonzero value.
  virtual bool relative() const { return false; }

  // True when fold() and add() of frames make no error beyond those of the encoded numbers (and the rounding of dtype
  // where numbers are held uncompressed).  The bound is divided among the encodes accordingly.
  virtual bool exact_sums() const = 0;

  virtual ErrorShape error_shape() const { return {}; }

  // True if the codec supports Coding::coarser.  If it does not, every function returns an error of Code::argument for
  // a nonzero value.
  virtual bool rounds_results() const { return false; }

  // Largest size of any frame that encode, fold or add can write for `count` numbers.
  virtual std::size_t capacity(std::size_t count, Dtype dtype) const = 0;

  // The same for numbers that are only moved: largest size of any frame that encode can write with Coding::terms 1.
  virtual std::size_t moved_capacity(std::size_t count, Dtype dtype) const { return capacity(count, dtype); }

  // `numbers`, like all number pointers here, points to `count` values of coding.dtype, with no alignment beyond that
  // of the type.
  virtual Coded encode(const void* numbers, std::size_t count, const Coding& coding, Blob out) const = 0;

  // out = frame op numbers, where frame holds the numbers of other ranks: encode and add in one pass.
  virtual Coded fold(Frame frame, const void* numbers, std::size_t count, const Coding& coding, Blob out) const = 0;

  // out = a op b.  out must not overlap a or b.  Commutative to the byte.
  virtual Coded add(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const = 0;

  // The kernels of this codec for numbers and frames on a device, or null if it has none.
  virtual const DeviceCodec* on_device() const { return nullptr; }

  // numbers = frame / coding.divisor.  If coding.allowance and coding.relative are 0, any frame of the codec is
  // accepted; otherwise the frame must belong to this operation.
  virtual Status decode(Frame frame, void* numbers, std::size_t count, const Coding& coding) const = 0;
};

// Every codec of codecs.def, in its order.
const std::vector<const Codec*>& all_codecs();

// The codec with this name, or nullptr.
const Codec* find_codec(CodecName name);
const Codec* find_codec(std::string_view name);

// The error for a datatype that the codec does not support.
Status not_supported(const Codec& codec, Dtype dtype);

// An error if the codec does not support the parameters in `coding`.
Status check_coding(const Codec& codec, const Coding& coding);

// Reads the header of a frame and checks that it has this codec, type and count and is not marked as failed.
Status read_codec_header(Frame frame, const Codec& codec, std::size_t count, Dtype dtype, wire::Header& header);

// Makes the same checks on a header that has already been read.
Status check_codec_header(const wire::Header& header, const Codec& codec, std::size_t count, Dtype dtype);

}  // namespace laconic
