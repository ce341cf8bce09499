// SPDX-License-Identifier: BSD-3-Clause
// How arrays are coded: the caller's settings, checked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bound.hpp"
#include "base/names.hpp"
#include "base/status.hpp"
#include "codec/codec.hpp"

namespace laconic {

// Numbers per frame where the caller sets none: they fit into a core's second-level cache with room to spare.
inline constexpr std::size_t usual_frame = std::size_t{1} << 16;

struct CoderSettings {
  const Codec* codec = nullptr;
  Bound bound;
  Coding coding;  // with the allowance of an absolute bound
  std::size_t frame_elements = usual_frame;
  int threads = 1;
};

// The codec that a bound and the caller's choice ask for; nullptr where it is not in this build.
const Codec* codec_for(CodecName asked, BoundMode mode);

// The error for a codec that is not in this build: codecs that need another library are left out where it is missing.
Status not_built(std::string_view codec);

// An error if the codec does not keep bounds of this mode.
Status check_bound_of(const Codec& codec, const Bound& bound);

// The settings for numbers of this type.  exact_denormals: as in Coding.
Status settings_for(CodecName asked, const Bound& bound, Dtype dtype, bool exact_denormals, CoderSettings& settings);

}  // namespace laconic
