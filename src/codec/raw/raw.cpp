// SPDX-License-Identifier: BSD-3-Clause
// raw: the frame holds the bytes of the numbers.  With this codec, numbers sent uncompressed need no second code path.
#include <cstring>

#include "base/combine.hpp"
#include "codec/device_codec.hpp"
#include "codec/typed_codec.hpp"

namespace laconic {
namespace {

class RawCodec final : public TypedCodec<RawCodec, AllTypes> {
 public:
  std::string_view name() const override { return "raw"; }
  CodecName api_name() const override { return CodecName::raw; }
  std::uint8_t id() const override { return 1; }
  bool exact_sums() const override { return true; }
  ErrorShape error_shape() const override { return {0, 0}; }
  std::size_t capacity(std::size_t count, Dtype dtype) const override {
    return wire::header_bytes + count * size_of(dtype);
  }
  const DeviceCodec* on_device() const override { return find_device_codec(name()); }

 private:
  friend class TypedCodec<RawCodec, AllTypes>;

  template <class T>
  Coded encode_as(const T* x, std::size_t count, const Coding& coding, Blob out) const {
    if (count > 0) std::memcpy(payload_of(out), x, count * sizeof(T));
    return finish(count, coding, out);
  }

  template <class T>
  Coded fold_as(Frame frame, const T* x, std::size_t count, const Coding& coding, Blob out) const {
    if (Status s = check(frame, count, coding); !s) return {s, 0};
    combine<T>(coding.op, payload_of(frame), reinterpret_cast<const std::byte*>(x), count, payload_of(out));
    return finish(count, coding, out);
  }

  template <class T>
  Coded add_as(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const {
    if (Status s = check(a, count, coding); !s) return {s, 0};
    if (Status s = check(b, count, coding); !s) return {s, 0};
    combine<T>(coding.op, payload_of(a), payload_of(b), count, payload_of(out));
    return finish(count, coding, out);
  }

  template <class T>
  Status decode_as(Frame frame, T* x, std::size_t count, const Coding& coding) const {
    if (Status s = check(frame, count, coding); !s) return s;
    if (count == 0) return {};
    if (coding.divisor == 1) {
      std::memcpy(x, payload_of(frame), count * sizeof(T));
      return {};
    }
    for (std::size_t i = 0; i < count; ++i) x[i] = divide(get<T>(payload_of(frame), i), coding.divisor);
    return {};
  }

  static const std::byte* payload_of(Frame frame) { return frame.data() + wire::header_bytes; }
  static std::byte* payload_of(Blob out) { return out.data() + wire::header_bytes; }

  template <class T>
  static T get(const std::byte* numbers, std::size_t i) {
    T x;
    std::memcpy(&x, numbers + i * sizeof(T), sizeof(T));
    return x;
  }

  Status check(Frame frame, std::size_t count, const Coding& coding) const {
    wire::Header header;
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    if (header.payload != count * size_of(coding.dtype))
      return {Code::frame, "malformed frame: payload does not fit the count"};
    if (header.step != 0 || header.error != 0) return {Code::frame, "malformed frame: raw with a step or an error"};
    return {};
  }

  Coded finish(std::size_t count, const Coding& coding, Blob out) const {
    return TypedCodec::finish(payload_of(out) + count * size_of(coding.dtype), count, coding, 0, 0, out);
  }
};

}  // namespace

const Codec& raw_codec() {
  static const RawCodec codec;
  return codec;
}

}  // namespace laconic
