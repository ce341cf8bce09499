// SPDX-License-Identifier: BSD-3-Clause
// Helpers to inspect frames, and to run codecs with guarded memory around their output.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/build.hpp"
#include "codec/codec.hpp"
#include "codec/dense/units.hpp"
#include "codec/quant/blocks.hpp"
#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"
#include "codec/quant/mask.hpp"
#include "codec/quant/numbers.hpp"
#include "support/guarded.hpp"
#include "support/seed.hpp"
#if LACONIC_HAS_CUDA
#include "support/on_device.hpp"
#endif
#include "wire/frame.hpp"

namespace laconic::test {

using Bytes = std::vector<std::byte>;

template <class T>
Coding coding_for(double allowance, std::uint32_t terms = 1, Op op = Op::sum, double divisor = 1) {
  return {dtype_of<T>, op, allowance, terms, divisor};
}

// A codec under test: every codec of codecs.def; quant and dense once more with each instruction set; and codecs
// that have kernels once more on a device, where there is one.
struct Subject {
  std::string name;
  const Codec* codec;
  std::size_t stride = one_in;  // as one_in; an emulated device is slow
};

inline const std::vector<std::unique_ptr<Codec>>& quant_variants() {
  static const std::vector<std::unique_ptr<Codec>> variants = [] {
    std::vector<std::unique_ptr<Codec>> made;
    for (const quant::Kernels* kernels : quant::available_kernels()) made.push_back(quant::make_codec(*kernels));
    return made;
  }();
  return variants;
}

inline const std::vector<std::unique_ptr<Codec>>& dense_variants() {
  static const std::vector<std::unique_ptr<Codec>> variants = [] {
    std::vector<std::unique_ptr<Codec>> made;
    for (const dense::Kernels* kernels : dense::available_kernels()) made.push_back(dense::make_codec(*kernels));
    return made;
  }();
  return variants;
}

// The implementation of quant or dense that the others are compared with.
inline const Codec& reference_of(const Codec& codec) {
  return codec.name() == "dense" ? *dense_variants()[0] : *quant_variants()[0];
}

inline const std::vector<std::unique_ptr<Codec>>& codecs_on_device() {
  static const std::vector<std::unique_ptr<Codec>> codecs = [] {
    std::vector<std::unique_ptr<Codec>> made;
#if LACONIC_HAS_CUDA
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return made;
    for (const Codec* codec : all_codecs())
      if (codec->on_device() != nullptr) made.push_back(std::make_unique<OnDevice>(*codec, *codec->on_device()));
#endif
    return made;
  }();
  return codecs;
}

inline const std::vector<Subject>& all_subjects() {
  static const std::vector<Subject> subjects = [] {
    std::vector<Subject> s;
    for (const Codec* codec : all_codecs()) s.push_back({std::string(codec->name()), codec});
    for (std::size_t i = 0; i < quant_variants().size(); ++i)
      s.push_back({"quant_" + std::string(quant::available_kernels()[i]->name), quant_variants()[i].get()});
    for (std::size_t i = 0; i < dense_variants().size(); ++i)
      s.push_back({"dense_" + std::string(dense::available_kernels()[i]->name), dense_variants()[i].get()});
    for (const auto& codec : codecs_on_device()) s.push_back({std::string(codec->name()) + "_device", codec.get(), 11});
    return s;
  }();
  return subjects;
}

// The subjects that code this type.
inline std::vector<std::size_t> subjects_with(Dtype dtype) {
  std::vector<std::size_t> indices;
  for (std::size_t k = 0; k < all_subjects().size(); ++k)
    if (all_subjects()[k].codec->supports(dtype)) indices.push_back(k);
  return indices;
}

// The bytes that encode() needs at most.
inline std::size_t room_of_encode(const Codec& codec, std::size_t count, const Coding& coding) {
  return coding.terms > 1 ? codec.capacity(count, coding.dtype) : codec.moved_capacity(count, coding.dtype);
}

// Each runs one function of the codec into guarded memory of exactly the bytes that it needs at most, expects success,
// a valid header and untouched surroundings, and returns the frame.
inline Bytes checked(const Codec& codec, std::size_t count, const Coding& coding, const Coded& coded, Guarded& out) {
  EXPECT_TRUE(coded.status.ok()) << coded.status.message();
  EXPECT_TRUE(out.intact()) << "bytes outside of the frame's room were written";
  EXPECT_LE(coded.bytes, out.bytes().size());
  if (!coded.status.ok() || coded.bytes > out.bytes().size()) return {};
  Bytes frame(out.bytes().begin(), out.bytes().begin() + static_cast<std::ptrdiff_t>(coded.bytes));
  wire::Header header;
  const Status s = read_codec_header(frame, codec, count, coding.dtype, header);
  EXPECT_TRUE(s.ok()) << s.message();
  return frame;
}

// `offset`: the distance in bytes of the output from a cache line's alignment.
template <class T>
Bytes encode(const Codec& codec, const std::vector<T>& x, const Coding& coding, std::size_t offset = 0) {
  Guarded out(room_of_encode(codec, x.size(), coding), offset);
  const Coded coded = codec.encode(x.data(), x.size(), coding, out.bytes());
  return checked(codec, x.size(), coding, coded, out);
}

template <class T>
Bytes fold(const Codec& codec, const Bytes& frame, const std::vector<T>& x, const Coding& coding) {
  Guarded out(codec.capacity(x.size(), coding.dtype));
  const Coded coded = codec.fold(frame, x.data(), x.size(), coding, out.bytes());
  return checked(codec, x.size(), coding, coded, out);
}

inline Bytes add(const Codec& codec, const Bytes& a, const Bytes& b, std::size_t count, const Coding& coding) {
  Guarded out(codec.capacity(count, coding.dtype));
  const Coded coded = codec.add(a, b, count, coding, out.bytes());
  return checked(codec, count, coding, coded, out);
}

template <class T>
std::vector<T> decode(const Codec& codec, const Bytes& frame, std::size_t count, const Coding& coding) {
  Guarded out(count * sizeof(T));
  const Status s = codec.decode(frame, out.template as<T>(), count, coding);
  EXPECT_TRUE(s.ok()) << s.message();
  EXPECT_TRUE(out.intact()) << "bytes outside of the numbers' room were written";
  return out.template copy<T>();
}

inline wire::Header header_of(const Bytes& frame) {
  wire::Header header;
  const Status s = wire::read_header(frame, header);
  EXPECT_TRUE(s.ok()) << s.message();
  return header;
}

// A block of a valid frame of quant or dense: whether all of its numbers are on the lattice, its points, whether it is
// a far block, and which of its numbers have points.
struct LatticeBlock {
  bool on_lattice;
  std::vector<std::int64_t> points;  // 0 for exceptions; empty where no number has a point
  bool far = false;
  std::vector<bool> exceptions;  // empty where there are none

