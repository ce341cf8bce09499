// SPDX-License-Identifier: BSD-3-Clause
#include "base/bound.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "base/number.hpp"

namespace laconic {
namespace {

constexpr std::array<std::pair<std::string_view, BoundMode>, 6> prefixes{{
    {"abs", BoundMode::abs},
    {"rel", BoundMode::rel},
    {"range", BoundMode::range},
    {"block", BoundMode::block},
    {"rms", BoundMode::rms},
    {"rate", BoundMode::rate},
}};

Status bad_bound(std::string_view text) {
  return {Code::argument, "bound '" + std::string(text) + "' is not valid; valid are " + std::string(bound_forms)};
}

}  // namespace

Status parse_bound(std::string_view text, Bound& bound) {
  if (text == "lossless") {
    bound = {BoundMode::lossless, 0};
    return {};
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return bad_bound(text);
  for (const auto& [name, mode] : prefixes) {
    if (text.substr(0, colon) != name) continue;
    Bound parsed{mode, 0};
    if (!parse_number(text.substr(colon + 1), parsed.value)) return bad_bound(text);
    if (Status s = check_bound(parsed); !s) return bad_bound(text);
    bound = parsed;
    return {};
  }
  return bad_bound(text);
}

Status parse_bounds(std::string_view list, Bound& rest) {
  rest = {};
  while (true) {
    const auto comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    // A bound has no '=', but a term may have one: "size>=1M".
    const auto equals = item.rfind('=');
    Bound bound;
    if (Status s = parse_bound(equals == std::string_view::npos ? item : item.substr(equals + 1), bound); !s) return s;
    if (comma == std::string_view::npos) {
      if (equals == std::string_view::npos) rest = bound;
      return {};
    }
    list.remove_prefix(comma + 1);
  }
}

Status check_bound(const Bound& bound) {
  switch (bound.mode) {
    case BoundMode::unset:
    case BoundMode::lossless: return {};
    case BoundMode::abs:
    case BoundMode::rel:
    case BoundMode::range:
    case BoundMode::block:
    case BoundMode::rms:
    case BoundMode::rate:
      if (std::isfinite(bound.value) && bound.value > 0) return {};
      return bad_bound(to_string(bound));
  }
  return bad_bound("mode " + std::to_string(static_cast<int>(bound.mode)));
}

std::string to_string(const Bound& bound) {
  if (bound.mode == BoundMode::lossless) return "lossless";
  for (const auto& [name, mode] : prefixes)
    if (mode == bound.mode) return std::string(name) + ":" + format_number(bound.value);
  return "unset";
}

}  // namespace laconic
