// SPDX-License-Identifier: BSD-3-Clause
// lossless: every number is reproduced bit for bit.  Frames are added as numbers: decoded, combined and encoded again.
#include <cstring>
#include <string>

#include "base/combine.hpp"
#include "codec/lossless/block.hpp"
#include "codec/typed_codec.hpp"

namespace laconic {
namespace lossless {
namespace {

Status malformed(const char* what) { return {Code::frame, std::string("malformed frame: ") + what}; }

class Writer {
 public:
  Writer(Blob out, std::size_t count)
      : entry_(out.data() + wire::header_bytes), at_(entry_ + index_bytes * blocks_of(count)) {}

  template <class T>
  void write(const T* x, std::size_t n) {
    const Written w = write_block(x, n, at_);
    const std::uint16_t entry = entry_of(w.kind, w.body);
    std::memcpy(entry_, &entry, index_bytes);
    entry_ += index_bytes;
    at_ += w.body;
  }

  const std::byte* end() const { return at_; }

 private:
  std::byte* entry_;
  std::byte* at_;
};

class Reader {
 public:
  // Sums the sizes in the index, so that afterwards no body can reach beyond the frame.
  Status open(Frame frame, std::size_t count) {
    entry_ = frame.data() + wire::header_bytes;
    end_ = frame.data() + frame.size();
    const std::size_t index = index_bytes * blocks_of(count);
    if (static_cast<std::size_t>(end_ - entry_) < index) return malformed("the payload ends in the index of lossless");
    at_ = entry_ + index;
    std::size_t bodies = 0;
    for (std::size_t i = 0; i < index; i += index_bytes) bodies += body_of(entry_at(entry_ + i));
    if (bodies != static_cast<std::size_t>(end_ - at_))
      return malformed("the index of lossless says that the payload has another size");
    return {};
  }

  template <class T>
  Status read(std::size_t n, T* x) {
    const std::uint16_t entry = entry_at(entry_);
    const std::size_t body = body_of(entry);
    const auto behind = static_cast<std::size_t>(end_ - at_) - body;
    if (const char* problem = read_block(kind_of(entry), at_, body, behind, n, x)) return malformed(problem);
    entry_ += index_bytes;
    at_ += body;
    return {};
  }

 private:
  static std::uint16_t entry_at(const std::byte* at) {
    std::uint16_t entry;
    std::memcpy(&entry, at, index_bytes);
    return entry;
  }

  const std::byte* entry_ = nullptr;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
};

class LosslessCodec final : public TypedCodec<LosslessCodec, AllTypes> {
 public:
  std::string_view name() const override { return "lossless"; }
  CodecName api_name() const override { return CodecName::lossless; }
  std::uint8_t id() const override { return 5; }
  bool exact_sums() const override { return true; }
  ErrorShape error_shape() const override { return {0, 0}; }

  std::size_t capacity(std::size_t count, Dtype dtype) const override {
    return wire::header_bytes + index_bytes * blocks_of(count) + padded(count * size_of(dtype)) + store_slack;
  }

 private:
  friend class TypedCodec<LosslessCodec, AllTypes>;

  Status open(Frame frame, std::size_t count, const Coding& coding, Reader& reader) const {
    wire::Header header;
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    if (header.step != 0 || header.error != 0) return malformed("lossless with a step or an error");
    return reader.open(frame, count);
  }

  Coded done(const Writer& writer, std::size_t count, const Coding& coding, Blob out) const {
    return finish(writer.end(), count, coding, 0, 0, out);
  }

  template <class T>
  Coded encode_as(const T* x, std::size_t count, const Coding& coding, Blob out) const {
    Writer writer(out, count);
    for (std::size_t i = 0; i < count; i += block_values) writer.write(x + i, std::min(block_values, count - i));
    return done(writer, count, coding, out);
  }

  template <class T>
  Coded fold_as(Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) const {
    Reader reader;
    if (Status s = open(frame, count, coding, reader); !s) return {s, 0};
    Writer writer(out, count);
    T numbers[block_values];
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      if (Status s = reader.read(n, numbers); !s) return {s, 0};
      combine(coding.op, numbers, x + i, n);
      writer.write(numbers, n);
    }
    return done(writer, count, coding, out);
  }

  template <class T>
  Coded add_as(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const {
    Reader reader_a;
    Reader reader_b;
    if (Status s = open(a, count, coding, reader_a); !s) return {s, 0};
    if (Status s = open(b, count, coding, reader_b); !s) return {s, 0};
    Writer writer(out, count);
    T numbers[block_values];
    T other[block_values];
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      if (Status s = reader_a.read(n, numbers); !s) return {s, 0};
      if (Status s = reader_b.read(n, other); !s) return {s, 0};
      combine(coding.op, numbers, other, n);
      writer.write(numbers, n);
    }
    return done(writer, count, coding, out);
  }

  template <class T>
  Status decode_as(Frame frame, T* x, std::size_t count, const Coding& coding) const {
    Reader reader;
    if (Status s = open(frame, count, coding, reader); !s) return s;
    for (std::size_t i = 0; i < count; i += block_values) {
      const std::size_t n = std::min(block_values, count - i);
      if (Status s = reader.read(n, x + i); !s) return s;
      if (coding.divisor == 1) continue;
      for (std::size_t j = i; j < i + n; ++j) x[j] = divide(x[j], coding.divisor);
    }
    return {};
  }
};

}  // namespace
}  // namespace lossless

const Codec& lossless_codec() {
  static const lossless::LosslessCodec codec;
  return codec;
}

}  // namespace laconic
