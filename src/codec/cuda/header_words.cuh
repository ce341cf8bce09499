// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a header as an argument of a kernel.
#pragma once

#include <cstdint>
#include <span>

#include "device/cuda/language.hpp"
#include "wire/frame.hpp"

namespace laconic {

struct HeaderWords {
  std::uint32_t words[wire::header_bytes / 4];
};

inline HeaderWords words_of(const wire::Header& header) {
  HeaderWords out;
  wire::write_header(header, std::as_writable_bytes(std::span(out.words)));
  return out;
}

}  // namespace laconic
