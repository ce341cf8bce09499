// SPDX-License-Identifier: BSD-3-Clause
// Numbers to frames and back.  A codec is stateless and knows nothing of ranks; it writes whole frames, header
// included, into memory of at least capacity() bytes, allocates nothing, and reports failure as a Status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "base/op.hpp"
#include "base/status.hpp"
#include "wire/frame.hpp"

namespace laconic {

// Everything a codec needs to know of the operation, the same on every rank.
struct Coding {
  Dtype dtype = Dtype::f32;
  Op op = Op::sum;
  double allowance = 0;     // largest absolute error that one encode may make; 0: none
  std::uint32_t terms = 1;  // how many contributions a frame may come to hold the sum of
  double divisor = 1;       // decode divides by it (a mean is a sum that is divided when decoded)
  double greatest = 0;      // greatest finite magnitude among the numbers, the same on every rank; 0: not known
  double rate = 0;          // bits per number where no error is bounded; 0: the allowance counts.  Only zfp knows it
  // Share of the root mean square of its block of numbers that one encode may err; 0: the allowance counts.
  double relative = 0;
  // encode() keeps blocks that hold a denormal number to the bit.  For numbers that are not combined with others: what
  // fold() and add() make of it is left open.
  bool exact_denormals = false;
  bool streaming = false;  // decoded numbers will not be read soon: they need not stay in the caches
};

// What the errors of encodes are like when there are many, as shares of the allowance, for predictions; no promise
// depends on it.  By default nothing is known but the allowance.
struct ErrorShape {
  double drift = 1;      // how far those of one number may lean to one side, time after time
  double deviation = 0;  // standard deviation about that
  // Every number goes to the nearest of points that only the allowance decides: the errors are uniform, order is kept,
  // and what was decoded is encoded again without another error.
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

  // The codec field of its frames.
  virtual std::uint8_t id() const = 0;

  // Whether it codes numbers of this type.  Every function is an error of Code::type for any other.
  virtual bool supports(Dtype dtype) const { return SingleAndDouble::has(dtype); }

  // Whether it knows Coding::relative.  Every function is an error of Code::argument where one is asked of any other.
  virtual bool relative() const { return false; }

  // True when fold() and add() of frames make no error beyond those of the numbers that were encoded (and the
  // rounding of dtype where numbers are held uncompressed).  Decides how the bound is divided.
  virtual bool exact_sums() const = 0;

  virtual ErrorShape error_shape() const { return {}; }

  // Largest size of any frame that encode, fold or add can write for `count` numbers.
  virtual std::size_t capacity(std::size_t count, Dtype dtype) const = 0;

  // `numbers`, like all number pointers here: `count` values of coding.dtype, no alignment beyond the type's.
  virtual Coded encode(const void* numbers, std::size_t count, const Coding& coding, Blob out) const = 0;

  // out = frame op numbers, where frame holds numbers of the other ranks: encode and add in one pass.
  virtual Coded fold(Frame frame, const void* numbers, std::size_t count, const Coding& coding, Blob out) const = 0;

  // out = a op b.  out must not overlap a or b.  Commutative to the byte.
  virtual Coded add(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const = 0;

  // Its kernels for numbers and frames on a device, or null where there are none.
  virtual const DeviceCodec* on_device() const { return nullptr; }

  // numbers = frame / coding.divisor.  With coding.allowance and coding.relative 0 any frame of the codec is read;
  // otherwise it must be one of this operation.
  virtual Status decode(Frame frame, void* numbers, std::size_t count, const Coding& coding) const = 0;
};

// Every codec of codecs.def, in its order.
const std::vector<const Codec*>& all_codecs();

// By name, or nullptr.
const Codec* find_codec(std::string_view name);

// Why a codec refuses a type, in words.
Status not_supported(const Codec& codec, Dtype dtype);

// Why a codec refuses what is asked of it, if it does.
Status check_coding(const Codec& codec, const Coding& coding);

// Reads the header of a frame that must be of this codec, type and count, and not failed.
Status read_codec_header(Frame frame, const Codec& codec, std::size_t count, Dtype dtype, wire::Header& header);

// The same of a header that has been read.
Status check_codec_header(const wire::Header& header, const Codec& codec, std::size_t count, Dtype dtype);

}  // namespace laconic
