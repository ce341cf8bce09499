// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary bytes as a header are refused, or read and written back unchanged.
#include <cmath>

#include "support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laconic;
  using namespace laconic::fuzz;
  const Bytes frame = Input(data, size).rest();
  wire::Header header;
  header.count = 77;
  const Status s = wire::read_header(frame, header);
  if (!s.ok()) {
    require(s.code() == Code::frame && !s.message().empty(), "wire", "an error without its code or words");
    require(header.count == 77, "wire", "a header that was refused was handed out");
  } else {
    require(frame.size() == wire::header_bytes + header.payload, "wire", "a payload of another size was accepted");
    require(std::isfinite(header.step) && !std::signbit(header.step), "wire", "a step that is none was accepted");
    require(std::isfinite(header.error) && !std::signbit(header.error), "wire", "an error that is none was accepted");
    require(!header.failed() || (header.codec == wire::codec_none && header.payload == 0), "wire",
            "a failed frame with numbers was accepted");
    Bytes back(wire::header_bytes);
    wire::write_header(header, back);
    require(std::memcmp(back.data(), frame.data(), back.size()) == 0, "wire", "the header is written as other bytes");
  }
  for (const Codec* codec : all_codecs())
    for (const Dtype dtype : all_dtypes) {
      wire::Header again;
      const bool expected = codec->supports(dtype) && s.ok() && !header.failed() && header.codec == codec->id() &&
                            header.dtype == dtype && (!header.scaled() || codec->relative());
      require(read_codec_header(frame, *codec, header.count, dtype, again).ok() == expected, codec->name(),
              "the frame of another codec or type is accepted, or that of this one is not");
    }
  return 0;
}
