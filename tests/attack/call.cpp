// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <array>
#include <cmath>

namespace attack {
namespace {

using ranks::text;

bool is_power_of_two(int n) { return (n & (n - 1)) == 0; }

// Draws counts of all sizes: round ones, any power of two, the smallest and largest that a type has, and beyond.
double draw_bound(Random& random, Number number) {
  const bool single = number == Number::f32;
  switch (random.below(8)) {
    case 0: return std::pow(10.0, -static_cast<double>(random.below(8)));
    case 1: return std::ldexp(1.0, -static_cast<int>(random.below(40)));
    case 2: {
      const int least = single ? -160 : -1074;
      const int most = single ? 130 : 1023;
      const int exponent = least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least + 1)));
      return std::ldexp(1 + random.uniform(), exponent);
    }
    case 3: return std::nextafter(std::ldexp(1.0, -static_cast<int>(random.below(20))), random.below(2) * 2.0);
    default: return std::ldexp(1 + random.uniform(), 4 - static_cast<int>(random.below(32)));
  }
}

laconic_bound draw_bound_of_any_mode(Random& random, Number number) {
  const auto which = random.below(100);
  if (!is_floating(number) || which < 14) {
    if (which >= 90) return {LACONIC_BOUND_ABS, 1e-3};
    return {LACONIC_BOUND_LOSSLESS, 0};
  }
  if (which < 62) return {LACONIC_BOUND_ABS, draw_bound(random, number)};
  const double share = std::pow(10.0, 1 - (number == Number::f32 ? 13 : 17) * random.uniform());
  if (which < 76) return {LACONIC_BOUND_REL, share};
  if (which < 82) return {LACONIC_BOUND_RANGE, share};
  if (which < 86) return {LACONIC_BOUND_RMS, std::pow(10.0, 0.5 - 7 * random.uniform())};
  if (which < 93) return {LACONIC_BOUND_BLOCK, share};
  if (which < 98) {
    const double least = number == Number::f32 ? 2.25 : 3;
    const double most = number == Number::f32 ? 34 : 66;
    return {LACONIC_BOUND_RATE, least + static_cast<double>(random.below(static_cast<std::uint64_t>(most * 4))) / 4};
  }
  return {LACONIC_BOUND_UNSET, 0};
}

laconic_codec draw_codec(Random& random, const laconic_bound& bound, const Offer& offer) {
  if (bound.mode == LACONIC_BOUND_RATE) return LACONIC_CODEC_ZFP;
  const auto which = random.below(20);
  if (which < 6) return LACONIC_CODEC_UNSET;
  if (which < 10) return LACONIC_CODEC_QUANT;
  if (which < 12 || of_blocks(bound)) return LACONIC_CODEC_DENSE;
  if (which < 15) return LACONIC_CODEC_SZX;
  if (which < 17) return offer.zfp ? LACONIC_CODEC_ZFP : LACONIC_CODEC_SZX;
  return which < 19 ? LACONIC_CODEC_LOSSLESS : LACONIC_CODEC_RAW;
}

// MPI_Reduce_scatter of MPICH (seen in 4.0 and 5.0), in place and from 512 KiB on, copies a rank's block to the
// beginning of the buffer with memcpy, and ends the program where the two overlap.
#if defined(MPICH_NUMVERSION)
constexpr bool copies_overlapping_blocks = true;
#else
constexpr bool copies_overlapping_blocks = false;
#endif

}  // namespace

const char* name_of(Reduction reduction) {
  constexpr std::array<const char*, 5> names{"sum", "max", "min", "mean", "product"};
  return names[static_cast<std::size_t>(reduction)];
}

const char* name_of(Mode mode) {
  constexpr std::array<const char*, 3> names{"blocking", "nonblocking", "persistent"};
  return names[static_cast<std::size_t>(mode)];
}

