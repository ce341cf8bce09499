// SPDX-License-Identifier: BSD-3-Clause
// Code shared by the fuzzers: parsing of the input, the codecs to try, and a check whose failure libFuzzer sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/codec.hpp"
#include "codec/dense/kernels.hpp"
#include "codec/quant/blocks.hpp"
#include "codec/quant/kernels.hpp"
#include "support/guarded.hpp"
#include "wire/frame.hpp"

namespace laconic::fuzz {

using test::Guarded;
using Bytes = std::vector<std::byte>;

// Aborts on a finding; libFuzzer keeps the input that caused it.
inline void require(bool good, std::string_view subject, std::string_view what) {
  if (good) return;
  std::fprintf(stderr, "FOUND: %.*s: %.*s\n", static_cast<int>(subject.size()), subject.data(),
               static_cast<int>(what.size()), what.data());
  std::abort();
}

// Takes values from the front of the input; zeros when there is no more.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  template <class T>
  T take() {
    T value{};
    const std::size_t n = left_ < sizeof value ? left_ : sizeof value;
    if (n > 0) std::memcpy(&value, data_, n);
    data_ += n;
    left_ -= n;
    return value;
  }
  Bytes rest() const {
    Bytes bytes(left_);
    if (left_ > 0) std::memcpy(bytes.data(), data_, left_);
    return bytes;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// One codec with all its implementations, which must all give the same bytes.
struct Family {
  std::string name;
  std::vector<const Codec*> members;
  std::vector<std::string_view> kernels;  // of each member

  template <class Available>
  void replace_members(const Available& available, std::vector<std::unique_ptr<Codec>>& owned) {
    members.clear();
    kernels.clear();
    for (const auto* k : available) {
      owned.push_back(make_codec(*k));
      members.push_back(owned.back().get());
      kernels.push_back(k->name);
    }
  }
};

// The codec that the command line asks for; empty for all.
inline std::string& wanted_codec() {
  static std::string name;
  return name;
}

// All codecs, or the one of the command line.
inline const std::vector<Family>& families() {
  static std::vector<std::unique_ptr<Codec>> owned;
  static const std::vector<Family> all = [] {
    std::vector<Family> made;
    for (const Codec* codec : all_codecs()) {
      if (!wanted_codec().empty() && codec->name() != wanted_codec()) continue;
      Family family{std::string(codec->name()), {codec}, {"only"}};
      if (codec->name() == "quant") family.replace_members(quant::available_kernels(), owned);
      if (codec->name() == "dense") family.replace_members(dense::available_kernels(), owned);
      made.push_back(std::move(family));
    }
    require(!made.empty(), wanted_codec(), "--codec= takes the name of a codec");
    return made;
  }();
  return all;
}

// The outcome of one call: bytes, or the message of a refusal.
struct Outcome {
  bool ok = false;
  Bytes bytes;
  std::string message;
  bool operator==(const Outcome&) const = default;
};

// Calls f(room) with guarded memory of exactly `size` bytes; f returns Coded.
template <class F>
Outcome coded(std::string_view name, std::size_t size, F&& f) {
  Guarded out(size, size % 64);
  const Coded c = f(out.bytes());
  require(out.intact(), name, "bytes outside of the frame's room were written");
  require(c.bytes <= size, name, "a frame larger than capacity()");
  require(c.status.ok() == (c.bytes != 0), name, "a size without success, or success without a size");
  require(c.status.ok() || c.status.code() == Code::frame, name, "an error that is not that of a frame");
  require(c.status.ok() || !c.status.message().empty(), name, "an error without words");
  return {c.status.ok(), Bytes(out.bytes().begin(), out.bytes().begin() + static_cast<std::ptrdiff_t>(c.bytes)),
          c.status.message()};
}

inline Outcome encode(const Codec& codec, const Bytes& numbers, std::size_t count, const Coding& coding) {
  return coded(codec.name(), codec.capacity(count, coding.dtype),
               [&](Blob out) { return codec.encode(numbers.data(), count, coding, out); });
}

inline Outcome fold(const Codec& codec, const Bytes& frame, const Bytes& numbers, std::size_t count,
                    const Coding& coding) {
  return coded(codec.name(), codec.capacity(count, coding.dtype),
               [&](Blob out) { return codec.fold(frame, numbers.data(), count, coding, out); });
}

inline Outcome add(const Codec& codec, const Bytes& a, const Bytes& b, std::size_t count, const Coding& coding) {
  return coded(codec.name(), codec.capacity(count, coding.dtype),
               [&](Blob out) { return codec.add(a, b, count, coding, out); });
}

// Decodes a frame. The contents of the output after a refused frame are unspecified.
inline Outcome decode(const Codec& codec, const Bytes& frame, std::size_t count, const Coding& coding) {
  Guarded out(count * size_of(coding.dtype));
  const Status s = codec.decode(frame, out.bytes().data(), count, coding);
  require(out.intact(), codec.name(), "bytes outside of the numbers' room were written");
  require(s.ok() || s.code() == Code::frame, codec.name(), "an error that is not that of a frame");
  require(s.ok() || !s.message().empty(), codec.name(), "an error without words");
  return {s.ok(), s.ok() ? out.copy<std::byte>() : Bytes{}, s.message()};
}

// Calls f(codec) for every member of a family; the outcomes must be equal.
template <class F>
Outcome agreed(const Family& family, std::string_view what, F&& f) {
  const Outcome first = f(*family.members.front());
  for (std::size_t i = 1; i < family.members.size(); ++i) {
    if (f(*family.members[i]) == first) continue;
    require(false, family.name,
            std::string(what) + " differs between " + std::string(family.kernels.front()) + " and " +
                std::string(family.kernels[i]));
  }
  return first;
}

inline wire::Header header_of(const Bytes& frame) {
  wire::Header header;
  require(wire::read_header(frame, header).ok(), "wire", "a frame that was written cannot be read");
  return header;
}

}  // namespace laconic::fuzz

// libFuzzer leaves arguments that start with -- to the fuzzer. Not inline: each fuzzer is one file.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--codec=";
  for (int i = 1; i < *argc; ++i)
    if (const std::string_view argument = (*argv)[i]; argument.starts_with(option))
      laconic::fuzz::wanted_codec() = argument.substr(option.size());
  return 0;
}
