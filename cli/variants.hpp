// SPDX-License-Identifier: BSD-3-Clause
// The variants of the library, by name. They are named here again because builds without MPI have no public API.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace laconic::cli {

struct VariantName {
  std::string_view name;
  bool overlaps;  // data are cut into chunks, several of which are in flight
  bool per_hop;   // every hop encodes again, so ranks may hold results that differ within the bound
};

inline constexpr std::array<VariantName, 4> variants{{
    {"overlap", true, false},
    {"nd", false, false},
    {"cpr-p2p", false, true},
    {"host-centric", false, true},
}};

constexpr const VariantName* find_variant(std::string_view name) {
  for (const VariantName& v : variants)
    if (v.name == name) return &v;
  return nullptr;
}

// The names of the variants, separated by commas.
inline std::string variant_list() {
  std::string list;
  for (const VariantName& v : variants) list += (list.empty() ? "" : ", ") + std::string(v.name);
  return list;
}

}  // namespace laconic::cli
