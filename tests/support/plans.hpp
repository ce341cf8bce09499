// SPDX-License-Identifier: BSD-3-Clause
// Helpers to inspect plans.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "engine/plan.hpp"

namespace laconic::test {

constexpr bool takes_message(Act act) {
  return act == Act::take || act == Act::fold || act == Act::add || act == Act::merge;
}

inline std::string_view text_of(Travel travel) {
  switch (travel) {
    case Travel::homomorphic: return "adding";
    case Travel::reencoding: return "reencoding";
    case Travel::per_hop: return "per_hop";
  }
  return "?";
}

inline std::string_view text_of(Location location) {
  switch (location) {
    case Location::none: return "frame";
    case Location::input: return "input";
    case Location::output: return "output";
    case Location::spare: return "spare";
  }
  return "?";
}

// The roots to test: all roots for few ranks, some for many; 0 where the collective has no root.
inline std::set<int> some_roots(Collective collective, int size) {
  if (!has_root(collective)) return {0};
  if (size > 5) return {0, 1, size / 2, size - 1};
  std::set<int> all;
  for (int root = 0; root < size; ++root) all.insert(root);
  return all;
}

// Text such as "encode2 send2@1 merge1@2(input,spare) ...": block, peer, the locations of the numbers read and
// written, and the place in a message of several frames.
inline std::string to_text(const Plan& plan) {
  std::string text;
  for (const Action& a : plan.actions) {
    if (!text.empty()) text += ' ';
    text += std::string(name_of(a.act)) + (a.last ? "!" : "") + (a.more ? "+" : "");
    text += std::to_string(plan.blocks[static_cast<std::size_t>(a.block)]);
    if (a.peer >= 0) text += "@" + std::to_string(a.peer);
    if (a.act == Act::merge) text += "(" + std::string(text_of(a.from)) + "," + std::string(text_of(a.to)) + ")";
    if (a.act == Act::unpack) text += "(" + std::string(text_of(a.to)) + ")";
    if (a.act == Act::encode || a.act == Act::fold || a.act == Act::copy)
      text += "(" + std::string(text_of(a.from)) + ")";
    if (a.parts > 1) text += "[" + std::to_string(a.part + 1) + "/" + std::to_string(a.parts) + "]";
  }
  return text;
}

}  // namespace laconic::test
