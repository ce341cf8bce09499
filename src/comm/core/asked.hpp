// SPDX-License-Identifier: BSD-3-Clause
// What settings ask for, in the terms of codecs: of collectives and messages alike.
#pragma once

#include <cstddef>

#include "base/status.hpp"
#include "codec/codec.hpp"
#include "codec/range.hpp"
#include "laconic/laconic.h"
#include "schedule/schedule.hpp"

namespace laconic {

// From this many bytes on the numbers of a result are written past the caches: it is more than a core's share of them,
// so what is written first would be gone before the caller reads it, and would have pushed out frames under way.
inline constexpr std::size_t streaming_bytes = std::size_t{8} << 20;

// Each hop decodes what it gets.
inline bool per_hop(laconic_variant v) { return v == LACONIC_VARIANT_CPR_P2P || v == LACONIC_VARIANT_HOST_CENTRIC; }

inline bool overlapping(laconic_variant v) { return v != LACONIC_VARIANT_ND && !per_hop(v); }

inline bool keeps_denormals(const laconic_options& o) { return o.denormals == LACONIC_DENORMALS_EXACT; }

// What no source has set.
void fill_defaults(laconic_options& settings);

// nullptr where it is not in this build.
const Codec* asked_codec(const laconic_options& settings);

// The algorithm of a collective for data of so many bytes (or unknown_bytes): the one that was asked for, or a choice.
Status asked_algorithm(const laconic_options& settings, Collective collective, int ranks, std::size_t bytes,
                       const Algorithm*& algorithm);

// Codecs that need another library are left out where it is missing.
Status not_built(std::string_view codec);

// No integer is rounded: a bound on the error is for other types.
bool codes_integers(const laconic_options& settings, Dtype dtype);

// 0, which rounds nothing, for lossless and for a relative bound on values without a range.
double absolute_bound(const laconic_options& settings, const Range& range);

// Notes in the statistics of a call which codec it used.
void name_codec(std::string_view name, laconic_stats& stats);

}  // namespace laconic
