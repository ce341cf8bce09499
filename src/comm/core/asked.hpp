// SPDX-License-Identifier: BSD-3-Clause
// The requested settings in the terms of codecs and algorithms, for collectives and messages alike.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/names.hpp"
#include "base/status.hpp"
#include "codec/codec.hpp"
#include "codec/range.hpp"
#include "codec/resolve_bound.hpp"
#include "coder/settings.hpp"
#include "laconic/laconic.h"
#include "schedule/schedule.hpp"
#include "tune/coding_cost.hpp"

namespace laconic {

// From this many bytes on, the numbers of a result are written past the caches.  Such a result exceeds a core's share
// of the caches: its first part would be evicted before the caller reads it, and would itself have evicted frames in
// flight.
inline constexpr std::size_t streaming_bytes = std::size_t{8} << 20;

// True for the variants in which each hop decodes the frames that it receives.
inline bool per_hop(laconic_variant v) { return v == LACONIC_VARIANT_CPR_P2P || v == LACONIC_VARIANT_HOST_CENTRIC; }

inline bool overlapping(laconic_variant v) { return v != LACONIC_VARIANT_ND && !per_hop(v); }

inline BoundTarget target_of(const laconic_options& o) { return static_cast<BoundTarget>(o.target); }

inline bool keeps_denormals(const laconic_options& o) { return o.denormals == LACONIC_DENORMALS_EXACT; }

// Gives every field that no source has set its default.  within_node: all ranks are known to share a node.
void fill_defaults(laconic_options& settings, bool within_node);

// Whether the ranks learn which calls with these settings are faster compressed, or a profile knows.
bool tuned(const laconic_options& settings);

// The effort of calls with these settings; automatic where the ranks choose between light and dense.  Light also stands
// for all codecs that have no effort.
Effort effort_of(const laconic_options& settings);

// The requested codec, or that of light where the ranks have not chosen; nullptr where it is not in this build.
const Codec* asked_codec(const laconic_options& settings);

// The codecs of the efforts that the settings allow.
EffortCodecs codecs_of(const laconic_options& settings);

// The requested algorithm of a collective; nullptr where the library chooses.
Status asked_algorithm(const laconic_options& settings, Collective collective, Ranks ranks,
                       const Algorithm*& algorithm);

// The library's choice for data of `bytes` bytes (or unknown_bytes).
const Algorithm& chosen_algorithm(const laconic_options& settings, Collective collective, int ranks, std::size_t bytes);

inline Status not_built(laconic_codec asked) { return not_built(text_of(static_cast<CodecName>(asked))); }

// The coding of numbers that are only moved, as far as the settings determine it without the numbers.
Coding asked_coding(const laconic_options& settings, Dtype dtype);

// Whether integers of this type are compressed.  Integers are never rounded, so every bound but lossless is for other
// types.
bool codes_integers(const laconic_options& settings, Dtype dtype);

// The bound as an absolute error; 0 where the range of the numbers is too large, too.
double absolute_bound(const laconic_options& settings, const Range& range);

// A hash of the settings that matter for the time of a call: calls with equal settings teach each other.
std::uint64_t tuning_key(const laconic_options& settings);

// Codecs and algorithms in the numbers of the public API.
inline laconic_codec in_api(CodecName name) { return static_cast<laconic_codec>(name); }
inline laconic_effort in_api(Effort effort) { return static_cast<laconic_effort>(effort); }
inline laconic_algorithm in_api(AlgorithmName name) { return static_cast<laconic_algorithm>(name); }

}  // namespace laconic
