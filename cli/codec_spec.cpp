// SPDX-License-Identifier: BSD-3-Clause
#include "codec_spec.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/number.hpp"
#include "codec/codec.hpp"
#include "failure.hpp"

namespace laconic::cli {
namespace {

Failure not_valid(const std::string& spec) {
  return usage(fmt::format("codec '{}' is not valid; valid are {}", spec, codec_specs()));
}

}  // namespace

std::string codec_specs() {
  std::string valid;
  for (const Codec* codec : all_codecs()) {
    const std::string name(codec->name());
    valid += (valid.empty() ? "" : ", ") + (name == "zfp" ? "zfp-abs, zfp-rateN (N bits per number)" : name);
  }
  return valid;
}

CodecSpec parse_codec_spec(const std::string& spec) {
  CodecSpec found{spec, ""};
  if (spec == "lossless") found.bound = "lossless";
  if (spec == "zfp-abs") found.codec = "zfp";
  if (spec.starts_with("zfp-rate")) {
    double bits = 0;
    if (!parse_number(std::string_view(spec).substr(8), bits) || !(bits > 0)) throw not_valid(spec);
    found = {"zfp", "rate:" + spec.substr(8)};
  }
  if (find_codec(found.codec) != nullptr) return found;
  if (found.codec == "zfp") throw usage("codec '" + spec + "' is not in this build, which was made without libzfp");
  throw not_valid(spec);
}

}  // namespace laconic::cli