  bool has_point(std::size_t i) const { return i < points.size() && (exceptions.empty() || !exceptions[i]); }
};

// The exceptions of a valid masked block of quant, and the block of the other numbers' points, which is not there where
// all are exceptions.
inline std::vector<bool> split_masked(const quant::Packed& in, std::size_t n, std::size_t number_bytes,
                                      quant::Packed& others) {
  std::uint16_t count;
  std::memcpy(&count, in.body, sizeof count);
  const std::byte* at = in.body + sizeof count;
  quant::Mask mask;
  quant::Mask changes;
  EXPECT_TRUE(quant::read_mask(at, in.end, static_cast<unsigned>(n), mask));
  EXPECT_EQ(mask.count(), count);
  EXPECT_TRUE(quant::read_mask(at, in.end, count - 1u, changes));
  at += (at - in.body) % 2 + static_cast<std::ptrdiff_t>((1 + changes.count()) * number_bytes);
  std::vector<bool> exceptions(n);
  for (std::size_t i = 0; i < n; ++i) exceptions[i] = mask.has(i);
  others = {quant::zero_block, at, in.end};
  if (count == n) return exceptions;
  std::memcpy(&others.entry, at, sizeof others.entry);
  others.body += sizeof others.entry;
  return exceptions;
}

inline std::vector<LatticeBlock> quant_blocks(const Bytes& frame, std::size_t count, Dtype dtype) {
  std::vector<LatticeBlock> blocks;
  quant::Reader reader(frame, count, true, size_of(dtype));
  for (std::size_t i = 0; i < count; i += quant::block_values) {
    const std::size_t n = std::min(quant::block_values, count - i);
    quant::Packed in;
    if (!reader.next(n, in)) {
      ADD_FAILURE() << reader.problem().message();
      return blocks;
    }
    LatticeBlock block{quant::has_points(in), {}, quant::is_far(in), {}};
    std::size_t left = n;  // numbers with points
    if (quant::is_masked(in)) {
      quant::Packed others;
      block.exceptions = split_masked(in, n, size_of(dtype), others);
      left -= static_cast<std::size_t>(std::count(block.exceptions.begin(), block.exceptions.end(), true));
      in = others;
      block.far = left > 0 && quant::is_far(in);
    }
    if ((block.on_lattice || !block.exceptions.empty()) && left > 0) {
      quant::AnyPoints points;
      EXPECT_TRUE(points.read(quant::reference_kernels(), in, left));
      std::size_t next = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const bool has = block.exceptions.empty() || !block.exceptions[k];
        const std::int64_t high = has && points.far ? points.high.q[next] : 0;
        block.points.push_back(has ? high * (std::int64_t{1} << 32) + points.points.q[next] : 0);
        next += has ? 1 : 0;
      }
    }
    blocks.push_back(std::move(block));
  }
  EXPECT_TRUE(reader.at_end());
  return blocks;
}

