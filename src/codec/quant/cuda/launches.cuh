// SPDX-License-Identifier: BSD-3-Clause
// The conversion of codec requests to kernel arguments.
#pragma once

#include <algorithm>

#include "codec/quant/cuda/kernels.hpp"
#include "codec/quant/cuda/make_frames.cuh"
#include "codec/quant/cuda/read_frame.cuh"
#include "codec/quant/numbers.hpp"
#include "codec/quant/operation.hpp"

namespace laconic::quant::cuda {

inline cudaStream_t stream_of(Queue& queue) { return static_cast<cudaStream_t>(queue.native()); }

// The words of a tile in the workspace, after the tickets: one for the output, and one for each input frame.
inline std::uint64_t* words_of_output(const Workspace& workspace) { return workspace.words + Workspace::first_free; }
inline std::uint64_t* words_of_input(const Workspace& workspace, std::size_t tiles, std::size_t frame) {
  return words_of_output(workspace) + (1 + frame) * tiles;
}

// Begins a launch that looks back.
inline Status begin_turn(Workspace& workspace, Queue& queue, Turn& turn) {
  turn.tickets = workspace.words;
  turn.handed_out = workspace.tickets;
  turn.epoch = workspace.next_epoch(said::epochs);
  if (turn.epoch != 1) return {};
  turn.handed_out = workspace.tickets = 0;
  return queue.clear(workspace.words, workspace.count * sizeof(std::uint64_t));
}

// Tickets count only for a launch that took place.
inline Status end_turn(Status launched, Workspace& workspace, std::size_t tiles) {
  if (launched.ok()) workspace.tickets += static_cast<std::uint32_t>(tiles);
  return launched;
}

constexpr std::uint32_t values_of(bool is_scaled) { return is_scaled ? scaled_block : full_block; }

inline constexpr std::uint8_t frames_codec = 2;  // the codec field in the frames of quant

inline Status no_workspace() { return {Code::memory, "no device memory for the workspace of kernels"}; }

// Has a kernel check a header that the host does not know.
inline Status check_unread(const DeviceFrame& frame, std::size_t count, const Coding& coding, double step,
                           Queue& queue) {
  if (coding.rounds_result())
    return {Code::argument, "quant: the host has to know the errors of results that it rounds"};
  const bool is_scaled = coding.relative > 0;
  const std::size_t index = 2 * std::size_t{count_blocks(static_cast<std::uint32_t>(count), values_of(is_scaled))};
  if (frame.size < wire::header_bytes + index) return status_of(Problem::ends_in_index);
  HeaderRules rules;
  rules.codec = frames_codec;
  rules.flags = is_scaled ? wire::flag_scaled : 0;
  rules.dtype = coding.dtype;
  rules.count = static_cast<std::uint32_t>(count);
  rules.least_payload = static_cast<std::uint32_t>(index);
  rules.most_payload =
      count == 0 ? 0 : static_cast<std::uint32_t>(std::min<std::size_t>(frame.size - wire::header_bytes, 0xffffffff));
  rules.step = is_scaled ? 1 : step;
  return read_header_on_device(frame.bytes, rules, frame.unread, queue);
}

// Checks the header of a frame that is to be combined.
inline Status check_one(const DeviceFrame& frame, std::size_t count, const Coding& coding, const Lattice& lattice,
                        Queue& queue) {
  return frame.unread == nullptr ? check_combined(frame.header, coding, lattice)
                                 : check_unread(frame, count, coding, lattice.step, queue);
}

// Prepare a frame for kernels.  words: for looking back over the index of a long frame.
inline Status open_frame(const DeviceFrame& frame, std::uint32_t blocks, std::uint64_t* words, InFrame& in) {
  if (frame.header.payload < 2 * std::uint64_t{blocks}) return status_of(Problem::ends_in_index);
  if (blocks == 0 && frame.header.payload != 0) return status_of(Problem::bytes_after);
  in.bytes = frame.bytes;
  in.payload = frame.header.payload;
  in.lattice = frame.header.step > 0;
  in.words = blocks > few_blocks ? words : nullptr;
  return {};
}
inline Status open_frame(const DeviceFrame& frame, std::uint32_t blocks, std::uint64_t* words, UnreadFrame& in) {
  in.bytes = frame.bytes;
  in.header = frame.unread;
  in.words = blocks > few_blocks ? words : nullptr;
  return {};
}

// Sets the arguments that all kernels that write frames share, before anything is launched.  first_error: the error of
// the frame when no own numbers are put on the lattice.
template <class T, unsigned most_outputs, class In>
Status set_common(const Coding& coding, const Lattice& lattice, double first_error, Workspace& workspace, Queue& queue,
                  MakeArguments<T, most_outputs, In>& arguments) {
  const double error = error_of(Op::sum, first_error, error_of_rounding(coding, lattice));
  arguments.op = coding.op;
  arguments.lattice = lattice;
  wire::Header header;
  header.codec = frames_codec;
  header.dtype = coding.dtype;
  header.flags = coding.relative > 0 ? wire::flag_scaled : 0;
  header.step = coding.relative > 0 ? 1 : step_of_frames(coding, lattice);
  header.error = error;
  arguments.error_inherited = error;
  arguments.coarser = coding.rounds_result() ? coding.coarser : 0;
  arguments.relative = coding.relative;
  arguments.terms = coding.terms;
  arguments.exact_denormals = coding.exact_denormals;
  wire::write_header(header, std::as_writable_bytes(std::span(arguments.header)));
  arguments.words = words_of_output(workspace);
  return begin_turn(workspace, queue, arguments.turn);
}

template <template <class, unsigned, class> class Maker, class T, Input input, unsigned most_outputs, class In>
Status launch_maker(const MakeArguments<T, most_outputs, In>& arguments, unsigned tiles, Queue& queue) {
  if constexpr (In::unread)
    return launch(make_from_unread<Maker, T, input>, tiles, tile_threads, stream_of(queue), arguments);
  else
    return launch(make_frames<Maker, T, input, most_outputs>, tiles, tile_threads, stream_of(queue), arguments);
}

template <class T, Input input, unsigned most_outputs, class In>
Status launch_maker_of_kind(const MakeArguments<T, most_outputs, In>& arguments, unsigned tiles, Queue& queue) {
  if constexpr (input != Input::several)
    if (arguments.relative > 0) return launch_maker<ScaledMaker, T, input>(arguments, tiles, queue);
  return launch_maker<BlockMaker, T, input>(arguments, tiles, queue);
}

template <class T, Input input, unsigned most_outputs, class In>
Status launch_make(const MakeArguments<T, most_outputs, In>& arguments, std::size_t tiles, Workspace& workspace,
                   Queue& queue) {
  return end_turn(launch_maker_of_kind<T, input>(arguments, static_cast<unsigned>(tiles), queue), workspace, tiles);
}

template <class T, unsigned most_outputs>
Status encode_some(std::span<const Piece> pieces, const Coding& coding, Queue& queue) {
  std::size_t tiles = 0;
  MakeArguments<T, most_outputs> arguments;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    arguments.outputs[i] = {static_cast<const T*>(piece.numbers), piece.out, piece.report,
                            static_cast<std::uint32_t>(piece.count), static_cast<std::uint32_t>(tiles)};
    tiles += tiles_of(piece.count, coding.relative > 0);
  }
  arguments.output_count = static_cast<std::uint32_t>(pieces.size());
  Workspace& workspace = queue.workspace(workspace_words(tiles));
  if (workspace.words == nullptr) return no_workspace();
  if (Status s = set_common(coding, lattice_of(coding), 0, workspace, queue, arguments); !s) return s;
  arguments.error_if_rounded = coding.allowance;
  return launch_make<T, Input::numbers>(arguments, tiles, workspace, queue);
}

