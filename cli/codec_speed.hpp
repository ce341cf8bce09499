// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codec_measure.hpp"

namespace laconic::cli {

// Fills in the speeds of `m`. Numbers are read from the whole field and results are written to all of it. Frames are
// written to one buffer that is reused, as in the engine. memcpy, encode, decode, fold and add take turns, so that
// other load on the machine affects all of them. Fold and add use the field as both contributions, and record no speed
// if the codec does not support them.
Status measure_speed(const Codec& codec, const Coding& coding, const Field& field, const Setup& setup, Measurement& m);

}  // namespace laconic::cli
