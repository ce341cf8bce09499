// SPDX-License-Identifier: BSD-3-Clause
// The possible problems of a block of a frame, and their messages.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace laconic::quant {

enum class Problem : std::uint32_t {
  none,
  ends_in_index,
  ends_in_block,
  bytes_after,
  no_lattice,
  other_size,
  bad_block,
  ends_in_exponent,
  bad_exponent,
  bad_header,  // kernels only; the fault of the header says more
};

inline Status malformed(const char* what) { return {Code::frame, std::string("malformed frame: ") + what}; }

inline Status status_of(Problem problem) {
  switch (problem) {
    case Problem::none: return {};
    case Problem::ends_in_index: return malformed("the payload ends in the index");
    case Problem::ends_in_block: return malformed("the payload ends in a block");
    case Problem::bytes_after: return malformed("bytes after the last block");
    case Problem::no_lattice: return malformed("a block of lattice points in a frame without a lattice");
    case Problem::other_size: return malformed("a block of another size than its numbers have");
    case Problem::bad_block: return malformed("a block whose widths do not fit its size or its numbers");
    case Problem::ends_in_exponent: return malformed("a block that ends in its exponent");
    case Problem::bad_exponent: return malformed("an exponent of a block beyond those of float64");
    case Problem::bad_header: return malformed("the header");
  }
  return malformed("of a kind that has no name");
}

}  // namespace laconic::quant
