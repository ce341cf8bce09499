// SPDX-License-Identifier: BSD-3-Clause
// The codec zfp at a fixed rate for numbers on a device: it writes the same bytes as on the host.
#include <algorithm>
#include <limits>
#include <string>

#include "codec/device_codec.hpp"
#include "codec/zfp/cuda/decode.cuh"
#include "codec/zfp/cuda/encode.cuh"
#include "codec/zfp/cuda/settle.cuh"

namespace laconic {
namespace zfp {
namespace {

// The largest number of arrays that one launch encodes: its arguments have room for no more.
constexpr std::size_t most_targets = 64;

constexpr std::uint8_t frames_codec = 4;  // the codec field in the frames of zfp

// The limit that lets offsets in a frame fit 32 bits.
constexpr std::size_t most_numbers = std::size_t{1} << 28;

Status malformed(const char* what) { return {Code::frame, std::string("malformed frame: ") + what}; }

cudaStream_t stream_of(Queue& queue) { return static_cast<cudaStream_t>(queue.native()); }

Shape shape_of(const Coding& coding) {
  const Parameters ours = Parameters::make(coding);
  return {static_cast<std::uint32_t>(size_of(coding.dtype)),
          ours.mode == Mode::rate ? static_cast<std::uint32_t>(ours.parameter) : 0};
}

// The words of the workspace: the faults of the frames that are read, two words for each part that is written, and one
// for each part of the first and of the second frame that is read.  They are 0 again when the last kernel is done.
struct Words {
  std::uint32_t* faults = nullptr;  // two
  PartWords parts{};
  std::uint64_t* inputs[2] = {};

