// SPDX-License-Identifier: BSD-3-Clause
#include "wire/frame.hpp"

#include <cmath>
#include <string>

#include "wire/bytes.hpp"

namespace laconic::wire {
namespace {

Status malformed(const std::string& what) { return {Code::frame, "malformed frame: " + what}; }

}  // namespace

void write_header(const Header& header, std::span<std::byte> out) {
  put(out, 0, magic);
  put(out, 4, version);
  put(out, 5, header.codec);
  put(out, 6, static_cast<std::uint8_t>(header.dtype));
  put(out, 7, header.flags);
  put(out, 8, header.count);
  put(out, payload_offset, header.payload);
  put(out, 16, header.step);
  put(out, error_offset, header.error);
}

Status read_header(std::span<const std::byte> frame, Header& header) {
  return read_header(frame, frame.size(), header);
}

Status read_header(std::span<const std::byte> frame, std::size_t frame_bytes, Header& header) {
  if (frame.size() < header_bytes || frame_bytes < header_bytes)
    return malformed(std::to_string(frame_bytes) + " bytes, the header alone has " + std::to_string(header_bytes));
  if (get<std::uint32_t>(frame, 0) != magic) return malformed("wrong magic number");
  if (const auto v = get<std::uint8_t>(frame, 4); v != version)
    return malformed("version " + std::to_string(v) + ", this library reads " + std::to_string(version));
  Header h;
  h.codec = get<std::uint8_t>(frame, 5);
  const auto dtype = get<std::uint8_t>(frame, 6);
  if (!known(static_cast<Dtype>(dtype))) return malformed("unknown type " + std::to_string(dtype));
  h.dtype = static_cast<Dtype>(dtype);
  h.flags = get<std::uint8_t>(frame, 7);
  if ((h.flags & ~(flag_failed | flag_scaled)) != 0) return malformed("unknown flags " + std::to_string(h.flags));
  h.count = get<std::uint32_t>(frame, 8);
  h.payload = get<std::uint32_t>(frame, payload_offset);
  h.step = get<double>(frame, 16);
  h.error = get<double>(frame, error_offset);
  // -0 is refused, too.  It equals 0 but has other bytes, so the sum of two frames would depend on their order.
  if (!std::isfinite(h.step) || std::signbit(h.step)) return malformed("step is not a finite number >= 0");
  if (!std::isfinite(h.error) || std::signbit(h.error)) return malformed("error is not a finite number >= 0");
  if (h.payload != frame_bytes - header_bytes)
    return malformed("payload of " + std::to_string(h.payload) + " bytes announced, " +
                     std::to_string(frame_bytes - header_bytes) + " present");
  if (h.failed() != (h.codec == codec_none)) return malformed("a failed frame has codec 0, and no other has");
  if (h.failed() && h.scaled()) return malformed("a failed frame that is scaled");
  if (h.failed() && (h.payload != 0 || h.step != 0 || h.error != 0))
    return malformed("a failed frame with a payload, a step or an error");
  header = h;
  return {};
}

Status frame_size(std::span<const std::byte> bytes, std::size_t& size) {
  if (bytes.size() < header_bytes)
    return malformed(std::to_string(bytes.size()) + " bytes, the header alone has " + std::to_string(header_bytes));
  const std::size_t payload = get<std::uint32_t>(bytes, payload_offset);
  if (payload > bytes.size() - header_bytes)
    return malformed("payload of " + std::to_string(payload) + " bytes announced, " +
                     std::to_string(bytes.size() - header_bytes) + " present");
  size = header_bytes + payload;
  return {};
}

std::size_t write_failed_frame(std::uint32_t count, Dtype dtype, std::span<std::byte> out) {
  Header h;
  h.dtype = dtype;
  h.flags = flag_failed;
  h.count = count;
  write_header(h, out);
  return header_bytes;
}

}  // namespace laconic::wire