template <class T>
Status Launches<T>::encode(std::span<const Piece> pieces, const Coding& coding, Queue& queue) {
  if (pieces.size() == 1) return encode_some<T, 1>(pieces, coding, queue);
  for (std::size_t i = 0; i < pieces.size(); i += most_pieces)
    if (Status s = encode_some<T, most_pieces>(pieces.subspan(i, std::min<std::size_t>(most_pieces, pieces.size() - i)),
                                               coding, queue);
        !s)
      return s;
  return {};
}

inline std::uint32_t blocks_of(std::size_t count, bool is_scaled) {
  return count_blocks(static_cast<std::uint32_t>(count), values_of(is_scaled));
}

template <class In, class T>
Status fold_frame(const DeviceFrame& frame, const T* numbers, std::size_t count, const Coding& coding, std::byte* out,
                  Queue& queue) {
  const Lattice lattice = lattice_of(coding);
  if (Status s = check_one(frame, count, coding, lattice, queue); !s) return s;
  const bool is_scaled = coding.relative > 0;
  const std::size_t tiles = tiles_of(count, is_scaled);
  Workspace& workspace = queue.workspace(workspace_words(tiles));
  if (workspace.words == nullptr) return no_workspace();
  MakeArguments<T, 1, In> arguments;
  if (Status s = set_common(coding, lattice, frame.header.error, workspace, queue, arguments); !s) return s;
  if (Status s =
          open_frame(frame, blocks_of(count, is_scaled), words_of_input(workspace, tiles, 0), arguments.frames[0]);
      !s)
    return s;
  arguments.frame_count = 1;
  arguments.outputs[0] = {numbers, out, report_of(queue), static_cast<std::uint32_t>(count), 0};
  const double inherited = error_of(coding.op, frame.header.error, coding.allowance);
  arguments.error_if_rounded =
      In::unread ? coding.allowance : error_of(Op::sum, inherited, error_of_rounding(coding, lattice));
  return launch_make<T, Input::frame_and_numbers>(arguments, tiles, workspace, queue);
}

