// SPDX-License-Identifier: BSD-3-Clause
// Random messages between ranks, the same on all of them, and the data that must arrive for each.
#pragma once

#include <cmath>
#include <limits>

#include "support.hpp"
#include "support/fields.hpp"

namespace ranks {

using laconic::test::Kind;

enum class Numbers { f32, f64, i32, i64, u8, text };  // text: MPI_CHAR, which is never compressed

inline MPI_Datatype mpi_type(Numbers n) {
  switch (n) {
    case Numbers::f32: return MPI_FLOAT;
    case Numbers::f64: return MPI_DOUBLE;
    case Numbers::i32: return MPI_INT;
    case Numbers::i64: return MPI_INT64_T;
    case Numbers::u8: return MPI_UNSIGNED_CHAR;
    case Numbers::text: return MPI_CHAR;
  }
  return MPI_DATATYPE_NULL;
}

inline std::size_t width_of(Numbers n) {
  return n == Numbers::f32 || n == Numbers::i32 ? 4 : n == Numbers::f64 || n == Numbers::i64 ? 8 : 1;
}

struct Letter {
  int from = 0;
  int to = 0;
  int tag = 0;
  Numbers numbers = Numbers::f32;
  std::size_t count = 0;
  Kind field = Kind::normal;
  std::uint64_t seed = 0;
  laconic_options options{};  // the sender's

