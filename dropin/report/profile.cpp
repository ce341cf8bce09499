// SPDX-License-Identifier: BSD-3-Clause
#include "report/profile.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "calls/carried.hpp"
#include "report/sample.hpp"
#include "report/text.hpp"

namespace laconic::dropin {
namespace {

// Settings that would include less than this share of all bytes are not suggested.
constexpr double noticeable = 0.01;

// Contents that may be no field are compressed without loss from this ratio on.
constexpr double worthwhile = 1.25;

using Pooled = std::map<std::pair<Activity, std::string>, Sample>;

std::pair<Activity, std::string> kind_of_calls(const TrafficKey& of) { return {of.activity, name_of(of.content)}; }

// Numbers that are whole may count or name something, and other data may be anything: a bound would not be meant for
// them.
bool may_be_no_field(const Sample& sample) {
  return sample.looks() == Looks::integers || sample.looks() == Looks::no_numbers;
}

// The item of LACONIC_EXCLUDE that names these calls. Nonblocking calls whose counts differ by rank are compressed only
// if no rule for their operation tests the type.
std::string item_for(const TrafficKey& of) {
  const Operation operation = operation_of(of.activity);
  const std::string name(name_of(operation));
  const bool partial = is_collective(operation) && traits_of(operation).counts_partial();
  return partial ? name : name + "+type:" + name_of(of.content);
}

std::uint64_t bytes_within(const std::vector<ProfiledCalls>& calls, const Needs& given) {
  std::uint64_t bytes = 0;
  for (const ProfiledCalls& c : calls)
    if (c.lasting == nullptr && !c.left_out && c.needs.within(given)) bytes += c.traffic.bytes;
  return bytes;
}

// The fewest settings that include all bytes that any would, but for a share that is not noticeable.
std::optional<Needs> fewest(const std::vector<ProfiledCalls>& calls, std::uint64_t all) {
  const std::uint64_t most = bytes_within(calls, {true, true, true, true});
  const auto least = static_cast<std::uint64_t>(noticeable * static_cast<double>(all));
  if (most == 0 || most < least) return std::nullopt;
  Needs best{true, true, true, true};
  int best_count = 3;
  for (int k = 0; k < 8; ++k) {
    const Needs some{true, (k & 1) != 0, (k & 2) != 0, (k & 4) != 0};
    const int count = int{some.include} + int{some.messages} + int{some.min_bytes};
    if (count < best_count && bytes_within(calls, some) + least >= most) best = some, best_count = count;
  }
  return best;
}

// Calls whose contents may be no field are compressed without loss where that saves a fifth of them, and else left out.
void look_at_contents(Profile& profile, const Pooled& pooled) {
  std::map<std::string, Sample> items;
  for (const ProfiledCalls& c : profile.calls)
    if (c.lasting == nullptr && may_be_no_field(pooled.at(kind_of_calls(c.of))))
      items[item_for(c.of)] += c.traffic.sample;
  for (ProfiledCalls& c : profile.calls) {
    const auto item = c.lasting == nullptr ? items.find(item_for(c.of)) : items.end();
    if (item == items.end()) continue;
    c.lossless = item->second.ratio(lossless_bound) >= worthwhile;
    c.left_out = !c.lossless;
  }
}

// The items that are for calls of this kind, if the other settings include these at all.
template <class OfTheseCalls>
std::string items_of(const Profile& profile, const Needs& needs, OfTheseCalls f) {
  std::set<std::string> items;
  for (const ProfiledCalls& c : profile.calls)
    if (f(c) && c.needs.within(needs)) items.insert(item_for(c.of));
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
  return text;
}

// "bcast+type:double=lossless,rel:1e-6"
std::string bound_with(const std::string& lossless) {
  std::string list;
  for (const char c : lossless + (lossless.empty() ? "" : ",")) list += c == ',' ? "=lossless," : std::string(1, c);
  return list + sample_bounds[suggested_bound];
}

// Calls that were not sampled are assumed to compress as those of the same numbers that were.
void estimate(Profile& profile, const Needs& suggested) {
  std::map<Content, Sample> by_content;
  for (const ProfiledCalls& c : profile.calls) by_content[c.of.content] += c.traffic.sample;
  for (const ProfiledCalls& c : profile.calls) {
    if (c.lasting != nullptr || c.left_out || !c.needs.within(suggested)) continue;
    for (std::size_t b = 0; b < sample_bounds.size(); ++b) {
      const std::size_t bound = c.lossless ? lossless_bound : b;
      const double own = c.traffic.sample.ratio(bound);
      const double ratio = std::max(1.0, own > 0 ? own : by_content[c.of.content].ratio(bound));
      profile.saved[b] += static_cast<std::uint64_t>(static_cast<double>(c.traffic.bytes) * (1 - 1 / ratio));
    }
  }
}

void suggest(Profile& profile, const Settings& settings) {
  const std::optional<Needs> needs = fewest(profile.calls, profile.bytes);
  if (!needs) return;
  profile.included = bytes_within(profile.calls, *needs);
  estimate(profile, *needs);
  std::string exclude = settings.excludes ? std::getenv("LACONIC_EXCLUDE") : "";
  profile.exclude = items_of(profile, *needs, [](const ProfiledCalls& c) { return c.left_out; });
  profile.lossless = items_of(profile, *needs, [](const ProfiledCalls& c) { return c.lossless; });
  profile.bound = bound_with(profile.lossless);
  if (!profile.exclude.empty()) exclude += (exclude.empty() ? "" : ",") + profile.exclude;
  profile.variables =
      text_of(*needs, profile.bound) + (exclude.empty() ? "" : " LACONIC_EXCLUDE=" + shell_word(exclude));
  profile.options = "--bound " + profile.bound +
                    (needs->include ? needs->messages ? " --include all" : " --include movement" : "") +
                    (needs->messages && !needs->include ? " --p2p 1" : "") +
                    (needs->min_bytes ? " --min-bytes " + std::to_string(least_suggested) : "") +
                    (exclude.empty() ? "" : " --exclude " + shell_word(exclude)) + " --report summary";
  profile.command = settings.profile_command;
  if (const auto place = profile.command.find('\n'); place != std::string::npos)
    profile.command.replace(place, 1, " " + profile.options + " ");
}

}  // namespace

ProfileTimes ProfileTimes::of_this_process() {
  return {{SampleTime::since_loaded(), CountedWait::seconds(), SampleTime::seconds()}};
}

Profile profile_of(const std::map<std::string, TallyGroup>& groups, const Settings& settings, std::uint64_t min_bytes,
                   const ProfileTimes& times) {
  Profile profile;
  profile.times = times;
  Pooled pooled;
  for (const auto& [key, group] : groups)
    for (const auto& [of, traffic] : group.traffic) {
      ProfiledCalls c{&group, of, traffic, lasting_reason(of, settings, min_bytes), {}};
      if (c.lasting == nullptr) c.needs = needs_of(of, settings, min_bytes);
      pooled[kind_of_calls(of)] += traffic.sample;
      profile.bytes += traffic.bytes;
      profile.calls.push_back(c);
    }
  std::stable_sort(profile.calls.begin(), profile.calls.end(),
                   [](const ProfiledCalls& a, const ProfiledCalls& b) { return a.traffic.bytes > b.traffic.bytes; });
  for (const Needs& some : {Needs{true, false, false, false},
                            {true, true, false, false},
                            {true, false, true, false},
                            {true, true, true, false},
                            {true, false, false, true},
                            {true, true, true, true}})
    profile.alone.push_back({"", text_of(some), bytes_within(profile.calls, some)});
  for (const BytesOf& of : coverage_of(groups, settings, min_bytes).plain)
    if (of.settings.empty()) profile.plain.push_back(of);
  look_at_contents(profile, pooled);
  suggest(profile, settings);
  return profile;
}

}  // namespace laconic::dropin
