// SPDX-License-Identifier: BSD-3-Clause
// The shares of all bytes that are compressed, that other settings would include, and that stay plain under any.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/settings.hpp"
#include "report/tally.hpp"

namespace laconic::dropin {

// No smaller LACONIC_MIN_BYTES is suggested: the fixed costs of a compressed call would outweigh what it saves.
inline constexpr std::uint64_t least_suggested = 4096;

// The settings that plain calls lack to be compressed.
struct Needs {
  bool bound = false;      // LACONIC_BOUND
  bool include = false;    // LACONIC_INCLUDE=movement
  bool messages = false;   // LACONIC_P2P=1; with `include`: LACONIC_INCLUDE=all
  bool min_bytes = false;  // LACONIC_MIN_BYTES=4096
  unsigned readings = 0;   // LACONIC_INCLUDE=send+type:byte=double,...: one bit for each of `all_readings`

  bool within(const Needs& given) const {
    return (!bound || given.bound) && (!include || given.include) && (!messages || given.messages) &&
           (!min_bytes || given.min_bytes) && (readings & ~given.readings) == 0;
  }
};

// Items by which bytes are read as numbers.
inline constexpr std::array<const char*, 4> all_readings{"send+type:byte=double", "send+type:byte=float",
                                                         "send+type:packed=double", "send+type:packed=float"};
// The value of LACONIC_INCLUDE; empty if it need not be set.
std::string inclusions(const Needs& needs);

// As they are set in the environment, as in "LACONIC_BOUND=rel:1e-6 LACONIC_P2P=1".
std::string text_of(const Needs& needs, const std::string& bound = sample_bounds[usual_bound]);

// A sentence to go wherever a bound is named that nobody has chosen. `choose`: how to do that.
std::string only_a_start(const std::string& choose = "look at others with laconic advise");

// The reason why plain calls stay plain with any settings; nullptr if settings would include them: needs_of().
// `min_bytes`: the size from which on calls are compressed with these settings.
const char* lasting_reason(const TrafficKey& of, const Settings& settings, std::uint64_t min_bytes);
Needs needs_of(const TrafficKey& of, const Settings& settings, std::uint64_t min_bytes);

struct BytesOf {
  std::string what;
  std::string settings;  // that would include them, as they are set in the environment; empty if there are none
  std::uint64_t bytes = 0;
  bool names_a_bound() const { return settings.starts_with("LACONIC_BOUND="); }
};

struct Coverage {
  std::uint64_t bytes = 0;  // sent by all ranks in all calls
  std::uint64_t compressed = 0;
  std::vector<BytesOf> plain;  // first those that settings would include, the most bytes first
};

Coverage coverage_of(const std::map<std::string, TallyGroup>& groups, const Settings& settings,
                     std::uint64_t min_bytes);

}  // namespace laconic::dropin
