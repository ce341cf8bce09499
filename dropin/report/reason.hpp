// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace laconic::dropin {

// Why a call was left to MPI.
enum class Reason : std::uint8_t {
  touched,  // not left to MPI: the call is compressed
  no_bound,
  rule,
  type,
  op,
  small,
  one_rank,
  itself,
  intercomm,
  foreign,
  differ,
  asked,
  audit,
  arguments,
  memory,
  longer,
  threads,
  form,
  device,
  unprepared,
  slower,
  bounds,
  neighbors,
  read_only,
  refused
};

inline constexpr std::size_t reasons = 25;

// The reason as text for the summary, and as a key for JSON.
const char* text_of(Reason reason);
const char* key_of(Reason reason);

}  // namespace laconic::dropin
