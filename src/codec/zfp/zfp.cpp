// SPDX-License-Identifier: BSD-3-Clause
// zfp: Lindstrom's transform coder in one dimension, through libzfp, for comparison with common practice.  Its sums are
// not exact: frames are decoded, combined as numbers and coded again.
#include <algorithm>
#include <cstring>
#include <limits>

#include "base/combine.hpp"
#include "codec/denormals.hpp"
#include "codec/device_codec.hpp"
#include "codec/typed_codec.hpp"
#include "codec/zfp/piece.hpp"

namespace laconic {
namespace zfp {
namespace {

Status malformed(const char* what) { return {Code::frame, std::string("malformed frame: ") + what}; }
Status bad_piece() { return malformed("a piece of zfp is cut short or not valid"); }
Status no_memory() { return {Code::memory, "no memory for the scratch space of codec zfp"}; }

// Iterates over the pieces of a frame.
template <class T>
class Reader {
 public:
  // ours: the parameters of this operation, or nullptr if any are accepted.
  Status open(Frame frame, std::size_t count, Dtype dtype, const Parameters* ours) {
    const std::size_t pieces = pieces_of(count);
    const Frame payload = frame.subspan(wire::header_bytes);
    if (payload.size() < head_bytes + size_bytes * pieces) return malformed("no room for the index of zfp");
    parameters_.mode = static_cast<Mode>(payload[0]);
    std::memcpy(&parameters_.parameter, payload.data() + 2, sizeof parameters_.parameter);
    if (payload[1] != std::byte{0} || !parameters_.valid(dtype)) return malformed("parameters that zfp does not have");
    if (ours != nullptr && parameters_ != *ours) return malformed("zfp parameters differ from this operation's");
    size_ = payload.data() + head_bytes;
    at_ = size_ + size_bytes * pieces;
    end_ = payload.data() + payload.size();
    return {};
  }

  bool next(Scratch& scratch, T* x, std::size_t n) {
    std::uint16_t bytes = 0;
    std::memcpy(&bytes, size_, size_bytes);
    size_ += size_bytes;
    if (bytes > n * sizeof(T) || bytes > end_ - at_) return false;
    if (bytes == n * sizeof(T)) {
      std::memcpy(x, at_, bytes);
    } else {
      if (parameters_.mode == Mode::exact) return false;
      std::memcpy(scratch.packed, at_, bytes);
      if (!unpack(scratch, parameters_, bytes, x, n)) return false;
    }
    at_ += bytes;
    return true;
  }

  bool at_end() const { return at_ == end_; }

 private:
  Parameters parameters_;
  const std::byte* size_ = nullptr;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
};

template <class T>
class Writer {
 public:
  Writer(const Parameters& parameters, std::size_t count, const Coding& coding, Blob out)
      : parameters_(parameters),
        allowance_(coding.allowance),
        exact_denormals_(coding.exact_denormals),
        // The limit prevents an overflow of a sum of rounded numbers where the exact sum would not overflow.
        largest_(std::numeric_limits<T>::max() / static_cast<T>(std::max<std::uint32_t>(coding.terms, 1))),
        out_(out) {
    std::byte* head = out.data() + wire::header_bytes;
    head[0] = static_cast<std::byte>(parameters.mode);
    head[1] = std::byte{0};
    std::memcpy(head + 2, &parameters.parameter, sizeof parameters.parameter);
    size_ = head + head_bytes;
    at_ = size_ + size_bytes * pieces_of(count);
  }

  void put(Scratch& scratch, const T* x, std::size_t n) {
    double error = 0;
    const bool exact = exact_denormals_ && holds_denormal(x, n);
    const std::size_t packed = exact ? kept_raw : pack(scratch, parameters_, x, n, allowance_, largest_, error);
    const auto bytes = static_cast<std::uint16_t>(packed == kept_raw ? n * sizeof(T) : packed);
    if (packed == kept_raw) {
      std::memcpy(at_, x, bytes);
    } else {
      std::memcpy(at_, scratch.packed, bytes);
      error_ = std::max(error_, error);
    }
    std::memcpy(size_, &bytes, size_bytes);
    size_ += size_bytes;
    at_ += bytes;
  }

  const std::byte* end() const { return at_; }
  double error() const { return error_; }

 private:
  Parameters parameters_;
  double allowance_;
  bool exact_denormals_;
  T largest_;
  Blob out_;
  std::byte* size_;
  std::byte* at_;
  double error_ = 0;
};

class ZfpCodec final : public TypedCodec<ZfpCodec, SingleAndDouble> {
 public:
  std::string_view name() const override { return "zfp"; }
  CodecName api_name() const override { return CodecName::zfp; }
  bool supports_bound(BoundMode mode) const override { return mode == BoundMode::rate || Codec::supports_bound(mode); }
  std::uint8_t id() const override { return 4; }
  bool exact_sums() const override { return false; }