template <class T>
Status Launches<T>::fold(const DeviceFrame& frame, const T* numbers, std::size_t count, const Coding& coding,
                         std::byte* out, Queue& queue) {
  return frame.unread == nullptr ? fold_frame<InFrame>(frame, numbers, count, coding, out, queue)
                                 : fold_frame<UnreadFrame>(frame, numbers, count, coding, out, queue);
}

template <class In, class T>
Status add_frames(const DeviceFrame& a, const DeviceFrame& b, std::size_t count, const Coding& coding, std::byte* out,
                  Queue& queue) {
  const Lattice lattice = lattice_of(coding);
  if (Status s = check_one(a, count, coding, lattice, queue); !s) return s;
  if (Status s = check_one(b, count, coding, lattice, queue); !s) return s;
  const bool is_scaled = coding.relative > 0;
  const std::size_t tiles = tiles_of(count, is_scaled);
  Workspace& workspace = queue.workspace(workspace_words(tiles));
  if (workspace.words == nullptr) return no_workspace();
  MakeArguments<T, 1, In> arguments;
  const double error = error_of(coding.op, a.header.error, b.header.error);
  if (Status s = set_common(coding, lattice, error, workspace, queue, arguments); !s) return s;
  const std::uint32_t blocks = blocks_of(count, is_scaled);
  if (Status s = open_frame(a, blocks, words_of_input(workspace, tiles, 0), arguments.frames[0]); !s) return s;
  if (Status s = open_frame(b, blocks, words_of_input(workspace, tiles, 1), arguments.frames[1]); !s) return s;
  arguments.frame_count = 2;
  arguments.outputs[0] = {nullptr, out, report_of(queue), static_cast<std::uint32_t>(count), 0};
  arguments.error_if_rounded = 0;
  return launch_make<T, Input::frames>(arguments, tiles, workspace, queue);
}

template <class T>
Status Launches<T>::combine(std::span<const DeviceFrame> frames, const T* numbers, std::size_t count,
                            const Coding& coding, std::byte* out, Queue& queue) {
  if (frames.empty() || frames.size() > DeviceCodec::most_combined || (frames.size() == 1 && numbers == nullptr))
    return {Code::argument, "quant: up to 8 frames, or numbers and one frame at least, are combined in one launch"};
  const Lattice lattice = lattice_of(coding);
  for (const DeviceFrame& frame : frames) {
    if (frame.unread != nullptr) return {Code::argument, "quant: the host has to know the headers of several frames"};
    if (Status s = check_combined(frame.header, coding, lattice); !s) return s;
  }
  const std::size_t tiles = tiles_of(count, false);
  Workspace& workspace = queue.workspace(workspace_words(tiles));
  if (workspace.words == nullptr) return no_workspace();
  // As combining one after the other would add them up.
  double inherited = frames[0].header.error;
  double rounded = error_of(coding.op, inherited, numbers != nullptr ? coding.allowance : 0);
  for (const DeviceFrame& frame : frames.subspan(1)) {
    inherited = error_of(coding.op, frame.header.error, inherited);
    rounded = error_of(coding.op, frame.header.error, rounded);
  }
  MakeArguments<T, 1, InFrame> arguments;
  if (Status s = set_common(coding, lattice, inherited, workspace, queue, arguments); !s) return s;
  for (std::size_t k = 0; k < frames.size(); ++k)
    if (Status s =
            open_frame(frames[k], blocks_of(count, false), words_of_input(workspace, tiles, k), arguments.frames[k]);
        !s)
      return s;
  arguments.frame_count = static_cast<std::uint32_t>(frames.size());
  arguments.outputs[0] = {numbers, out, report_of(queue), static_cast<std::uint32_t>(count), 0};
  arguments.error_if_rounded = error_of(Op::sum, rounded, error_of_rounding(coding, lattice));
  return launch_make<T, Input::several>(arguments, tiles, workspace, queue);
}

