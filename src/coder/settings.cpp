// SPDX-License-Identifier: BSD-3-Clause
#include "coder/settings.hpp"

#include <string>

#include "codec/resolve_bound.hpp"

namespace laconic {

const Codec* codec_for(CodecName asked, BoundMode mode) {
  if (asked != CodecName::unset) return find_codec(asked);
  return find_codec(mode == BoundMode::lossless ? CodecName::lossless : CodecName::quant);
}

Status not_built(std::string_view codec) {
  std::string available;
  for (const Codec* other : all_codecs()) available += (available.empty() ? "" : ", ") + std::string(other->name());
  return {Code::argument, "codec '" + std::string(codec) + "' is not in this build of Laconic; available are " +
                              available + " (zfp needs libzfp: apt-get install libzfp-dev, then build again)"};
}

Status check_bound_of(const Codec& codec, const Bound& bound) {
  if (bound.mode == BoundMode::unset || codec.supports_bound(bound.mode)) return {};
  std::string needed;
  for (const Codec* other : all_codecs())
    if (other->supports_bound(bound.mode))
      needed += (needed.empty() ? "the codec " : " or ") + std::string(other->name());
  if (needed.empty()) needed = "a codec that is not in this build";
  return {Code::argument, "bound '" + to_string(bound) + "' needs " + needed +
                              "; valid with other codecs are abs:E, rel:E or lossless"};
}

Status settings_for(CodecName asked, const Bound& given, Dtype dtype, bool exact_denormals, CoderSettings& settings) {
  const Bound bound = library_bound(given);
  if (bound.mode == BoundMode::unset)
    return {Code::argument, "no bound is set; valid are abs:E, rel:R, range:R, block:R, rms:R, rate:BITS or lossless"};
  if (Status s = check_bound(bound); !s) return s;
  settings.codec = codec_for(asked, bound.mode);
  if (settings.codec == nullptr) return not_built(text_of(asked));
  if (Status s = check_bound_of(*settings.codec, bound); !s) return s;
  if (is_integer(dtype) && (bound.mode != BoundMode::lossless || !settings.codec->supports(dtype)))
    return {Code::type, "integers are not rounded; valid is the bound lossless"};
  settings.bound = bound;
  settings.coding = coding_for(bound, dtype);
  settings.coding.exact_denormals = exact_denormals;
  if (bound.mode != BoundMode::rel) settings.coding.allowance = absolute_bound(bound, {});
  return check_coding(*settings.codec, settings.coding);
}

}  // namespace laconic
