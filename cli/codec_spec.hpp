// SPDX-License-Identifier: BSD-3-Clause
// Names that specify a codec together with one of its modes.
#pragma once

#include <string>

namespace laconic::cli {

struct CodecSpec {
  std::string codec;
  std::string bound;  // set if the spec decides it, else empty
};

// The specs of this build out of "quant", "dense", "raw", "lossless", "szx", "zfp-abs" (or "zfp") and "zfp-rate8".
std::string codec_specs();

// Throws Failure, which names the valid specs.
CodecSpec parse_codec_spec(const std::string& spec);

}  // namespace laconic::cli
