// SPDX-License-Identifier: BSD-3-Clause
// Passes arbitrary bytes as a frame to every function of every codec: the result is numbers or an error, the same from
// every implementation, and no memory outside of the given range is touched.
#include <cmath>

#include "codec/quant/format.hpp"
#include "support.hpp"

namespace laconic::fuzz {
namespace {

constexpr std::size_t most_numbers = 11000;  // more than two chunks of every codec
constexpr std::size_t fewer_numbers = 2100;  // more than two blocks of quant; used mostly, to try more inputs

template <class T>
void put(Bytes& frame, std::size_t offset, T value) {
  std::memcpy(frame.data() + offset, &value, sizeof value);
}

// The codec family that the header names. Other codecs refuse the frame by its header; harness `header` checks that.
const Family& meant_for(const Bytes& frame) {
  for (const Family& family : families())
    if (frame.size() > 5 && static_cast<std::byte>(family.members.front()->id()) == frame[5]) return family;
  return families().front();
}

struct Case {
  Coding coding;
  std::uint32_t count = 0;
  Bytes frame;
  Bytes numbers;  // of this rank, for fold
};

// The first four bytes select the call, the rest is the frame. Unless they say otherwise, the header is corrected
// where it would be refused at once; harness `header` covers refused headers.
Case read_case(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const auto how = input.take<std::uint8_t>();
  const auto terms = input.take<std::uint8_t>();
  const auto exponent = input.take<std::uint8_t>();
  const auto codec = input.take<std::uint8_t>();
  Case c;
  c.frame = input.rest();
  c.coding.op = static_cast<Op>(how % 3);
  c.coding.divisor = (how & 4) != 0 ? 3 : 1;
  c.coding.terms = 1u + terms;
  c.coding.allowance = exponent == 0 ? 0 : std::ldexp(1.25, 8 * (exponent - 128));
  if (c.frame.size() < wire::header_bytes) return c;
  c.coding.dtype = static_cast<Dtype>(c.frame[6]);
  if (!known(c.coding.dtype)) c.coding.dtype = Dtype::f64;
  std::memcpy(&c.count, c.frame.data() + 8, sizeof c.count);
  c.count %= (how & 128) != 0 ? most_numbers : fewer_numbers;
  if (!wanted_codec().empty())
    put(c.frame, 5, families().front().members.front()->id());
  else if ((how & 8) == 0 && codec != 0)
    put(c.frame, 5, all_codecs()[codec % all_codecs().size()]->id());
  // A codec is only called with types that it supports; harness `header` covers the others.
  if (!meant_for(c.frame).members.front()->supports(c.coding.dtype)) c.coding.dtype = Dtype::f32;
  const bool scaled = exponent == 255 && meant_for(c.frame).members.front()->relative();
  if (scaled) {
    c.coding.allowance = 0;
    c.coding.relative = 0.1;
  }
  if ((how & 8) == 0) {
    put(c.frame, 0, wire::magic);
    put(c.frame, 4, wire::version);
    put(c.frame, 6, static_cast<std::uint8_t>(c.coding.dtype));
    put(c.frame, 7, scaled ? wire::flag_scaled : std::uint8_t{0});
    put(c.frame, 8, c.count);
    put(c.frame, 12, static_cast<std::uint32_t>(c.frame.size() - wire::header_bytes));
    // The frame gets the step of the operation, where there is one: any other is refused with the header.
    const bool has_step = meant_for(c.frame).name == "quant" || meant_for(c.frame).name == "dense";
    if (scaled)
      put(c.frame, 16, 1.0);
    else if ((how & 16) == 0)
      put(c.frame, 16, has_step ? quant::Lattice::make(c.coding.allowance, c.coding.terms, c.coding.dtype).step : 0.0);
    if ((how & 32) == 0 && !has_step) put(c.frame, 24, 0.0);
  }
  // The numbers repeat the bytes of the frame, which are as wild as any; every other input uses tame numbers.
  c.numbers.resize(c.count * size_of(c.coding.dtype));
  for (std::size_t i = 0; i < c.numbers.size(); ++i)
    c.numbers[i] = (how & 64) == 0 ? c.frame[i % c.frame.size()] : std::byte{0};
  return c;
}

void check_sum(const Family& family, const Case& c, const Outcome& sum, bool readable) {
  require(readable || !sum.ok, family.name, "what cannot be decoded was added up");
  if (!sum.ok) return;
  const Outcome again =
      agreed(family, "decoding a sum", [&](const Codec& codec) { return decode(codec, sum.bytes, c.count, c.coding); });
  require(again.ok, family.name, "a sum that cannot be decoded: " + again.message);
}

void run(const Family& family, const Case& c) {
  const auto each = [&](std::string_view what, auto&& f) { return agreed(family, what, f); };
  const Outcome numbers = each("decode", [&](const Codec& k) { return decode(k, c.frame, c.count, c.coding); });
  // Outside an operation, a frame may be readable that does not belong to this operation.
  Coding any = c.coding;
  any.allowance = 0;
  any.relative = 0;
  const Outcome alone = each("decode alone", [&](const Codec& k) { return decode(k, c.frame, c.count, any); });
  require(alone.ok || !numbers.ok, family.name, "a frame is readable within an operation but not alone");

  const Outcome own = each("encode", [&](const Codec& k) { return encode(k, c.numbers, c.count, c.coding); });
  require(own.ok, family.name, "encode failed: " + own.message);
  check_sum(family, c, each("fold", [&](const Codec& k) { return fold(k, c.frame, c.numbers, c.count, c.coding); }),
            numbers.ok);
  const Outcome ab = each("add", [&](const Codec& k) { return add(k, c.frame, own.bytes, c.count, c.coding); });
  const Outcome ba = each("add", [&](const Codec& k) { return add(k, own.bytes, c.frame, c.count, c.coding); });
  check_sum(family, c, ab, numbers.ok);
  require(ab == ba, family.name, "add does not commute");
  check_sum(family, c, each("add", [&](const Codec& k) { return add(k, c.frame, c.frame, c.count, c.coding); }),
            numbers.ok);
}

}  // namespace
}  // namespace laconic::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laconic::fuzz;
  const Case c = read_case(data, size);
  run(meant_for(c.frame), c);
  return 0;
}
