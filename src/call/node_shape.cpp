// SPDX-License-Identifier: BSD-3-Clause
#include "call/node_shape.hpp"

#include <algorithm>
#include <unordered_map>

namespace laconic {

NodeShape::NodeShape(std::span<const std::uint64_t> identities) {
  std::unordered_map<std::uint64_t, int> known;
  seats_.reserve(identities.size());
  for (const std::uint64_t identity : identities) {
    const auto [found, fresh] = known.try_emplace(identity, nodes());
    if (fresh) ranks_.emplace_back();
    std::vector<int>& ranks = ranks_[at(found->second)];
    ranks.push_back(size());
    seats_.push_back({found->second, static_cast<int>(ranks.size()) - 1});
  }
  if (ranks_.empty()) return;
  const std::size_t first = ranks_[0].size();
  const auto alike = [&](const std::vector<int>& ranks) { return ranks.size() == first; };
  if (std::all_of(ranks_.begin(), ranks_.end(), alike)) per_node_ = static_cast<int>(first);
}

NodeShape contiguous_nodes(int nodes, int per_node) {
  std::vector<std::uint64_t> identities;
  for (int node = 0; node < nodes; ++node)
    identities.insert(identities.end(), static_cast<std::size_t>(per_node), static_cast<std::uint64_t>(node));
  return NodeShape(identities);
}

}  // namespace laconic
