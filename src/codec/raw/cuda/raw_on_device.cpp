// SPDX-License-Identifier: BSD-3-Clause
// Frames of raw hold the numbers themselves: kernels only write headers and combine, and the host knows all sizes.
#include "codec/device_codec.hpp"
#include "codec/raw/cuda/combine.hpp"

namespace laconic {

const Codec& raw_codec();

namespace {

const std::byte* payload_of(const DeviceFrame& frame) { return frame.bytes + wire::header_bytes; }

Status write_header(std::size_t count, const Coding& coding, std::byte* out, Report* report, Queue& queue) {
  wire::Header header;
  header.codec = raw_codec().id();
  header.dtype = coding.dtype;
  header.count = static_cast<std::uint32_t>(count);
  header.payload = static_cast<std::uint32_t>(count * size_of(coding.dtype));
  return raw::write_header_on_device(header, out, report, queue);
}

// Has a kernel check a header that the host does not know.
Status check_unread(const DeviceFrame& frame, std::size_t count, const Coding& coding, Queue& queue) {
  const std::size_t payload = count * size_of(coding.dtype);
  if (frame.size < wire::header_bytes + payload)
    return {Code::frame, "malformed frame: its memory ends before the numbers do"};
  HeaderRules rules;
  rules.codec = raw_codec().id();
  rules.dtype = coding.dtype;
  rules.exact = true;
  rules.count = static_cast<std::uint32_t>(count);
  rules.least_payload = rules.most_payload = static_cast<std::uint32_t>(payload);
  return read_header_on_device(frame.bytes, rules, frame.unread, queue);
}

Status check(const DeviceFrame& frame, std::size_t count, const Coding& coding, Queue& queue) {
  if (frame.unread != nullptr) return check_unread(frame, count, coding, queue);
  if (frame.header.payload != count * size_of(coding.dtype))
    return {Code::frame, "malformed frame: payload does not fit the count"};
  if (frame.header.step != 0 || frame.header.error != 0)
    return {Code::frame, "malformed frame: raw with a step or an error"};
  return {};
}

class RawOnDevice final : public DeviceCodec {
 public:
  bool supports(const Coding& coding) const override { return check_coding(raw_codec(), coding).ok(); }
  std::size_t workspace_words(std::size_t, Dtype) const override { return 0; }

  Status encode(const void* numbers, std::size_t count, const Coding& coding, std::byte* out,
                Queue& queue) const override {
    return encode_piece({numbers, count, out, report_of(queue)}, coding, queue);
  }

  Status fold(const DeviceFrame& frame, const void* numbers, std::size_t count, const Coding& coding, std::byte* out,
              Queue& queue) const override {
    if (Status s = check(frame, count, coding, queue); !s) return s;
    return combine(payload_of(frame), numbers, count, coding, out, queue);
  }

  Status add(const DeviceFrame& a, const DeviceFrame& b, std::size_t count, const Coding& coding, std::byte* out,
             Queue& queue) const override {
    if (Status s = check(a, count, coding, queue); !s) return s;
    if (Status s = check(b, count, coding, queue); !s) return s;
    return combine(payload_of(a), payload_of(b), count, coding, out, queue);
  }

  Status decode(const DeviceFrame& frame, void* numbers, std::size_t count, const Coding& coding,
                Queue& queue) const override {
    if (Status s = check(frame, count, coding, queue); !s) return s;
    if (coding.divisor != 1) return queue.divide(coding.dtype, payload_of(frame), numbers, count, coding.divisor);
    return queue.copy(numbers, payload_of(frame), count * size_of(coding.dtype));
  }

  Status decode_reduce(const DeviceFrame& frame, const void* with, void* result, std::size_t count,
                       const Coding& coding, Queue& queue) const override {
    if (Status s = check(frame, count, coding, queue); !s) return s;
    return raw::combine_on_device(coding.dtype, coding.op, with, payload_of(frame), result, count, queue);
  }

  Status encode_pieces(std::span<const Piece> pieces, const Coding& coding, Queue& queue) const override {
    for (const Piece& piece : pieces)
      if (Status s = encode_piece(piece, coding, queue); !s) return s;
    return {};
  }

  Status status(std::uint32_t) const override { return {Code::frame, "malformed frame"}; }

 private:
  static Status encode_piece(const Piece& piece, const Coding& coding, Queue& queue) {
    if (Status s = write_header(piece.count, coding, piece.out, piece.report, queue); !s) return s;
    return queue.copy(piece.out + wire::header_bytes, piece.numbers, piece.count * size_of(coding.dtype));
  }

  static Status combine(const void* a, const void* b, std::size_t count, const Coding& coding, std::byte* out,
                        Queue& queue) {
    if (Status s = write_header(count, coding, out, report_of(queue), queue); !s) return s;
    return raw::combine_on_device(coding.dtype, coding.op, a, b, out + wire::header_bytes, count, queue);
  }
};

}  // namespace

const DeviceCodec& raw_on_cuda() {
  static const RawOnDevice codec;
  return codec;
}

}  // namespace laconic
