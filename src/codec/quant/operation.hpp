// SPDX-License-Identifier: BSD-3-Clause
// The header checks of a frame within an operation, the same for frames in host memory and in device memory.
#pragma once

#include <cmath>

#include "codec/codec.hpp"
#include "codec/quant/format.hpp"
#include "codec/quant/problem.hpp"
#include "wire/frame.hpp"

namespace laconic::quant {

// Finding the step takes as long as encoding a block or two, and successive calls ask for the same step, so the latest
// one is kept.
inline Lattice lattice_of(const Coding& coding) {
  struct Latest {
    double allowance = -1;
    double greatest = 0;
    std::uint32_t terms = 0;
    std::uint32_t coarser = 0;
    Dtype dtype{};
    Lattice lattice;
  };
  thread_local Latest latest;
  if (latest.allowance != coding.allowance || latest.greatest != coding.greatest || latest.terms != coding.terms ||
      latest.coarser != coding.coarser || latest.dtype != coding.dtype) {
    latest = {
        coding.allowance, coding.greatest,
        coding.terms,     coding.coarser,
        coding.dtype,     Lattice::make(coding.allowance, coding.terms, coding.dtype, coding.greatest, coding.coarser)};
  }
  return latest.lattice;
}

// Numbers that leave the lattice are added as floating-point numbers, and the result depends on how the data is split.
// Where nothing is added, size counts.
inline bool adds(const Coding& coding) { return coding.terms > 1 || coding.op != Op::sum; }

// The step of the frames that fold() and add() write and that decode() reads.
inline double step_of_frames(const Coding& coding, const Lattice& lattice) {
  return coding.rounds_result() ? std::ldexp(lattice.step, static_cast<int>(coding.coarser)) : lattice.step;
}

// The largest error of rounding a result: half a step of its lattice.
inline double error_of_rounding(const Coding& coding, const Lattice& lattice) {
  return coding.rounds_result() ? step_of_frames(coding, lattice) / 2 : 0;
}

inline Status other_step() { return malformed("step differs from this operation's"); }

// Whether a frame keeps every bit of its numbers.  A sender that must not round them makes such frames in any
// operation.
inline bool keeps_all(const wire::Header& header) { return !header.scaled() && header.step == 0; }

// Checks that the kind of frame is the one that this operation writes; with neither an allowance nor a share, any kind
// is accepted.
inline Status check_kind(const wire::Header& header, const Coding& coding) {
  if (header.scaled() && header.step != 1) return malformed("scaled with another step than 1");
  if (header.scaled() && coding.allowance > 0) return malformed("scaled, which this operation is not");
  if (!header.scaled() && coding.relative > 0) return malformed("not scaled, which this operation is");
  return {};
}

// Checks a frame to be decoded.  Within an operation the step is known, and another step would scale every number.
inline Status check_decoded(const wire::Header& header, const Coding& coding) {
  if (keeps_all(header)) return {};
  if (Status s = check_kind(header, coding); !s || header.scaled()) return s;
  if (!(coding.allowance > 0)) return {};
  return header.step == step_of_frames(coding, lattice_of(coding)) ? Status{} : other_step();
}

// Checks a frame to be combined.
inline Status check_combined(const wire::Header& header, const Coding& coding, const Lattice& lattice) {
  if (Status s = check_kind(header, coding); !s || coding.relative > 0) return s;
  if (header.scaled()) return malformed("scaled, which this operation is not");
  return header.step == lattice.step ? Status{} : other_step();
}

}  // namespace laconic::quant
