// SPDX-License-Identifier: BSD-3-Clause
// One collective call as it is drawn: alike on all ranks but for what is each rank's own business.
#pragma once

#include <string>

#include "patterns.hpp"
#include "ranks/collective_setting.hpp"

namespace attack {

// Numbers of which bundled calls have a multiple: every bundle divides it.
inline constexpr std::size_t bundle_multiple = 12;

using ranks::Mode;
using ranks::Random;
using ranks::Routine;

enum class Reduction : std::uint8_t { sum, max, min, mean, product };  // no product is ever compressed

struct Call {
  Routine routine = Routine::allreduce;
  Mode mode = Mode::blocking;
  const NamedType* type = nullptr;
  Reduction reduction = Reduction::sum;
  laconic_options options{};  // as they are to take effect
  bool by_hints = false;      // they are set as hints of the communicator
  Pattern pattern = Pattern::smooth;
  Pattern odd_pattern = Pattern::smooth;  // of the ranks whose bit is set below
  std::uint32_t odd_ranks = 0;
  std::size_t count = 0;  // of a block, or of all where there is one buffer; the mean of uneven ones
  bool in_place = false;
  bool bundled = false;  // ranks call several numbers one element, each as many as it likes
  int root = 0;
  int rounds = 1;          // how often a persistent operation is started
  std::uint64_t seed = 0;  // of counts, gaps and numbers

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
    return options.bound.mode == LACONIC_BOUND_LOSSLESS ? LACONIC_CODEC_LOSSLESS : LACONIC_CODEC_QUANT;
  }
  // A codec that keeps every bit of what only moves.
  bool keeps_bits() const {
    return options.bound.mode == LACONIC_BOUND_LOSSLESS || codec() == LACONIC_CODEC_RAW ||
           codec() == LACONIC_CODEC_LOSSLESS;
  }
};

const char* name_of(Reduction reduction);
const char* name_of(Mode mode);
std::string describe(const Call& call);
std::string describe(const laconic_options& options);

// What the build and the run offer.
struct Offer {
  bool zfp = false;
  bool bundles = true;           // derived datatypes
  std::size_t largest = 300000;  // numbers of all ranks together
};

// On a communicator, or several that were made together and have from least_size to size ranks.
Call draw_call(Random& random, int least_size, int size, const Offer& offer);
laconic_options draw_options(Random& random, Number number, const Offer& offer);
std::size_t draw_count(Random& random, const laconic_options& options, std::size_t most);

// Algorithms that a routine has on both numbers of ranks.
std::vector<laconic_algorithm> algorithms_of(Routine routine, int least_size, int size);

}  // namespace attack
