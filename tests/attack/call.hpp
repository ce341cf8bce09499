// SPDX-License-Identifier: BSD-3-Clause
// One collective call as it is drawn: the same on all ranks, except for settings that may differ from rank to rank.
#pragma once

#include <string>

#include "patterns.hpp"
#include "ranks/collective_setting.hpp"

namespace attack {

// The counts of bundled calls are multiples of this: every bundle divides it.
inline constexpr std::size_t bundle_multiple = 12;

using ranks::Mode;
using ranks::Random;
using ranks::Routine;

enum class Reduction : std::uint8_t { sum, max, min, mean, product };  // no product is ever compressed

// Whether the bound is a share of what the numbers of each block are, and not known before they are coded.
inline bool of_blocks(const laconic_bound& bound) {
  return bound.mode == LACONIC_BOUND_RMS || bound.mode == LACONIC_BOUND_BLOCK;
}

// Whether it is a share of the range of all numbers of the call.
inline bool of_range(const laconic_bound& bound) {
  return bound.mode == LACONIC_BOUND_REL || bound.mode == LACONIC_BOUND_RANGE;
}

struct Call {
  Routine routine = Routine::allreduce;
  Mode mode = Mode::blocking;
  const NamedType* type = nullptr;
  Reduction reduction = Reduction::sum;
  laconic_options options{};  // the options that are to take effect
  bool by_hints = false;      // the options are set as hints of the communicator
  Pattern pattern = Pattern::smooth;
  Pattern odd_pattern = Pattern::smooth;  // for the ranks whose bit is set below
  std::uint32_t odd_ranks = 0;
  std::size_t count = 0;  // of one block, or of all blocks where there is one buffer; the mean of uneven ones
  bool in_place = false;
  bool bundled = false;  // an element holds several numbers; each rank chooses how many
  int root = 0;
  int rounds = 1;          // how often a persistent operation is started
  std::uint64_t seed = 0;  // the seed of counts, gaps and numbers

  const laconic::CollectiveTraits& traits() const { return laconic::traits_of(routine); }
  bool reduces() const { return traits().reduces; }
  bool rooted() const { return traits().rooted(); }
  bool uneven() const {
    return traits().send.counting != laconic::Counting::equal || traits().recv.counting != laconic::Counting::equal;
  }
  bool displaced() const { return uneven() && !reduces(); }
  bool per_hop() const {
    return options.variant == LACONIC_VARIANT_CPR_P2P || options.variant == LACONIC_VARIANT_HOST_CENTRIC;
  }
  // Every rank receives all of the result.
  bool shares_result() const { return traits().replicates(); }
  laconic_codec codec() const {
    if (options.codec != LACONIC_CODEC_UNSET) return options.codec;
    if (options.effort == LACONIC_EFFORT_DENSE) return LACONIC_CODEC_DENSE;
    return lossless() ? LACONIC_CODEC_LOSSLESS : LACONIC_CODEC_QUANT;
  }
  bool lossless() const { return options.bound.mode == LACONIC_BOUND_LOSSLESS; }
  // Whether the codec rounds to an integer lattice, and then adds exactly.
  bool lattice() const { return !lossless() && (codec() == LACONIC_CODEC_QUANT || codec() == LACONIC_CODEC_DENSE); }
  // Whether integers are compressed.
  bool codes_integers() const {
    return lossless() &&
           (codec() == LACONIC_CODEC_LOSSLESS || codec() == LACONIC_CODEC_DENSE || codec() == LACONIC_CODEC_RAW);
  }
  // Whether the codec keeps every bit of data that only moves.
  bool keeps_bits() const { return lossless() || codec() == LACONIC_CODEC_RAW || codec() == LACONIC_CODEC_LOSSLESS; }
};

const char* name_of(Reduction reduction);
const char* name_of(Mode mode);
std::string describe(const Call& call);
std::string describe(const laconic_options& options);

// The features that the build and the run offer.
struct Offer {
  bool zfp = false;
  bool bundles = true;           // derived datatypes are used
  std::size_t largest = 300000;  // the most numbers of all ranks together
};

// Draws a call for a communicator, or for several that were made together and have from least_size to size ranks.
Call draw_call(Random& random, int least_size, int size, const Offer& offer);
laconic_options draw_options(Random& random, Number number, const Offer& offer);
std::size_t draw_count(Random& random, const laconic_options& options, std::size_t most);

// Algorithms that a routine has for both numbers of ranks.
std::vector<laconic_algorithm> algorithms_of(Routine routine, int least_size, int size);

}  // namespace attack