  static constexpr std::size_t of_faults = 1;
  static std::size_t needed(std::size_t written, std::size_t read) {
    return Workspace::first_free + of_faults + 2 * written + 2 * read;
  }
  // written: parts of all targets; read: parts of each frame.
  static Status get(Queue& queue, std::size_t written, std::size_t read, Words& words) {
    Workspace& workspace = queue.workspace(needed(written, read));
    if (workspace.words == nullptr) return {Code::memory, "no device memory for the workspace of kernels"};
    std::uint64_t* const first = workspace.words + Workspace::first_free;
    words.faults = reinterpret_cast<std::uint32_t*>(first);
    words.parts = {first + of_faults, static_cast<std::uint32_t>(written)};
    words.inputs[0] = first + of_faults + 2 * written;
    words.inputs[1] = words.inputs[0] + read;
    return {};
  }
};

// An empty array has a part, too, so that its launches are those of any other.
std::uint32_t parts_of(std::size_t count) { return std::max<std::uint32_t>(Shape::parts(count), 1); }

Heading heading_of(const Coding& coding) {
  wire::Header header;
  header.codec = frames_codec;
  header.dtype = coding.dtype;
  Heading heading;
  wire::write_header(header, std::as_writable_bytes(std::span(heading.words)));
  const Parameters ours = Parameters::make(coding);
  heading.head = static_cast<std::uint32_t>(ours.mode) |
                 static_cast<std::uint32_t>(static_cast<std::uint16_t>(ours.parameter)) << 16;
  return heading;
}

// Checks the header of a frame, the only part that the host can see, or has a kernel check it.
Status check_header(const DeviceFrame& frame, std::size_t count, const Coding& coding, Queue& queue) {
  if (frame.unread == nullptr) return frame.header.step == 0 ? Status{} : malformed("zfp with a step");
  if (frame.size < Shape::pieces_at(count)) return malformed("no room for the index of zfp");
  HeaderRules rules;
  rules.codec = frames_codec;
  rules.dtype = coding.dtype;
  rules.count = static_cast<std::uint32_t>(count);
  rules.least_payload = Shape::pieces_at(count) - static_cast<std::uint32_t>(wire::header_bytes);
  rules.most_payload = static_cast<std::uint32_t>(std::min<std::size_t>(frame.size - wire::header_bytes, 0xffffffff));
  return read_header_on_device(frame.bytes, rules, frame.unread, queue);
}

// Memory behind the largest frame of `count` numbers is left alone.
Status open(const DeviceFrame& from, std::size_t count, const Coding& coding, std::uint64_t* places,
            std::uint32_t* fault, Report* report, Queue& queue, OpenFrame& frame) {
  const std::size_t largest = Shape::pieces_at(count) + count * size_of(coding.dtype);
  frame = {from.bytes, from.unread == nullptr ? from.size : std::min(from.size, largest), places, fault};
  return launch(open_frame, PiecesOfBlock::thread_blocks(Shape::pieces(count)), part_blocks, stream_of(queue), frame,
                from.unread, count, coding.dtype, Parameters::make(coding), shape_of(coding), report);
}

// Writes the frames of all targets from a source that reads `frames` frames, which are open.
template <class T, class Source, unsigned most>
Status write_frames(const Targets<most>& targets, const Source& source, const Coding& coding,
                    const Inherited& inherited, const Words& words, std::uint32_t frames, Queue& queue) {
  const Shape shape = shape_of(coding);
  // The limit prevents an overflow of a sum of rounded numbers where the exact sum would not overflow.
  const T largest = std::numeric_limits<T>::max() / static_cast<T>(std::max<std::uint32_t>(coding.terms, 1));
  const Limits<T> limits{largest, coding.exact_denormals};
  const std::uint32_t blocks = targets.count * targets.parts_of_each;
  const auto encode = [&](bool again) {
    return launch(encode_parts<T, Source, most>, blocks, part_blocks, stream_of(queue), targets, source, shape, limits,
                  words.parts, again);
  };
  if (Status s = encode(false); !s) return s;
  const std::uint32_t settling = PiecesOfBlock::thread_blocks(targets.parts_of_each / parts_of_piece);
  if (Status s = launch(settle_frames<most>, targets.count * settling, part_blocks, stream_of(queue), targets, settling,
                        heading_of(coding), shape, inherited, words.parts, words.faults, frames);
      !s)
    return s;
  return encode(true);
}

template <class T, unsigned most>
Status encode_some(std::span<const Piece> pieces, const Coding& coding, Queue& queue) {
  Targets<most> targets{};
  for (const Piece& piece : pieces) {
    targets.of[targets.count++] = piece;
    targets.parts_of_each = std::max(targets.parts_of_each, parts_of(piece.count));
  }
  Words words;
  if (Status s = Words::get(queue, std::size_t{targets.count} * targets.parts_of_each, 0, words); !s) return s;
  return write_frames<T>(targets, OwnNumbers{}, coding, Inherited{}, words, 0, queue);
}

template <class T>
Status fold_frame(const DeviceFrame& frame, const Piece& target, const Coding& coding, Queue& queue) {
  if (Status s = check_header(frame, target.count, coding, queue); !s) return s;
  const std::uint32_t parts = parts_of(target.count);
  Words words;
  if (Status s = Words::get(queue, parts, parts, words); !s) return s;
  OpenFrame in;
  if (Status s = open(frame, target.count, coding, words.inputs[0], words.faults, nullptr, queue, in); !s) return s;
  const Targets<1> targets{{target}, 1, parts};
  return write_frames<T>(targets, FrameAndNumbers{in, coding.op}, coding, Inherited{frame.header.error, frame.unread},
                         words, 1, queue);
}

template <class T>
Status add_frames(const DeviceFrame& a, const DeviceFrame& b, const Piece& target, const Coding& coding, Queue& queue) {
  if (Status s = check_header(a, target.count, coding, queue); !s) return s;
  if (Status s = check_header(b, target.count, coding, queue); !s) return s;
  const std::uint32_t parts = parts_of(target.count);
  Words words;
  if (Status s = Words::get(queue, parts, parts, words); !s) return s;
  OpenFrame in_a;
  OpenFrame in_b;
  if (Status s = open(a, target.count, coding, words.inputs[0], words.faults, nullptr, queue, in_a); !s) return s;
  if (Status s = open(b, target.count, coding, words.inputs[1], words.faults + 1, nullptr, queue, in_b); !s) return s;
  const Inherited inherited{Inherited::of(coding.op, a.header.error, b.header.error), a.unread, b.unread, coding.op};
  const Targets<1> targets{{target}, 1, parts};
  return write_frames<T>(targets, TwoFrames{in_a, in_b, coding.op}, coding, inherited, words, 2, queue);
}

template <class T>
Status read_frame(const DeviceFrame& frame, const Result<T>& result, std::size_t count, const Coding& coding,
                  Queue& queue) {
  if (Status s = check_header(frame, count, coding, queue); !s) return s;
  Words words;
  if (Status s = Words::get(queue, 0, parts_of(count), words); !s) return s;
  Report* const report = report_of(queue);
  OpenFrame in;
  if (Status s = open(frame, count, coding, words.inputs[0], &report->fault, report, queue, in); !s) return s;
  return launch(decode_parts<T>, parts_of(count), part_blocks, stream_of(queue), in, count, shape_of(coding), result);
}

class ZfpOnDevice final : public DeviceCodec {
 public:
  // With a bound, the code of a block has a variable length: that mode is left to libzfp.
  bool supports(const Coding& coding) const override {
    return SingleAndDouble::has(coding.dtype) && coding.rate > 0 && coding.relative == 0;
  }

