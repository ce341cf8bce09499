// SPDX-License-Identifier: BSD-3-Clause
// szx: SZx as C-Coll customises it, for comparison.  Frames cannot be added directly: fold() and add() decode, combine
// the numbers and encode again, which adds an error.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numbers>
#include <string>

#include "base/combine.hpp"
#include "codec/denormals.hpp"
#include "codec/szx/block.hpp"
#include "codec/szx/layout.hpp"
#include "codec/typed_codec.hpp"

namespace laconic {
namespace szx {
namespace {

Status malformed(const char* what) { return {Code::frame, std::string("malformed frame: ") + what}; }

// Writes a payload block by block.
class Writer {
 public:
  Writer(Blob out, std::size_t count, const Coding& coding)
      : index_(out.data() + wire::header_bytes),
        at_(index_ + index_bytes * chunks_of(count)),
        left_(count),
        allowance_(coding.allowance),
        exact_denormals_(coding.exact_denormals) {}

  // Writes the next n numbers: block_values, or the rest.
  template <class T>
  void write(const T* x, std::size_t n) {
    if (block_ == 0) begin_chunk();
    const bool exact = exact_denormals_ && holds_denormal(x, n);
    const Written w = write_block(x, n, exact ? 0 : allowance_, at_);
    at_ += w.bytes;
    if (!w.constant) states_[block_ / 8] |= std::byte{1} << (block_ % 8);
    rounded_ = rounded_ || w.rounded;
    left_ -= n;
    if (++block_ == chunk_values / block_values || left_ == 0) end_chunk();
  }

  bool rounded() const { return rounded_; }
  const std::byte* end() const { return at_; }

 private:
  void begin_chunk() {
    states_ = at_;
    const std::size_t bytes = state_bytes(blocks_of(std::min(left_, chunk_values)));
    std::memset(states_, 0, bytes);
    at_ += bytes;
  }

  void end_chunk() {
    const auto bytes = static_cast<std::uint32_t>(at_ - states_);
    std::memcpy(index_, &bytes, sizeof bytes);
    index_ += index_bytes;
    block_ = 0;
  }

  std::byte* index_;
  std::byte* at_;
  std::byte* states_ = nullptr;
  std::size_t left_;
  std::size_t block_ = 0;  // in its chunk
  double allowance_;
  bool exact_denormals_;
  bool rounded_ = false;
};

// Reads a payload block by block and checks all of it.
class Reader {
 public:
  // False when the index does not fit the payload; problem() returns the reason, as it does for read().
  bool open(Frame frame, std::size_t count) {
    index_ = frame.data() + wire::header_bytes;
    end_ = frame.data() + frame.size();
    left_ = count;
    const std::size_t index = index_bytes * chunks_of(count);
    if (static_cast<std::size_t>(end_ - index_) < index) return refuse("the payload ends in the index");
    at_ = index_ + index;
    return count != 0 || ends();
  }

  // Reads the next n numbers: block_values, or the rest.
  template <class T>
  bool read(std::size_t n, T* x) {
    if (block_ == 0 && !begin_chunk()) return false;
    const bool constant = (states_[block_ / 8] >> (block_ % 8) & std::byte{1}) == std::byte{0};
    const Read done = read_block(at_, static_cast<std::size_t>(chunk_end_ - at_), constant, n, x);
    if (done.bytes == 0) return refuse(done.problem);
    at_ += done.bytes;
    left_ -= n;
    if (++block_ != chunk_values / block_values && left_ != 0) return true;
    block_ = 0;
    if (at_ != chunk_end_) return refuse("bytes after the last block of a chunk");
    return left_ != 0 || ends();
  }

  Status problem() const { return malformed(problem_); }

 private:
  bool refuse(const char* problem) {
    problem_ = problem;
    return false;
  }

  bool ends() { return at_ == end_ || refuse("bytes after the last chunk"); }

  bool begin_chunk() {
    std::uint32_t size;
    std::memcpy(&size, index_, sizeof size);
    index_ += index_bytes;
    const std::size_t blocks = blocks_of(std::min(left_, chunk_values));
    if (size > static_cast<std::size_t>(end_ - at_)) return refuse("the payload ends in a chunk");
    if (size < state_bytes(blocks)) return refuse("the payload ends in the states of a chunk");
    states_ = at_;
    chunk_end_ = at_ + size;
    at_ += state_bytes(blocks);
    return blocks % 8 == 0 || (states_[blocks / 8] >> (blocks % 8)) == std::byte{0} ||
           refuse("states of blocks that the chunk does not have");
  }