  // These values are measured, not derived (docs/error-model.md).
  ErrorShape error_shape() const override { return {0.06, 0.18}; }

  const DeviceCodec* on_device() const override { return find_device_codec(name()); }

  std::size_t capacity(std::size_t count, Dtype dtype) const override {
    return wire::header_bytes + head_bytes + size_bytes * pieces_of(count) + count * size_of(dtype);
  }

 private:
  friend class TypedCodec<ZfpCodec, SingleAndDouble>;

  template <class T>
  Coded encode_as(const T* x, std::size_t count, const Coding& coding, Blob out) const {
    Scratch* scratch = Scratch::of_this_thread();
    if (scratch == nullptr) return {no_memory(), 0};
    Writer<T> writer(Parameters::make(coding), count, coding, out);
    for (std::size_t i = 0; i < count; i += piece_values)
      writer.put(*scratch, x + i, std::min(piece_values, count - i));
    return finish(writer, count, coding, out, 0);
  }

  template <class T>
  Coded fold_as(Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) const {
    Scratch* scratch = Scratch::of_this_thread();
    if (scratch == nullptr) return {no_memory(), 0};
    const Parameters ours = Parameters::make(coding);
    wire::Header header;
    Reader<T> reader;
    if (Status s = open(frame, count, coding, &ours, header, reader); !s) return {s, 0};
    Writer<T> writer(ours, count, coding, out);
    T* numbers = scratch->numbers<T>(0);
    for (std::size_t i = 0; i < count; i += piece_values) {
      const std::size_t n = std::min(piece_values, count - i);
      if (!reader.next(*scratch, numbers, n)) return {bad_piece(), 0};
      combine(coding.op, numbers, x + i, n);
      writer.put(*scratch, numbers, n);
    }
    if (!reader.at_end()) return {bad_piece(), 0};
    return finish(writer, count, coding, out, header.error);
  }

  template <class T>
  Coded add_as(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const {
    Scratch* scratch = Scratch::of_this_thread();
    if (scratch == nullptr) return {no_memory(), 0};
    const Parameters ours = Parameters::make(coding);
    wire::Header header_a;
    wire::Header header_b;
    Reader<T> reader_a;
    Reader<T> reader_b;
    if (Status s = open(a, count, coding, &ours, header_a, reader_a); !s) return {s, 0};
    if (Status s = open(b, count, coding, &ours, header_b, reader_b); !s) return {s, 0};
    Writer<T> writer(ours, count, coding, out);
    T* numbers_a = scratch->numbers<T>(0);
    T* numbers_b = scratch->numbers<T>(1);
    for (std::size_t i = 0; i < count; i += piece_values) {
      const std::size_t n = std::min(piece_values, count - i);
      if (!reader_a.next(*scratch, numbers_a, n) || !reader_b.next(*scratch, numbers_b, n)) return {bad_piece(), 0};
      combine(coding.op, numbers_a, numbers_b, n);
      writer.put(*scratch, numbers_a, n);
    }
    if (!reader_a.at_end() || !reader_b.at_end()) return {bad_piece(), 0};
    const double inherited =
        coding.op == Op::sum ? header_a.error + header_b.error : std::max(header_a.error, header_b.error);
    return finish(writer, count, coding, out, inherited);
  }

  template <class T>
  Status decode_as(Frame frame, T* x, std::size_t count, const Coding& coding) const {
    Scratch* scratch = Scratch::of_this_thread();
    if (scratch == nullptr) return no_memory();
    const Parameters ours = Parameters::make(coding);
    wire::Header header;
    Reader<T> reader;
    const bool within_operation = coding.allowance > 0 || coding.rate > 0;
    if (Status s = open(frame, count, coding, within_operation ? &ours : nullptr, header, reader); !s) return s;
    for (std::size_t i = 0; i < count; i += piece_values) {
      const std::size_t n = std::min(piece_values, count - i);
      if (!reader.next(*scratch, x + i, n)) return bad_piece();
      if (coding.divisor != 1)
        for (std::size_t j = i; j < i + n; ++j) x[j] = divide(x[j], coding.divisor);
    }
    return reader.at_end() ? Status{} : bad_piece();
  }

  // inherited: the error of the input numbers.
  template <class T>
  Coded finish(const Writer<T>& writer, std::size_t count, const Coding& coding, Blob out, double inherited) const {
    const double error = std::min(inherited + writer.error(), std::numeric_limits<double>::max());
    return TypedCodec::finish(writer.end(), count, coding, 0, error, out);
  }

  template <class T>
  Status open(Frame frame, std::size_t count, const Coding& coding, const Parameters* ours, wire::Header& header,
              Reader<T>& reader) const {
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    if (header.step != 0) return malformed("zfp with a step");
    return reader.open(frame, count, coding.dtype, ours);
  }
};

}  // namespace
}  // namespace zfp

const Codec& zfp_codec() {
  static const zfp::ZfpCodec codec;
  return codec;
}

}  // namespace laconic
