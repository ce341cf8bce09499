// SPDX-License-Identifier: BSD-3-Clause
#include "report/coverage.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace laconic::dropin {
namespace {

bool left_by_settings(Reason reason) {
  return reason == Reason::no_bound || reason == Reason::rule || reason == Reason::small;
}

std::string what_is(const TrafficKey& of, const Needs& needs) {
  const Operation operation = operation_of(of.activity);
  const std::string what = operation == Operation::send ? "messages"
                           : reduces(operation)         ? "reductions"
                                                        : "collectives that move data";
  return needs.min_bytes ? what + " of 4 KiB and more" : what;
}

}  // namespace

std::string inclusions(const Needs& needs) {
  std::string items = !needs.include ? "" : needs.messages ? "all" : "movement";
  for (std::size_t k = 0; k < all_readings.size(); ++k)
    if ((needs.readings >> k & 1U) != 0) items += (items.empty() ? "" : ",") + std::string(all_readings[k]);
  return items;
}

std::string text_of(const Needs& needs, const std::string& bound) {
  std::string text;
  const auto add = [&](bool needed, const std::string& setting) {
    if (needed) text += (text.empty() ? "" : " ") + setting;
  };
  add(needs.bound, "LACONIC_BOUND=" + bound);
  const std::string include = inclusions(needs);
  add(!include.empty(), "LACONIC_INCLUDE=" + include);
  add(needs.messages && !needs.include, "LACONIC_P2P=1");
  add(needs.min_bytes, "LACONIC_MIN_BYTES=" + std::to_string(least_suggested));
  return text;
}

std::string only_a_start(const std::string& choose) {
  return std::string("the bound ") + sample_bounds[usual_bound] +
         " is only a start, for no results were compared: " + choose +
         ", and compare the program's results with those of a plain run";
}

// Several reasons can apply to a call, and its key has only the one that was found first.
const char* lasting_reason(const TrafficKey& of, const Settings& settings, std::uint64_t min_bytes) {
  if (!is_operation(of.activity) || !left_by_settings(of.reason)) return text_of(of);
  if (of.reason == Reason::no_bound && settings.bounds.set()) return "named by no item of LACONIC_BOUND";
  const Kind kind = kind_of(of.content);
  if (kind == Kind::none || kind == Kind::integer) return text_of(Reason::type);
  if (of.least_size() < std::min(min_bytes, least_suggested)) return "smaller than 4 KiB";
  const bool message = of.activity == Activity::send;
  if (message && settings.messages == Messages::excluded) return text_of(Reason::rule);
  // If a rule leaves out calls that are included by default or by LACONIC_P2P, the user has excluded them on purpose,
  // so no setting is suggested.
  const bool asked_for = message ? settings.messages == Messages::included : reduces(operation_of(of.activity));
  return of.reason == Reason::rule && (settings.excludes || asked_for) ? text_of(of) : nullptr;
}

Needs needs_of(const TrafficKey& of, const Settings& settings, std::uint64_t min_bytes) {
  const Operation operation = operation_of(of.activity);
  const bool left_out = of.reason == Reason::rule || !settings.rules.may_touch(operation, Form::blocking);
  const bool message = operation == Operation::send;
  return {of.reason == Reason::no_bound, left_out && !message, left_out && message, of.least_size() < min_bytes, 0};
}

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
      const Needs needs = why == nullptr ? needs_of(of, settings, min_bytes) : Needs{};
      plain[{why != nullptr ? why : what_is(of, needs), text_of(needs)}] += traffic.bytes;
    }
  for (const auto& [text, bytes] : plain) coverage.plain.push_back({text.first, text.second, bytes});
  std::stable_sort(coverage.plain.begin(), coverage.plain.end(), [](const BytesOf& a, const BytesOf& b) {
    return std::tuple(!a.settings.empty(), a.bytes) > std::tuple(!b.settings.empty(), b.bytes);
  });
  return coverage;
}

}  // namespace laconic::dropin