  std::size_t bytes() const { return count * width_of(numbers); }
};

inline std::string describe(const Letter& l) {
  return text(
      "%d to %d, tag %d, type %d, count %zu, field %s, bound mode %d value %g, codec %d, min_bytes %lld, chunk "
      "%lld, variant %d, algorithm %d, depth %d, threads %d, denormals %d",
      l.from, l.to, l.tag, static_cast<int>(l.numbers), l.count, name_of(l.field).c_str(), l.options.bound.mode,
      l.options.bound.value, l.options.codec, static_cast<long long>(l.options.min_bytes),
      static_cast<long long>(l.options.chunk_elements), l.options.variant, l.options.algorithm, l.options.depth,
      l.options.threads, l.options.denormals);
}

inline Letter random_letter(Random& random, int size) {
  const std::vector<std::size_t> counts{0, 1, 7, 1000, 4095, 4097, 16384, 16385, 60000, 300000};
  const std::vector<Numbers> types{Numbers::f32, Numbers::f32, Numbers::f64, Numbers::f64,
                                   Numbers::i32, Numbers::i64, Numbers::u8,  Numbers::text};
  const std::vector<laconic_bound> bounds{
      {LACONIC_BOUND_ABS, 1e-3},     {LACONIC_BOUND_ABS, 1e-5},     {LACONIC_BOUND_REL, 1e-3}, {LACONIC_BOUND_RMS, 0.1},
      {LACONIC_BOUND_LOSSLESS, 0.0}, {LACONIC_BOUND_LOSSLESS, 0.0}, {LACONIC_BOUND_UNSET, 0.0}};
  const std::vector<laconic_codec> codecs{LACONIC_CODEC_UNSET,   LACONIC_CODEC_UNSET, LACONIC_CODEC_QUANT,
                                          LACONIC_CODEC_DENSE,   LACONIC_CODEC_RAW,   LACONIC_CODEC_SZX,
                                          LACONIC_CODEC_LOSSLESS};
  Letter l;
  l.from = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
  l.to = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
  l.numbers = random.pick(types);
  l.count = random.pick(counts);
  if (random.below(20) == 0) l.count = 1500000;
  l.field = laconic::test::all_kinds[random.below(laconic::test::all_kinds.size())].kind;
  l.seed = random.bits();
  laconic_options_init(&l.options);
  l.options.bound = random.pick(bounds);
  l.options.codec = random.pick(codecs);
  if (l.options.bound.mode == LACONIC_BOUND_RMS) l.options.codec = LACONIC_CODEC_QUANT;
  l.options.min_bytes = random.pick(std::vector<std::int64_t>{0, 1, 1, 4096});
  l.options.chunk_elements = random.pick(std::vector<std::int64_t>{0, 0, 1000, 4096, 100000});
  l.options.depth = random.pick(std::vector<int>{0, 1, 3, 8});
  l.options.threads = random.below(6) == 0 ? 2 : 0;
  const std::vector<laconic_variant> variants{LACONIC_VARIANT_UNSET, LACONIC_VARIANT_UNSET, LACONIC_VARIANT_OVERLAP,
                                              LACONIC_VARIANT_ND, LACONIC_VARIANT_CPR_P2P};
  l.options.variant = random.below(12) == 0 ? LACONIC_VARIANT_PLAIN : random.pick(variants);
  if (l.options.bound.mode == LACONIC_BOUND_RMS && l.options.variant == LACONIC_VARIANT_CPR_P2P)
    l.options.variant = LACONIC_VARIANT_ND;  // these two are refused together
  l.options.denormals = static_cast<laconic_denormals>(random.below(3));
  if (l.options.denormals == LACONIC_DENORMALS_EXACT && random.below(2) == 0) l.field = Kind::integers;
  l.options.algorithm = random.below(12) == 0 ? LACONIC_ALGORITHM_PLAIN : LACONIC_ALGORITHM_UNSET;
  return l;
}

inline std::vector<unsigned char> content(const Letter& l) {
  std::vector<unsigned char> bytes(l.bytes());
  if (l.bytes() == 0) return bytes;
  const auto fill = [&](const auto& field) { std::memcpy(bytes.data(), field.data(), bytes.size()); };
  if (l.numbers == Numbers::f32) {
    fill(laconic::test::make_field<float>(l.field, l.count, l.seed, l.from));
  } else if (l.numbers == Numbers::f64) {
    fill(laconic::test::make_field<double>(l.field, l.count, l.seed, l.from));
  } else {
    Random random(l.seed);
    const bool smooth = random.below(2) == 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = smooth && i % width_of(l.numbers) != 0 ? 0 : static_cast<unsigned char>(random.bits());
  }
  return bytes;
}

constexpr std::size_t bytes_of_envelope = 80;

// For a communicator on which messages between ranks are compressed.
inline laconic_plain_reason reason_of(const Letter& l) {
  const laconic_options& o = l.options;
  if (o.bound.mode == LACONIC_BOUND_UNSET) return LACONIC_PLAIN_NO_BOUND;
  if (o.algorithm == LACONIC_ALGORITHM_PLAIN || o.variant == LACONIC_VARIANT_PLAIN) return LACONIC_PLAIN_ASKED;
  if (l.from == l.to) return LACONIC_PLAIN_ONE_RANK;
  const bool floating = l.numbers == Numbers::f32 || l.numbers == Numbers::f64;
  const bool integers =
      o.bound.mode == LACONIC_BOUND_LOSSLESS && (o.codec == LACONIC_CODEC_UNSET || o.codec == LACONIC_CODEC_LOSSLESS ||
                                                 o.codec == LACONIC_CODEC_DENSE || o.codec == LACONIC_CODEC_RAW);
  if (l.numbers == Numbers::text || (!floating && !integers)) return LACONIC_PLAIN_TYPE;
  const std::size_t least = o.min_bytes == 0 ? 65536 : static_cast<std::size_t>(o.min_bytes);
  return l.bytes() < least || l.bytes() <= bytes_of_envelope ? LACONIC_PLAIN_SMALL : LACONIC_PLAIN_NOT;
}

template <class T>
void check_numbers(Test& t, const Letter& l, const std::vector<unsigned char>& sent,
                   const std::vector<unsigned char>& got) {
  std::vector<T> x(l.count);
  std::vector<T> y(l.count);
  std::memcpy(x.data(), sent.data(), l.bytes());
  std::memcpy(y.data(), got.data(), l.bytes());
  T least = std::numeric_limits<T>::infinity();
  T greatest = -least;
  T magnitude = 0;
  for (const T v : x)
    if (std::isfinite(v)) {
      least = std::min(least, v);
      greatest = std::max(greatest, v);
      magnitude = std::max(magnitude, std::fabs(v));
    }
  double bound = l.options.bound.value;
  if (l.options.bound.mode == LACONIC_BOUND_REL) {
    bound *= static_cast<double>(greatest) - static_cast<double>(least);
    if (!std::isfinite(bound)) bound = 0;
  }
  if (l.options.bound.mode == LACONIC_BOUND_RMS) bound *= static_cast<double>(magnitude);
  const bool exact = l.options.denormals == LACONIC_DENORMALS_EXACT;
  for (std::size_t i = 0; i < l.count; ++i) {
    if (exact && (std::fpclassify(x[i]) == FP_SUBNORMAL || !std::isfinite(x[i])) &&
        !CHECK(t, std::memcmp(&x[i], &y[i], sizeof(T)) == 0, "number %zu of %zu: %a for %a, not to the bit", i, l.count,
               static_cast<double>(y[i]), static_cast<double>(x[i])))
      return;
    if (std::isnan(x[i]) ? std::isnan(y[i]) : x[i] == y[i]) continue;
    const double slack = std::fabs(static_cast<double>(x[i])) * static_cast<double>(std::numeric_limits<T>::epsilon());
    const double error = std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
    if (!CHECK(t, std::isfinite(x[i]) && error <= bound + slack, "number %zu of %zu: %.17g for %.17g, bound %g", i,
               l.count, static_cast<double>(y[i]), static_cast<double>(x[i]), bound))
      return;
  }
}

// Checks the message in `got`, which may be larger: no byte behind the message may have changed.
inline constexpr unsigned char untouched = 0x5a;

inline void check_letter(Test& t, const Letter& l, const std::vector<unsigned char>& got) {
  const std::vector<unsigned char> sent = content(l);
  if (!CHECK(t, got.size() >= sent.size(), "no room")) return;
  for (std::size_t i = sent.size(); i < got.size(); ++i)
    if (!CHECK(t, got[i] == untouched, "byte %zu behind a message of %zu was written", i - sent.size(), sent.size()))
      break;
  const bool exact = reason_of(l) != LACONIC_PLAIN_NOT || l.options.bound.mode == LACONIC_BOUND_LOSSLESS ||
                     l.options.codec == LACONIC_CODEC_RAW || l.options.codec == LACONIC_CODEC_LOSSLESS;
  if (exact)
    CHECK(t, sent.empty() || std::memcmp(sent.data(), got.data(), sent.size()) == 0, "other bytes than were sent");
  else if (l.numbers == Numbers::f32)
    check_numbers<float>(t, l, sent, got);
  else
    check_numbers<double>(t, l, sent, got);
}

inline void check_stats(Test& t, const Letter& l, const laconic_stats& s, bool sender) {
  laconic_plain_reason reason = reason_of(l);
  if (!sender && reason != LACONIC_PLAIN_NOT) reason = l.from == l.to ? LACONIC_PLAIN_ONE_RANK : LACONIC_PLAIN_SENDER;
  CHECK(t, s.calls == 1 && s.plain_calls == (reason != LACONIC_PLAIN_NOT));
  CHECK(t, s.plain_reason == reason, "plain because %s, expected %s", laconic_plain_reason_string(s.plain_reason),
        laconic_plain_reason_string(reason));
  CHECK(t, s.bytes_in == (sender ? l.bytes() : 0));
  CHECK(t, s.achieved_bound <= s.bound, "%g > %g", s.achieved_bound, s.bound);
  if (reason != LACONIC_PLAIN_NOT) {
    CHECK(t, s.bytes_sent == 0 && s.ratio == 1 && s.codec == LACONIC_CODEC_UNSET);
    return;
  }
  CHECK(t, s.codec == (l.options.codec != LACONIC_CODEC_UNSET           ? l.options.codec
                       : l.options.bound.mode == LACONIC_BOUND_LOSSLESS ? LACONIC_CODEC_LOSSLESS
                                                                        : LACONIC_CODEC_QUANT));
  CHECK(t, s.variant == (l.options.variant ? l.options.variant : LACONIC_VARIANT_OVERLAP));
  CHECK(t, s.memory_bytes > 0 && s.most_chunks >= 1);
  if (sender) {
    CHECK(t, s.bytes_uncompressed == l.bytes(), "%llu", static_cast<unsigned long long>(s.bytes_uncompressed));
    CHECK(t, s.bytes_sent > 64);
  }
  if (l.options.bound.mode == LACONIC_BOUND_ABS) CHECK(t, s.bound == l.options.bound.value);
  if (l.options.bound.mode == LACONIC_BOUND_RMS) CHECK(t, std::isinf(s.bound));
}

}  // namespace ranks
