// SPDX-License-Identifier: BSD-3-Clause
// The collectives of the API by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "call/collective.hpp"

namespace laconic::cli {

inline std::string collective_list() {
  std::string list;
  for (std::size_t k = 0; k < num_routines; ++k)
    list += (list.empty() ? "" : ", ") + std::string(name_of(static_cast<Routine>(k)));
  return list;
}

// Also accepts the nonblocking and persistent forms, which have the same schedules: "iallreduce", "allreduce_init".
constexpr std::optional<Routine> find_collective(std::string_view name) {
  for (std::size_t k = 0; k < num_routines; ++k) {
    const auto routine = static_cast<Routine>(k);
    const std::string_view own = name_of(routine);
    if (name == own || (name.starts_with('i') && name.substr(1) == own) ||
        (name.ends_with("_init") && name.substr(0, name.size() - 5) == own))
      return routine;
  }
  return std::nullopt;
}

}  // namespace laconic::cli