std::string describe(const laconic_options& o) {
  constexpr std::array<const char*, 8> modes{"no bound", "abs", "rel", "rms", "rate", "lossless", "block", "range"};
  std::string all = text("%s:%.17g", modes[static_cast<std::size_t>(o.bound.mode)], o.bound.value);
  if (o.codec != LACONIC_CODEC_UNSET) all += text(", codec %s", laconic_codec_name(o.codec));
  if (o.effort != LACONIC_EFFORT_UNSET) all += text(", effort %s", laconic_effort_name(o.effort));
  if (o.algorithm != LACONIC_ALGORITHM_UNSET) all += text(", %s", laconic_algorithm_name(o.algorithm));
  if (o.variant != LACONIC_VARIANT_UNSET) all += text(", variant %s", laconic_variant_name(o.variant));
  if (o.target == LACONIC_TARGET_INPUT) all += ", target input";
  if (o.denormals == LACONIC_DENORMALS_EXACT) all += ", denormals exact";
  if (o.chunk_elements != 0) all += text(", chunk %lld", static_cast<long long>(o.chunk_elements));
  if (o.depth != 0) all += text(", depth %d", o.depth);
  if (o.threads != 0) all += text(", threads %d", o.threads);
  return all + text(", min_bytes %lld", static_cast<long long>(o.min_bytes));
}

std::string describe(const Call& c) {
  std::string all = text("%s %s", name_of(c.mode), ranks::routine_name(c.routine));
  if (c.reduces()) all += text(" %s", name_of(c.reduction));
  if (c.rooted()) all += text(" root %d", c.root);
  if (c.in_place) all += " in place";
  if (c.bundled) all += " bundled";
  all += text(" of %zu %s %s", c.count, c.type->name, name_of(c.pattern));
  if (c.odd_ranks != 0) all += text(" (ranks %#x: %s)", c.odd_ranks, name_of(c.odd_pattern));
  return all + (c.by_hints ? ", by hints " : ", ") + describe(c.options) +
         text(", numbers %llu", static_cast<unsigned long long>(c.seed));
}

std::vector<laconic_algorithm> algorithms_of(Routine routine, int least_size, int size) {
  std::vector<laconic_algorithm> all = ranks::algorithms_of(routine);
  if (routine == Routine::reduce) all.push_back(LACONIC_ALGORITHM_RECURSIVE_HALVING);
  if (laconic::traits_of(routine).pattern == laconic::Collective::allgather && is_power_of_two(size) &&
      is_power_of_two(least_size))
    all.push_back(LACONIC_ALGORITHM_RECURSIVE_DOUBLING);
  return all;
}

laconic_options draw_options(Random& random, Number number, const Offer& offer) {
  laconic_options o;
  laconic_options_init(&o);
  do {
    o.bound = draw_bound_of_any_mode(random, number);
  } while (o.bound.mode == LACONIC_BOUND_RATE && !offer.zfp);
  o.codec = draw_codec(random, o.bound, offer);
  if (o.codec == LACONIC_CODEC_UNSET) o.effort = static_cast<laconic_effort>(random.below(4));
  if (random.below(4) == 0) o.target = random.below(2) == 0 ? LACONIC_TARGET_RESULT : LACONIC_TARGET_INPUT;
  const std::vector<laconic_variant> variants{LACONIC_VARIANT_UNSET,   LACONIC_VARIANT_UNSET,
                                              LACONIC_VARIANT_OVERLAP, LACONIC_VARIANT_ND,
                                              LACONIC_VARIANT_CPR_P2P, LACONIC_VARIANT_HOST_CENTRIC};
  o.variant = random.below(60) == 0 ? LACONIC_VARIANT_PLAIN : random.pick(variants);
  if (of_blocks(o.bound) && o.variant >= LACONIC_VARIANT_CPR_P2P) o.variant = LACONIC_VARIANT_UNSET;
  o.denormals = static_cast<laconic_denormals>(random.below(3));
  if (random.below(2) == 0) {
    const std::vector<std::int64_t> chunks{1, 2, 17, 127, 128, 512, 1000, 1023, 1024, 1025, 4096, 5121, 1 << 26};
    o.chunk_elements = random.pick(chunks);
  }
  o.depth = random.below(2) == 0 ? 0 : 1 + static_cast<int>(random.below(random.below(4) == 0 ? 64 : 5));
  const std::vector<std::int64_t> least{1, 1, 1, 1, 1, 1, 1, 64, 4096, 0};
  o.min_bytes = random.pick(least);
  return o;
}

