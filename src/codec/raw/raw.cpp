// raw: the frame is the bytes of the numbers.  Through it the uncompressed path is not a second code path.
#include <cstring>

#include "base/combine.hpp"
#include "codec/codec.hpp"

namespace laconic {
namespace {

class RawCodec final : public Codec {
 public:
  std::string_view name() const override { return "raw"; }
  std::uint8_t id() const override { return 1; }
  bool exact_sums() const override { return true; }
  std::size_t capacity(std::size_t count, Dtype dtype) const override {
    return wire::header_bytes + count * size_of(dtype);
  }

  Coded encode(const void* numbers, std::size_t count, const Coding& coding, Blob out) const override {
    const std::size_t bytes = count * size_of(coding.dtype);
    if (count > 0) std::memcpy(out.data() + wire::header_bytes, numbers, bytes);
    return finish(count, coding, out);
  }

  Coded fold(Frame frame, const void* numbers, std::size_t count, const Coding& coding, Blob out) const override {
    wire::Header header;
    if (Status s = check(frame, count, coding, header); !s) return {s, 0};
    combine_into(frame.data() + wire::header_bytes, static_cast<const std::byte*>(numbers), count, coding, out);
    return finish(count, coding, out);
  }

  Coded add(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const override {
    wire::Header header;
    if (Status s = check(a, count, coding, header); !s) return {s, 0};
    if (Status s = check(b, count, coding, header); !s) return {s, 0};
    combine_into(a.data() + wire::header_bytes, b.data() + wire::header_bytes, count, coding, out);
    return finish(count, coding, out);
  }

  Status decode(Frame frame, void* numbers, std::size_t count, const Coding& coding) const override {
    wire::Header header;
    if (Status s = check(frame, count, coding, header); !s) return s;
    const std::byte* payload = frame.data() + wire::header_bytes;
    if (count == 0) return {};
    if (coding.divisor == 1) {
      std::memcpy(numbers, payload, count * size_of(coding.dtype));
      return {};
    }
    dispatch(coding.dtype, [&](auto zero) {
      using T = decltype(zero);
      auto* out = static_cast<T*>(numbers);
      for (std::size_t i = 0; i < count; ++i) {
        T x;
        std::memcpy(&x, payload + i * sizeof(T), sizeof(T));
        out[i] = static_cast<T>(static_cast<double>(x) / coding.divisor);
      }
    });
    return {};
  }

 private:
  Status check(Frame frame, std::size_t count, const Coding& coding, wire::Header& header) const {
    if (Status s = read_codec_header(frame, *this, count, coding.dtype, header); !s) return s;
    if (header.payload != count * size_of(coding.dtype))
      return {Code::frame, "malformed frame: payload does not fit the count"};
    if (header.step != 0 || header.error != 0) return {Code::frame, "malformed frame: raw with a step or an error"};
    return {};
  }

  static void combine_into(const std::byte* a, const std::byte* b, std::size_t count, const Coding& coding, Blob out) {
    dispatch(coding.dtype,
             [&](auto zero) { combine<decltype(zero)>(coding.op, a, b, count, out.data() + wire::header_bytes); });
  }

  Coded finish(std::size_t count, const Coding& coding, Blob out) const {
    wire::Header header;
    header.codec = id();
    header.dtype = coding.dtype;
    header.count = static_cast<std::uint32_t>(count);
    header.payload = static_cast<std::uint32_t>(count * size_of(coding.dtype));
    wire::write_header(header, out);
    return {{}, wire::header_bytes + header.payload};
  }
};

}  // namespace

const Codec& raw_codec() {
  static const RawCodec codec;
  return codec;
}

}  // namespace laconic
