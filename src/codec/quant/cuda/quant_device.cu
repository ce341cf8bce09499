// SPDX-License-Identifier: BSD-3-Clause
// The codec quant for numbers on a device: it writes the same bytes as on the host.
#include <limits>

#include "codec/quant/cuda/frame_blocks.cuh"
#include "codec/quant/cuda/kernels.hpp"
#include "codec/quant/operation.hpp"

namespace laconic {
namespace quant::cuda {
std::size_t tiles_of(std::size_t count, bool is_scaled) {
  const std::uint32_t values = is_scaled ? scaled_block : full_block;
  return std::max<std::size_t>(count_tiles(static_cast<std::uint32_t>(count), values), 1);
}

std::size_t workspace_words(std::size_t tiles) {
  return Workspace::first_free + (1 + DeviceCodec::most_combined) * tiles;
}

namespace {

// The limit that lets the sizes of all blocks of a frame add up in 32 bits.
constexpr std::size_t most_numbers = std::size_t{1} << 28;

class QuantOnDevice final : public DeviceCodec {
 public:
  // The kernels know no range of a block.
  bool supports(const Coding& coding) const override {
    return FloatingTypes::has(coding.dtype) && coding.rate == 0 &&
           (coding.relative == 0 || coding.scale == BlockScale::rms);
  }

  // Scaled blocks, and numbers off the lattice, are combined by twos.
  std::size_t combines(const Coding& coding) const override {
    return supports(coding) && coding.relative == 0 && lattice_of(coding).step > 0 ? most_combined : 2;
  }

  std::size_t workspace_words(std::size_t count, Dtype) const override {
    return cuda::workspace_words(tiles_of(count, true));  // for both kinds of frames: scaled ones have more tiles
  }

  Status encode(const void* numbers, std::size_t count, const Coding& coding, std::byte* out,
                Queue& queue) const override {
    const Piece piece{numbers, count, out, report_of(queue)};
    return encode_pieces({&piece, 1}, coding, queue);
  }

  Status encode_pieces(std::span<const Piece> pieces, const Coding& coding, Queue& queue) const override {
    std::size_t count = 0;
    for (const Piece& piece : pieces) count = std::max(count, piece.count);
    return run(coding, count, [&](auto zero) { return Launches<decltype(zero)>::encode(pieces, coding, queue); });
  }

  Status fold(const DeviceFrame& frame, const void* numbers, std::size_t count, const Coding& coding, std::byte* out,
              Queue& queue) const override {
    return run(coding, count, [&](auto zero) {
      using T = decltype(zero);
      return Launches<T>::fold(frame, static_cast<const T*>(numbers), count, coding, out, queue);
    });
  }

  Status add(const DeviceFrame& a, const DeviceFrame& b, std::size_t count, const Coding& coding, std::byte* out,
             Queue& queue) const override {
    return run(coding, count,
               [&](auto zero) { return Launches<decltype(zero)>::add(a, b, count, coding, out, queue); });
  }

  Status combine(std::span<const DeviceFrame> frames, const void* numbers, std::size_t count, const Coding& coding,
                 std::byte* out, Queue& queue) const override {
    if (combines(coding) == 2) return DeviceCodec::combine(frames, numbers, count, coding, out, queue);
    return run(coding, count, [&](auto zero) {
      using T = decltype(zero);
      return Launches<T>::combine(frames, static_cast<const T*>(numbers), count, coding, out, queue);
    });
  }

  Status decode(const DeviceFrame& frame, void* numbers, std::size_t count, const Coding& coding,
                Queue& queue) const override {
    return run(coding, count, [&](auto zero) {
      using T = decltype(zero);
      return Launches<T>::decode(frame, nullptr, static_cast<T*>(numbers), count, coding, queue);
    });
  }

  Status decode_reduce(const DeviceFrame& frame, const void* with, void* result, std::size_t count,
                       const Coding& coding, Queue& queue) const override {
    return run(coding, count, [&](auto zero) {
      using T = decltype(zero);
      return Launches<T>::decode(frame, static_cast<const T*>(with), static_cast<T*>(result), count, coding, queue);
    });
  }

  Status status(std::uint32_t fault) const override { return status_of(static_cast<Problem>(fault)); }

 private:
  template <class F>
  Status run(const Coding& coding, std::size_t count, F&& f) const {
    if (!supports(coding)) return {Code::argument, "quant: not a way of coding that a device knows"};
    if (count > most_numbers) return {Code::argument, "quant: a device codes at most 2^28 numbers at a time"};
    return dispatch(FloatingTypes{}, coding.dtype, f);
  }
};

}  // namespace
}  // namespace quant::cuda

const DeviceCodec& quant_on_cuda() {
  static const quant::cuda::QuantOnDevice codec;
  return codec;
}

}  // namespace laconic