  std::size_t workspace_words(std::size_t count, Dtype) const override {
    return Words::needed(parts_of(count), parts_of(count));
  }

  Status encode(const void* numbers, std::size_t count, const Coding& coding, std::byte* out,
                Queue& queue) const override {
    const Piece piece{numbers, count, out, report_of(queue)};
    return encode_pieces({&piece, 1}, coding, queue);
  }

  Status encode_pieces(std::span<const Piece> pieces, const Coding& coding, Queue& queue) const override {
    std::size_t count = 0;
    for (const Piece& piece : pieces) count = std::max(count, piece.count);
    return run(coding, count, [&](auto zero) -> Status {
      using T = decltype(zero);
      if (pieces.size() == 1) return encode_some<T, 1>(pieces, coding, queue);
      for (std::size_t i = 0; i < pieces.size(); i += most_targets)
        if (Status s = encode_some<T, most_targets>(
                pieces.subspan(i, std::min<std::size_t>(most_targets, pieces.size() - i)), coding, queue);
            !s)
          return s;
      return {};
    });
  }

  Status fold(const DeviceFrame& frame, const void* numbers, std::size_t count, const Coding& coding, std::byte* out,
              Queue& queue) const override {
    return run(coding, count, [&](auto zero) {
      return fold_frame<decltype(zero)>(frame, {numbers, count, out, report_of(queue)}, coding, queue);
    });
  }

  Status add(const DeviceFrame& a, const DeviceFrame& b, std::size_t count, const Coding& coding, std::byte* out,
             Queue& queue) const override {
    return run(coding, count, [&](auto zero) {
      return add_frames<decltype(zero)>(a, b, {nullptr, count, out, report_of(queue)}, coding, queue);
    });
  }

  Status decode(const DeviceFrame& frame, void* numbers, std::size_t count, const Coding& coding,
                Queue& queue) const override {
    return decode_reduce(frame, nullptr, numbers, count, coding, queue);
  }

  Status decode_reduce(const DeviceFrame& frame, const void* with, void* result, std::size_t count,
                       const Coding& coding, Queue& queue) const override {
    return run(coding, count, [&](auto zero) {
      using T = decltype(zero);
      const Result<T> into{static_cast<T*>(result), static_cast<const T*>(with), coding.op, coding.divisor};
      return read_frame<T>(frame, into, count, coding, queue);
    });
  }

  Status status(std::uint32_t fault) const override {
    switch (static_cast<Fault>(fault)) {
      case Fault::none: return {};
      case Fault::no_index: return malformed("no room for the index of zfp");
      case Fault::parameters: return malformed("parameters that zfp does not have");
      case Fault::others: return malformed("zfp parameters differ from this operation's");
      case Fault::header: return malformed("the header");
      case Fault::piece: break;
    }
    return malformed("a piece of zfp is cut short or not valid");
  }

 private:
  template <class F>
  Status run(const Coding& coding, std::size_t count, F&& f) const {
    if (!supports(coding)) return {Code::argument, "zfp: a device codes at a fixed rate only"};
    if (count > most_numbers) return {Code::argument, "zfp: a device codes at most 2^28 numbers at a time"};
    return dispatch(SingleAndDouble{}, coding.dtype, f);
  }
};

}  // namespace
}  // namespace zfp

const DeviceCodec& zfp_on_cuda() {
  static const zfp::ZfpOnDevice codec;
  return codec;
}

}  // namespace laconic
