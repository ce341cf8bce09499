// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codec_measure.hpp"

namespace laconic::cli {

// Fills in the speeds of `m`. Numbers are read from and results written to the whole field, frames are written to one
// buffer that is used again and again, as the engine does it. memcpy, encode, decode, fold and add take turns, so that
// whatever else the machine does hits all of them. Fold and add have the field as both contributions, and leave no
// speed when the codec cannot do them.
Status measure_speed(const Codec& codec, const Coding& coding, const Field& field, const Setup& setup, Measurement& m);

}  // namespace laconic::cli
