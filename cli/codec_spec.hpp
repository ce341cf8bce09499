// SPDX-License-Identifier: BSD-3-Clause
// Codecs as people name them where one of their modes is meant.
#pragma once

#include <string>

namespace laconic::cli {

struct CodecSpec {
  std::string codec;
  std::string bound;  // when the spec decides it, else empty
};

// "quant", "raw", "lossless", "szx", "zfp-abs" (or "zfp"), "zfp-rate8": what this build has of them.
std::string codec_specs();

// Throws Failure, which names what is valid.
CodecSpec parse_codec_spec(const std::string& spec);

}  // namespace laconic::cli
