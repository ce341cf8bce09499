// SPDX-License-Identifier: BSD-3-Clause
#include "report/coverage.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace laconic::dropin {
namespace {

// No smaller LACONIC_MIN_BYTES is suggested: the fixed costs of a compressed call would outweigh what it saves.
constexpr std::uint64_t least_suggested = 4096;

bool left_by_settings(Reason reason) {
  return reason == Reason::no_bound || reason == Reason::rule || reason == Reason::small;
}

// The reason why plain calls stay plain with any settings; nullptr if settings would include them. Several reasons can
// apply to a call, and its key has only the one that was found first.
const char* lasting_reason(const TrafficKey& of, const Settings& settings, std::uint64_t min_bytes) {
  if (!is_operation(of.activity) || !left_by_settings(of.reason)) return text_of(of);
  if (of.kind == Kind::none || of.kind == Kind::integer) return text_of(Reason::type);
  if (of.least_size() < std::min(min_bytes, least_suggested)) return "smaller than 4 KiB";
  // If a rule leaves out calls that are included by default or by LACONIC_P2P, the user has excluded them on purpose,
  // so no setting is suggested.
  const bool asked_for = of.activity == Activity::send ? settings.messages : reduces(operation_of(of.activity));
  return of.reason == Reason::rule && (settings.excludes || asked_for) ? text_of(of) : nullptr;
}

BytesOf suggestion(const TrafficKey& of, const Settings& settings, std::uint64_t min_bytes) {
  BytesOf found;
  const Operation operation = operation_of(of.activity);
  const auto add = [&](const char* setting) {
    found.settings += (found.settings.empty() ? "" : " ") + std::string(setting);
  };
  found.what = operation == Operation::send ? "messages"
               : reduces(operation)         ? "reductions"
                                            : "collectives that move data";
  if (of.reason == Reason::no_bound) add("LACONIC_BOUND=rel:1e-6");
  if (of.reason == Reason::rule || !settings.rules.may_touch(operation, Form::blocking))
    add(operation == Operation::send ? "LACONIC_P2P=1" : "LACONIC_INCLUDE=all");
  if (of.least_size() < min_bytes) {
    found.what += " of 4 KiB and more";
    add("LACONIC_MIN_BYTES=4096");
  }
  return found;
}

}  // namespace

Coverage coverage_of(const std::map<std::string, TallyGroup>& groups, const Settings& settings,
                     std::uint64_t min_bytes) {
  Coverage coverage;
  std::map<std::pair<std::string, std::string>, std::uint64_t> plain;
  for (const auto& [key, group] : groups)
    for (const auto& [of, traffic] : group.traffic) {
      coverage.bytes += traffic.bytes;
      if (of.reason == Reason::touched) {
        coverage.compressed += traffic.bytes;
        continue;
      }
      const char* why = lasting_reason(of, settings, min_bytes);
      const BytesOf one = why != nullptr ? BytesOf{why, ""} : suggestion(of, settings, min_bytes);
      plain[{one.what, one.settings}] += traffic.bytes;
    }
  for (const auto& [text, bytes] : plain) coverage.plain.push_back({text.first, text.second, bytes});
  std::stable_sort(coverage.plain.begin(), coverage.plain.end(), [](const BytesOf& a, const BytesOf& b) {
    return std::tuple(!a.settings.empty(), a.bytes) > std::tuple(!b.settings.empty(), b.bytes);
  });
  return coverage;
}

}  // namespace laconic::dropin
