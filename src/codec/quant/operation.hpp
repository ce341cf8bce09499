// SPDX-License-Identifier: BSD-3-Clause
// What the header of a frame must say within an operation; the same for frames in the memory of the host and of
// devices.
#pragma once

#include "codec/codec.hpp"
#include "codec/quant/format.hpp"
#include "codec/quant/problem.hpp"
#include "wire/frame.hpp"

namespace laconic::quant {

// Finding the step takes as long as encoding a block or two, and one call after the other asks for the same.
inline Lattice lattice_of(const Coding& coding) {
  struct Latest {
    double allowance = -1;
    double greatest = 0;
    std::uint32_t terms = 0;
    Dtype dtype{};
    Lattice lattice;
  };
  thread_local Latest latest;
  if (latest.allowance != coding.allowance || latest.greatest != coding.greatest || latest.terms != coding.terms ||
      latest.dtype != coding.dtype) {
    latest = {coding.allowance, coding.greatest, coding.terms, coding.dtype,
              Lattice::make(coding.allowance, coding.terms, coding.dtype, coding.greatest)};
  }
  return latest.lattice;
}

inline Status other_step() { return malformed("step differs from this operation's"); }

// That an operation gets the kind of frame that it writes; with neither allowance nor share any kind will do.
inline Status check_kind(const wire::Header& header, const Coding& coding) {
  if (header.scaled() && header.step != 1) return malformed("scaled with another step than 1");
  if (header.scaled() && coding.allowance > 0) return malformed("scaled, which this operation is not");
  if (!header.scaled() && coding.relative > 0) return malformed("not scaled, which this operation is");
  return {};
}

// Of a frame to be decoded.  Within an operation the step is known, and another one would scale every number.
inline Status check_decoded(const wire::Header& header, const Coding& coding) {
  if (Status s = check_kind(header, coding); !s || header.scaled()) return s;
  return coding.allowance > 0 && header.step != lattice_of(coding).step ? other_step() : Status{};
}

// Of a frame to be combined.
inline Status check_combined(const wire::Header& header, const Coding& coding, const Lattice& lattice) {
  if (Status s = check_kind(header, coding); !s || coding.relative > 0) return s;
  if (header.scaled()) return malformed("scaled, which this operation is not");
  return header.step == lattice.step ? Status{} : other_step();
}

}  // namespace laconic::quant