template <class T>
Status Launches<T>::add(const DeviceFrame& a, const DeviceFrame& b, std::size_t count, const Coding& coding,
                        std::byte* out, Queue& queue) {
  if ((a.unread == nullptr) != (b.unread == nullptr))
    return {Code::argument, "quant: the host knows the headers of both frames that are added, or of neither"};
  return a.unread == nullptr ? add_frames<InFrame, T>(a, b, count, coding, out, queue)
                             : add_frames<UnreadFrame, T>(a, b, count, coding, out, queue);
}

template <class T>
void set_step(const DeviceFrame& frame, const Coding& coding, ReadArguments<T>& arguments) {
  arguments.step = frame.header.step;
  if (!frame.header.scaled()) arguments.step_single = step_in_single<T>(frame.header.step, coding.divisor);
}
template <class T>
void set_step(const DeviceFrame& frame, const Coding&, ReadUnreadArguments<T>& arguments) {
  arguments.header = frame.unread;
}

template <class T>
Status launch_read(const ReadArguments<T>& arguments, bool is_scaled, unsigned tiles, Queue& queue) {
  return is_scaled ? launch(read_frame<T, true>, tiles, tile_threads, stream_of(queue), arguments)
                   : launch(read_frame<T, false>, tiles, tile_threads, stream_of(queue), arguments);
}
template <class T>
Status launch_read(const ReadUnreadArguments<T>& arguments, bool is_scaled, unsigned tiles, Queue& queue) {
  return is_scaled ? launch(read_unread<T, true>, tiles, tile_threads, stream_of(queue), arguments)
                   : launch(read_unread<T, false>, tiles, tile_threads, stream_of(queue), arguments);
}

// Reads a frame whose header has been checked, or is being checked.
template <class Arguments, class In, class T>
Status read_checked(const DeviceFrame& frame, bool is_scaled, const T* with, T* numbers, std::size_t count,
                    const Coding& coding, Queue& queue) {
  const std::size_t tiles = tiles_of(count, is_scaled);
  Workspace& workspace = queue.workspace(workspace_words(tiles));
  if (workspace.words == nullptr) return no_workspace();
  In in;
  if (Status s = open_frame(frame, blocks_of(count, is_scaled), words_of_input(workspace, tiles, 0), in); !s) return s;
  if (count == 0) return {};
  Arguments arguments;
  arguments.frame.bytes = in.bytes;
  arguments.frame.words = in.words;
  if constexpr (!In::unread) arguments.frame = in;
  set_step(frame, coding, arguments);
  arguments.count = static_cast<std::uint32_t>(count);
  arguments.with = with;
  arguments.numbers = numbers;
  arguments.divisor = coding.divisor;
  arguments.whole = with == nullptr && reinterpret_cast<std::uintptr_t>(numbers) % 16 == 0;
  arguments.op = coding.op;
  arguments.report = report_of(queue);
  if (in.words == nullptr) return launch_read(arguments, is_scaled, static_cast<unsigned>(tiles), queue);
  if (Status s = begin_turn(workspace, queue, arguments.turn); !s) return s;
  return end_turn(launch_read(arguments, is_scaled, static_cast<unsigned>(tiles), queue), workspace, tiles);
}

template <class T>
Status Launches<T>::decode(const DeviceFrame& frame, const T* with, T* numbers, std::size_t count, const Coding& coding,
                           Queue& queue) {
  if (frame.unread != nullptr) {
    const double step = coding.allowance > 0 ? lattice_of(coding).step : HeaderRules::any_step;
    if (Status s = check_unread(frame, count, coding, step, queue); !s) return s;
    return read_checked<ReadUnreadArguments<T>, UnreadFrame>(frame, coding.relative > 0, with, numbers, count, coding,
                                                             queue);
  }
  if (Status s = check_decoded(frame.header, coding); !s) return s;
  return read_checked<ReadArguments<T>, InFrame>(frame, frame.header.scaled(), with, numbers, count, coding, queue);
}

}  // namespace laconic::quant::cuda
