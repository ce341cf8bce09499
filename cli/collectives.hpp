// SPDX-License-Identifier: BSD-3-Clause
// The collectives of the API by name, and whose schedules each has.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "schedule/schedule.hpp"

namespace laconic::cli {

struct CollectiveName {
  std::string_view name;
  Collective collective;
};

inline constexpr std::array<CollectiveName, 13> collectives{{
    {"allreduce", Collective::allreduce},
    {"reduce", Collective::reduce},
    {"reduce_scatter", Collective::reduce_scatter},
    {"reduce_scatter_block", Collective::reduce_scatter},
    {"allgather", Collective::allgather},
    {"allgatherv", Collective::allgather},
    {"bcast", Collective::bcast},
    {"scatter", Collective::scatter},
    {"scatterv", Collective::scatter},
    {"gather", Collective::gather},
    {"gatherv", Collective::gather},
    {"alltoall", Collective::alltoall},
    {"alltoallv", Collective::alltoall},
}};

inline std::string collective_list() {
  std::string list;
  for (const CollectiveName& c : collectives) list += (list.empty() ? "" : ", ") + std::string(c.name);
  return list;
}

// Also the nonblocking and the persistent form, which have the same schedules: "iallreduce", "allreduce_init".
constexpr const CollectiveName* find_collective(std::string_view name) {
  for (const CollectiveName& c : collectives) {
    if (name == c.name) return &c;
    if (name.starts_with('i') && name.substr(1) == c.name) return &c;
    if (name.ends_with("_init") && name.substr(0, name.size() - 5) == c.name) return &c;
  }
  return nullptr;
}

}  // namespace laconic::cli