// Calls f(segment, n) for every segment of a valid frame of dense; false where it is not valid.
template <class F>
bool each_dense_segment(const Bytes& frame, dense::Frames frames, std::size_t count, Dtype dtype, F&& f) {
  dense::Reader reader(Frame(frame).subspan(wire::header_bytes), frames);
  const auto segment = std::make_unique<dense::Segment>();
  const auto work = std::make_unique<dense::Work>();
  std::vector<double> numbers(dense::segment_values);
  return dispatch(FloatingTypes{}, dtype, [&](auto zero) {
    auto* const room = reinterpret_cast<decltype(zero)*>(numbers.data());
    for (std::size_t i = 0; i < count; i += dense::segment_values) {
      const std::size_t n = std::min(dense::segment_values, count - i);
      if (!reader.next(dense::reference_kernels(), n, *segment, *work, room).ok()) return false;
      f(*segment, n);
    }
    return reader.finish().ok();
  });
}

inline std::vector<LatticeBlock> dense_blocks(const Bytes& frame, std::size_t count, Dtype dtype) {
  std::vector<LatticeBlock> blocks;
  if (header_of(frame).step == 0) {  // an exact frame
    for (std::size_t b = 0; b < dense::blocks_of(count); ++b) blocks.push_back({false, {}, false, {}});
    return blocks;
  }
  EXPECT_TRUE(
      each_dense_segment(frame, dense::Frames::plain, count, dtype, [&](const dense::Segment& segment, std::size_t n) {
        for (std::size_t b = 0; b < dense::blocks_of(n); ++b) {
          const std::size_t values = std::min(dense::block_values, n - b * dense::block_values);
          const unsigned form = segment.forms[b];
          LatticeBlock block{form == 0, {}, false, {}};
          if (dense::has_points(form)) {
            quant::AnyPoints points;
            const quant::Exceptions* exceptions = dense::is_masked(form) ? &segment.exceptions[b] : nullptr;
            dense::get_points(quant::reference_kernels(), segment, b, exceptions, values, points);
            for (std::size_t k = 0; k < values; ++k)
              block.points.push_back(
                  static_cast<std::int64_t>(quant::far_point(points.points.q[k], points.far ? points.high.q[k] : 0)));
          }
          if (dense::is_masked(form))
            for (std::size_t k = 0; k < values; ++k) {
              block.exceptions.push_back(segment.exceptions[b].mask.has(k));
              if (block.exceptions[k] && !block.points.empty()) block.points[k] = 0;
            }
          blocks.push_back(std::move(block));
        }
      }));
  return blocks;
}

inline std::vector<LatticeBlock> lattice_blocks(const Bytes& frame, std::size_t count, Dtype dtype) {
  const bool dense = header_of(frame).codec == find_codec("dense")->id();
  return dense ? dense_blocks(frame, count, dtype) : quant_blocks(frame, count, dtype);
}

inline bool all_on_lattice(const Bytes& frame, std::size_t count, Dtype dtype) {
  for (const LatticeBlock& block : lattice_blocks(frame, count, dtype))
    if (!block.on_lattice) return false;
  return true;
}

}  // namespace laconic::test
