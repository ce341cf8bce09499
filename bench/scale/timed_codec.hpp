// SPDX-License-Identifier: BSD-3-Clause
// A codec that codes as another one does, and lets simulated time pass as a table of rates says.
#pragma once

#include <smpi/smpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/checksum.hpp"
#include "codec/codec.hpp"

namespace laconic::scale {

// Seconds of one core per byte of numbers.
struct Rates {
  double encode = 0;
  double fold = 0;
  double add = 0;
  double decode = 0;
  double search = 0;  // for the range
};

class TimedCodec final : public Codec {
 public:
  // threads: cores that code the chunks of a rank at the same time; the rates are divided by it.
  // hashes: decoded() is wanted.
  TimedCodec(const Codec& codec, const Rates& rates, int threads, bool hashes = false)
      : codec_(codec), rates_(rates), threads_(threads), hashes_(hashes) {}

  // Simulated seconds that this rank has coded.
  double seconds() const { return seconds_; }

  // A sum over all that was decoded, of the numbers and their address.  It is the same for ranks that have written the
  // same numbers to the same memory, in any order.
  std::uint64_t decoded() const { return decoded_; }

  std::string_view name() const override { return codec_.name(); }
  CodecName api_name() const override { return codec_.api_name(); }
  std::uint8_t id() const override { return codec_.id(); }
  bool supports(Dtype dtype) const override { return codec_.supports(dtype); }
  bool supports_bound(BoundMode mode) const override { return codec_.supports_bound(mode); }
  bool relative() const override { return codec_.relative(); }
  bool exact_sums() const override { return codec_.exact_sums(); }
  ErrorShape error_shape() const override { return codec_.error_shape(); }
  std::size_t capacity(std::size_t count, Dtype dtype) const override { return codec_.capacity(count, dtype); }

  Coded encode(const void* numbers, std::size_t count, const Coding& coding, Blob out) const override {
    return after(rates_.encode, count, coding, codec_.encode(numbers, count, coding, out));
  }
  Coded fold(Frame frame, const void* numbers, std::size_t count, const Coding& coding, Blob out) const override {
    return after(rates_.fold, count, coding, codec_.fold(frame, numbers, count, coding, out));
  }
  Coded add(Frame a, Frame b, std::size_t count, const Coding& coding, Blob out) const override {
    return after(rates_.add, count, coding, codec_.add(a, b, count, coding, out));
  }
  Status decode(Frame frame, void* numbers, std::size_t count, const Coding& coding) const override {
    Status status = codec_.decode(frame, numbers, count, coding);
    // Before other ranks run, which may write to the same memory.
    if (hashes_)
      decoded_ += checksum::weight(reinterpret_cast<std::uintptr_t>(numbers)) *
                  checksum::sum({static_cast<const std::byte*>(numbers), count * size_of(coding.dtype)});
    return after(rates_.decode, count, coding, std::move(status));
  }

 private:
  template <class Outcome>
  Outcome after(double rate, std::size_t count, const Coding& coding, Outcome outcome) const {
    const double seconds = rate * static_cast<double>(count * size_of(coding.dtype)) / threads_;
    if (seconds > 0) smpi_execute(seconds);
    seconds_ += seconds;
    return outcome;
  }

  const Codec& codec_;
  Rates rates_;
  int threads_;
  bool hashes_;
  mutable double seconds_ = 0;
  mutable std::uint64_t decoded_ = 0;
};

}  // namespace laconic::scale
