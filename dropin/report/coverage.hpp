// SPDX-License-Identifier: BSD-3-Clause
// The shares of all bytes that are compressed, that other settings would include, and that stay plain under any.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/settings.hpp"
#include "report/tally.hpp"

namespace laconic::dropin {

struct BytesOf {
  std::string what;
  std::string settings;  // that would include them, as they are set in the environment; empty if there are none
  std::uint64_t bytes = 0;
};

struct Coverage {
  std::uint64_t bytes = 0;  // sent by all ranks in all calls
  std::uint64_t compressed = 0;
  std::vector<BytesOf> plain;  // first those that settings would include, the most bytes first
};

// `min_bytes`: the size from which on calls are compressed with these settings.
Coverage coverage_of(const std::map<std::string, TallyGroup>& groups, const Settings& settings,
                     std::uint64_t min_bytes);

}  // namespace laconic::dropin