std::size_t draw_count(Random& random, const laconic_options& options, std::size_t most) {
  std::size_t n = 0;
  const std::vector<std::size_t> borders{16, 64, 127, 512, 1024, 2048, 4096, 5120, 1, 128};
  switch (random.below(12)) {
    case 0: n = random.below(4); break;
    case 1:
    case 2:
    case 3: n = 1 + random.below(40); break;
    case 4:
    case 5: n = random.pick(borders) * (1 + random.below(3)) + random.below(3) - 1; break;
    case 6:
      n = static_cast<std::size_t>(options.chunk_elements > 0 && options.chunk_elements < 6000
                                       ? options.chunk_elements * static_cast<std::int64_t>(1 + random.below(4))
                                       : 1000) +
          random.below(3) - 1;
      break;
    default: n = 1 + random.below(2500); break;
  }
  if (random.below(250) == 0) n = 1 + random.below(most);
  // Tiny chunks make many messages.
  if (options.chunk_elements > 0) n = std::min(n, static_cast<std::size_t>(options.chunk_elements) * 100);
  return std::min(n, most);
}

Call draw_call(Random& random, int least_size, int size, const Offer& offer) {
  Call c;
  // Collectives among neighbors have tests of their own, which make the topologies that they need.
  do c.routine = static_cast<Routine>(random.below(laconic::num_routines));
  while (c.traits().neighborhood());
  c.mode = static_cast<Mode>(random.below(3));
  const auto& types = named_types();
  c.type = &types[random.below(6) == 0 ? random.below(types.size()) : random.below(5) < 3 ? 0 : 1];
  const bool floating = is_floating(c.type->number);
  c.reduction = static_cast<Reduction>(random.below(4));
  if (random.below(60) == 0) c.reduction = Reduction::product;
  if (c.reduction == Reduction::mean && (!floating || c.traits().prefix())) c.reduction = Reduction::sum;
  c.options = draw_options(random, c.type->number, offer);
  if (random.below(3) != 0) c.options.algorithm = random.pick(algorithms_of(c.routine, least_size, size));
  if (random.below(40) == 0) c.options.algorithm = LACONIC_ALGORITHM_PLAIN;
  if (random.below(6) == 0) c.options.algorithm = LACONIC_ALGORITHM_AUTO;
  c.by_hints = c.options.bound.mode != LACONIC_BOUND_UNSET && random.below(16) == 0;
  c.pattern = static_cast<Pattern>(random.below(patterns));
  c.odd_pattern = static_cast<Pattern>(random.below(patterns));
  if (random.below(3) == 0) c.odd_ranks = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << size));
  const bool whole = c.traits().cut_freely();
  const std::size_t share = whole ? 2 : static_cast<std::size_t>(size) * 2;
  c.count = draw_count(random, c.options, offer.largest / share);
  c.in_place = random.below(3) == 0 && !c.traits().one_buffer();
  const std::size_t most_bytes = 2 * c.count * static_cast<std::size_t>(size) * width_of(c.type->number);
  if (copies_overlapping_blocks && c.routine == Routine::reduce_scatter && most_bytes >= 524288) c.in_place = false;
  c.root = static_cast<int>(random.below(static_cast<std::uint64_t>(least_size)));
  c.bundled = random.below(6) == 0 && !c.reduces() && offer.bundles;
  if (c.bundled) c.count = c.count / bundle_multiple * bundle_multiple;
  c.rounds = c.mode == Mode::persistent ? 1 + static_cast<int>(random.below(3)) : 1;
  c.seed = random.bits() >> 24;
  return c;
}

}  // namespace attack
