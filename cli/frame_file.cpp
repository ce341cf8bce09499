// SPDX-License-Identifier: BSD-3-Clause
#include "frame_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "failure.hpp"
#include "output_file.hpp"

namespace laconic::cli {
namespace {

constexpr auto crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) != 0 ? 0xedb88320U : 0U);
    table[i] = c;
  }
  return table;
}();

template <class T>
T get(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

const Codec* codec_of(std::uint8_t id) {
  for (const Codec* codec : all_codecs())
    if (codec->id() == id) return codec;
  return nullptr;
}

// Reads a file of frames from its beginning, and tracks the position for error messages.
class Source {
 public:
  explicit Source(const std::string& file) : file_(file), in_(file, std::ios::binary) {
    std::error_code error;
    left_ = std::filesystem::file_size(file, error);
    if (error) throw Failure(fmt::format("{}: {}", file, error.message()));
  }

  std::size_t left() const { return left_; }

  void read(std::span<std::byte> to, std::string_view what) {
    if (to.size() > left_) fail(fmt::format("the file is cut short in {}", what));
    in_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
    if (!in_) fail("cannot be read");
    left_ -= to.size();
    at_ += to.size();
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Failure(fmt::format("{}: {} (frame {}, byte {})", file_, what, frame_, at_));
  }

  void next_frame() { ++frame_; }

 private:
  std::string file_;
  std::ifstream in_;
  std::size_t left_ = 0;
  std::size_t at_ = 0;
  std::size_t frame_ = 0;
};

void check_end(Source& source, std::span<std::byte> begun, std::uint32_t crc, std::size_t numbers) {
  source.read(begun.subspan(4), "its end");
  if (get<std::uint64_t>(begun.data() + 8) != numbers)
    source.fail(
        fmt::format("the end says {} numbers, the frames hold {}", get<std::uint64_t>(begun.data() + 8), numbers));
  if (get<std::uint32_t>(begun.data() + 4) != crc) source.fail("the file is damaged: its checksum is wrong");
  if (source.left() > 0) source.fail(fmt::format("{} bytes follow the end", source.left()));
}

}  // namespace

std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes) {
  crc = ~crc;
  for (const std::byte b : bytes) crc = crc_table[(crc ^ std::to_integer<std::uint32_t>(b)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

FileSummary write_frames(const Codec& codec, const Coding& coding, const Field& field, std::size_t chunk,
                         const std::string& file) {
  if (chunk == 0) chunk = std::max<std::size_t>(field.count, 1);
  if (chunk > largest_frame) throw usage(fmt::format("a frame of a file holds at most {} numbers", largest_frame));
  OutputFile out(file);
  FileSummary summary;
  Memory frame(codec.capacity(std::min(chunk, field.count), field.dtype));
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < field.count; i += chunk) {
    const std::size_t n = std::min(chunk, field.count - i);
    const Coded coded = codec.encode(field.numbers.data() + i * size_of(field.dtype), n, coding, frame.span());
    require(coded.status, std::string(codec.name()));
    const auto bytes = frame.span().first(coded.bytes);
    wire::Header header;
    require(wire::read_header(bytes, header), std::string(codec.name()));
    crc = crc32(crc, bytes);
    out.write(bytes);
    summary.error = std::max(summary.error, header.error);
    summary.bytes += coded.bytes;
    ++summary.frames;
  }
  summary.numbers = field.count;
  std::array<std::byte, end_bytes> end{};
  const std::uint64_t numbers = field.count;
  std::memcpy(end.data(), &end_word, 4);
  std::memcpy(end.data() + 4, &crc, 4);
  std::memcpy(end.data() + 8, &numbers, 8);
  out.write(end);
  summary.bytes += end_bytes;
  out.commit();
  return summary;
}

FileSummary read_frames(const std::string& file, const std::string& out_file) {
  Source source(file);
  OutputFile out(out_file);
  FileSummary summary;
  summary.bytes = source.left();
  std::optional<Dtype> dtype;
  std::uint32_t crc = 0;
  std::array<std::byte, wire::header_bytes> head{};
  static_assert(end_bytes <= wire::header_bytes);
  Memory frame;
  Memory numbers;
  for (;;) {
    source.next_frame();
    if (source.left() == 0) source.fail("the file is cut short: it has no end");
    const auto first = std::span(head).first(4);
    source.read(first, "a frame's header");
    if (get<std::uint32_t>(head.data()) == end_word) {
      check_end(source, std::span(head).first(end_bytes), crc, summary.numbers);
      out.commit();
      return summary;
    }
    if (get<std::uint32_t>(head.data()) != wire::magic) source.fail("malformed frame: wrong magic number");
    source.read(std::span(head).subspan(4), "a frame's header");
    const std::size_t payload = get<std::uint32_t>(head.data() + 12);
    if (payload > source.left())
      source.fail(fmt::format("the file is cut short: a payload of {} bytes is announced, {} are left", payload,
                              source.left()));
    if (frame.size() < head.size() + payload) frame = Memory(head.size() + payload);
    std::copy(head.begin(), head.end(), frame.data());
    const auto bytes = frame.span().first(head.size() + payload);
    source.read(bytes.subspan(head.size()), "a frame");
    crc = crc32(crc, bytes);

    wire::Header header;
    if (Status s = wire::read_header(bytes, header); !s) source.fail(s.message());
    if (header.failed()) source.fail("the frame says that its numbers could not be produced");
    const Codec* codec = codec_of(header.codec);
    if (codec == nullptr) source.fail(fmt::format("malformed frame: there is no codec {}", header.codec));
    if (dtype.value_or(header.dtype) != header.dtype)
      source.fail("malformed frame: its number type differs from that of the frames before");
    if (header.count > largest_frame) source.fail(fmt::format("malformed frame: {} numbers", header.count));
    dtype = header.dtype;
    const std::size_t size = header.count * size_of(header.dtype);
    if (numbers.size() < size) numbers = Memory(size);
    Coding coding;
    coding.dtype = header.dtype;
    if (Status s = codec->decode(bytes, numbers.data(), header.count, coding); !s) source.fail(s.message());
    out.write(numbers.span().first(size));
    summary.numbers += header.count;
    summary.error = std::max(summary.error, header.error);
    ++summary.frames;
  }
}

}  // namespace laconic::cli