  const std::byte* index_ = nullptr;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  const std::byte* states_ = nullptr;
  const std::byte* chunk_end_ = nullptr;
  std::size_t left_ = 0;
  std::size_t block_ = 0;  // in its chunk
  const char* problem_ = "";
};

class SzxCodec final : public TypedCodec<SzxCodec, SingleAndDouble> {
 public:
  std::string_view name() const override { return "szx"; }
  CodecName api_name() const override { return CodecName::szx; }
  std::uint8_t id() const override { return 3; }
  bool exact_sums() const override { return false; }

  // The truncation error is uniform in 0 ... allowance, always towards the middle of the block, and a number that is
  // combined with others stays on its side of the middle for many hops (docs/error-model.md).
  ErrorShape error_shape() const override { return {0.5, std::numbers::inv_sqrt3 / 2}; }

  std::size_t capacity(std::size_t count, Dtype dtype) const override {
    return wire::header_bytes + chunks_of(count) * (index_bytes + state_bytes(chunk_values / block_values)) +
           blocks_of(count) + count * size_of(dtype) + store_slack;
  }

 private:
  friend class TypedCodec<SzxCodec, SingleAndDouble>;

  Status open(Frame frame, std::size_t count, const Coding& coding, wire::Header& header, Reader& reader) const {
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    if (header.step != 0) return malformed("szx with a step");
    return reader.open(frame, count) ? Status{} : reader.problem();
  }

  template <class T>
  Coded encode_as(const T* x, std::size_t count, const Coding& coding, Blob out) const {
    Writer writer(out, count, coding);
    for (std::size_t i = 0; i < count; i += block_values) writer.write(x + i, std::min(block_values, count - i));
    return finish(writer, count, coding, 0, out);
  }

  template <class T>
  Coded fold_as(Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) const {
    wire::Header header;
    Reader reader;
    if (Status s = open(frame, count, coding, header, reader); !s) return {s, 0};
    Writer writer(out, count, coding);
    T numbers[block_values];
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      if (!reader.read(n, numbers)) return {reader.problem(), 0};
      combine(coding.op, numbers, x + i, n);
      writer.write(numbers, n);
    }
    return finish(writer, count, coding, header.error, out);
  }

  template <class T>
  Coded add_as(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const {
    wire::Header header_a;
    wire::Header header_b;
    Reader reader_a;
    Reader reader_b;
    if (Status s = open(a, count, coding, header_a, reader_a); !s) return {s, 0};
    if (Status s = open(b, count, coding, header_b, reader_b); !s) return {s, 0};
    Writer writer(out, count, coding);
    T numbers[block_values];
    T other[block_values];
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      if (!reader_a.read(n, numbers)) return {reader_a.problem(), 0};
      if (!reader_b.read(n, other)) return {reader_b.problem(), 0};
      combine(coding.op, numbers, other, n);
      writer.write(numbers, n);
    }
    const double error =
        coding.op == Op::sum ? header_a.error + header_b.error : std::max(header_a.error, header_b.error);
    return finish(writer, count, coding, error, out);
  }

  template <class T>
  Status decode_as(Frame frame, T* x, std::size_t count, const Coding& coding) const {
    wire::Header header;
    Reader reader;
    if (Status s = open(frame, count, coding, header, reader); !s) return s;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      if (!reader.read(n, x + i)) return reader.problem();
      if (coding.divisor == 1) continue;
      for (std::size_t j = i; j < i + n; ++j) x[j] = static_cast<T>(static_cast<double>(x[j]) / coding.divisor);
    }
    return {};
  }

  // error: the error of the encoded numbers.
  Coded finish(const Writer& writer, std::size_t count, const Coding& coding, double error, Blob out) const {
    // The sum is kept finite even where a hostile frame, or a bound beyond all numbers, makes it overflow.
    const double most = std::numeric_limits<double>::max();
    return TypedCodec::finish(writer.end(), count, coding, 0,
                              std::min(error + (writer.rounded() ? coding.allowance : 0), most), out);
  }
};

}  // namespace
}  // namespace szx

const Codec& szx_codec() {
  static const szx::SzxCodec codec;
  return codec;
}

}  // namespace laconic
