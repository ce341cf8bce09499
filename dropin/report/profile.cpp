// SPDX-License-Identifier: BSD-3-Clause
#include "report/profile.hpp"

#include <algorithm>
#include <cmath>
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

constexpr unsigned any_reading = (1U << all_readings.size()) - 1;

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
  const Needs everything{true, true, true, true, any_reading};
  const std::uint64_t most = bytes_within(calls, everything);
  const auto least = static_cast<std::uint64_t>(noticeable * static_cast<double>(all));
  if (most == 0 || most < least) return std::nullopt;
  unsigned readings = 0;
  for (const ProfiledCalls& c : calls) readings |= c.needs.readings;
  Needs best = everything;
  best.readings = readings;
  int best_count = 5;
  for (int k = 0; k < 16; ++k) {
    const Needs some{true, (k & 1) != 0, (k & 2) != 0, (k & 4) != 0, (k & 8) != 0 ? readings : 0};
    const int count = int{some.include} + int{some.messages} + int{some.min_bytes} + (some.readings != 0 ? 1 : 0);
    if (count < best_count && bytes_within(calls, some) + least >= most) best = some, best_count = count;
  }
  return best;
}

// Calls whose contents may be no field are compressed without loss where that saves a fifth of them, and else left out.
void look_at_contents(Profile& profile, const Pooled& pooled) {
  std::map<std::string, Sample> items;
  const auto holds_declared = [](const ProfiledCalls& c) { return c.lasting == nullptr && c.needs.readings == 0; };
  for (const ProfiledCalls& c : profile.calls)
    if (holds_declared(c) && may_be_no_field(pooled.at(kind_of_calls(c.of)))) items[item_for(c.of)] += c.traffic.sample;
  for (ProfiledCalls& c : profile.calls) {
    const auto item = holds_declared(c) ? items.find(item_for(c.of)) : items.end();
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
std::string bound_with(const std::string& lossless, std::size_t others) {
  std::string list;
  for (const char c : lossless + (lossless.empty() ? "" : ",")) list += c == ',' ? "=lossless," : std::string(1, c);
  return others == lossless_bound ? sample_bounds[lossless_bound] : list + sample_bounds[others];
}

// Calls that were not sampled are assumed to compress as those of the same numbers that were.
void estimate(Profile& profile, const Needs& suggested) {
  std::map<Content, Sample> by_content;
  for (const ProfiledCalls& c : profile.calls) by_content[c.of.content] += c.traffic.sample;
  std::uint64_t messages = 0;
  for (const ProfiledCalls& c : profile.calls)
    if (c.of.activity == Activity::send) messages += c.traffic.bytes;
  ByBound<double> squares{};
  double decoded = 0;
  for (const ProfiledCalls& c : profile.calls) {
    if (c.lasting != nullptr || c.left_out || !c.needs.within(suggested)) continue;
    const auto bytes = static_cast<double>(c.traffic.bytes);
    // Messages are waited for in calls that are not told apart.
    const double share = c.of.activity == Activity::send ? bytes / static_cast<double>(messages) : 0;
    const double seconds = c.traffic.seconds + share * profile.times.waiting();
    const bool sampled = c.traffic.sample.bytes > 0;
    const Sample& sample = sampled ? c.traffic.sample : by_content[c.of.content];
    const double weight = sample.decoded > 0 ? bytes / static_cast<double>(sample.decoded) : 0;
    decoded += sample.decoded > 0 ? bytes : 0;
    for (std::size_t b = 0; b < sample_bounds.size(); ++b) {
      const std::size_t bound = c.lossless ? lossless_bound : b;
      const double ratio = std::max(1.0, sample.ratio(bound));
      profile.saved[b] += static_cast<std::uint64_t>(bytes * (1 - 1 / ratio));
      ExpectedWith& expected = profile.expected[b];
      const double coding = sample.coding_per_byte(bound) * bytes / c.group->ranks;
      expected.seconds += std::max(0.0, seconds * (1 - 1 / ratio) - coding);
      expected.worst = std::max(expected.worst, sample.worst[bound]);
      squares[b] += weight * sample.squares[bound];
    }
  }
  for (std::size_t b = 0; b < sample_bounds.size(); ++b)
    profile.expected[b].rms = decoded > 0 ? std::sqrt(squares[b] / decoded) : 0;
}

// Finds the calls for which range:R would save a noticeable share of the bytes more than rel:R.
void look_at_ranges(Profile& profile, const Needs& suggested) {
  std::map<std::string, OfOneKind> kinds;
  for (const ProfiledCalls& c : profile.calls) {
    if (c.lasting != nullptr || c.left_out || c.lossless || !c.needs.within(suggested)) continue;
    OfOneKind& kind = kinds[item_for(c.of)];
    kind.item = item_for(c.of);
    kind.bytes += c.traffic.bytes;
    kind.sample += c.traffic.sample;
  }
  for (const auto& [item, kind] : kinds) {
    const double by_block = kind.sample.ratio(usual_bound);
    const double by_range = kind.sample.ratio_by_range();
    if (by_block <= 0 || by_range <= 0) continue;
    const double more = static_cast<double>(kind.bytes) * (1 / by_block - 1 / by_range);
    if (more >= noticeable * static_cast<double>(profile.bytes)) profile.of_one_kind.push_back(kind);
  }
  std::stable_sort(profile.of_one_kind.begin(), profile.of_one_kind.end(),
                   [](const OfOneKind& a, const OfOneKind& b) { return a.bytes > b.bytes; });
}

// Messages of bytes that look like numbers would be included by a rule that says that they are. Those of other sizes
// may be something else.
void look_at_bytes(Profile& profile, std::uint64_t min_bytes) {
  for (ProfiledCalls& c : profile.calls) {
    const bool bytes = c.of.content == Content::byte || c.of.content == Content::packed;
    if (c.of.activity != Activity::send || !bytes || c.of.reason != Reason::no_bound) continue;
    const Looks looks = c.traffic.sample.looks();
    if (looks != Looks::doubles && looks != Looks::floats) continue;
    if (c.of.least_size() < std::min(min_bytes, least_suggested)) continue;
    const unsigned item = (c.of.content == Content::packed ? 2 : 0) + (looks == Looks::floats ? 1 : 0);
    c.lasting = nullptr;
    c.needs = {true, false, false, c.of.least_size() < min_bytes, 1U << item};
  }
}

// The bytes that stay plain with any settings, by reason, most bytes first.
std::vector<BytesOf> lasting_bytes(const std::vector<ProfiledCalls>& calls) {
  std::map<std::string, std::uint64_t> bytes;
  for (const ProfiledCalls& c : calls)
    if (c.lasting != nullptr) bytes[c.lasting] += c.traffic.bytes;
  std::vector<BytesOf> list;
  for (const auto& [what, count] : bytes) list.push_back({what, "", count});
  std::stable_sort(list.begin(), list.end(), [](const BytesOf& a, const BytesOf& b) { return a.bytes > b.bytes; });
  return list;
}

void suggest(Profile& profile, const Settings& settings) {
  const std::optional<Needs> needs = fewest(profile.calls, profile.bytes);
  if (!needs) return;
  profile.included = bytes_within(profile.calls, *needs);
  estimate(profile, *needs);
  look_at_ranges(profile, *needs);
  const std::optional<std::size_t> chosen = choose_bound(profile, settings.goal);
  profile.reached = chosen.has_value();
  profile.chosen = chosen.value_or(lossless_bound);
  std::string exclude = settings.excludes ? std::getenv("LACONIC_EXCLUDE") : "";
  profile.exclude = items_of(profile, *needs, [](const ProfiledCalls& c) { return c.left_out; });
  profile.lossless = items_of(profile, *needs, [](const ProfiledCalls& c) { return c.lossless; });
  profile.bound = bound_with(profile.lossless, profile.chosen);
  if (!profile.exclude.empty()) exclude += (exclude.empty() ? "" : ",") + profile.exclude;
  profile.variables =
      text_of(*needs, profile.bound) + (exclude.empty() ? "" : " LACONIC_EXCLUDE=" + shell_word(exclude));
  profile.options = "--bound " + profile.bound +
                    (inclusions(*needs).empty() ? "" : " --include " + inclusions(*needs)) +
                    (needs->messages && !needs->include ? " --p2p 1" : "") +
                    (needs->min_bytes ? " --min-bytes " + std::to_string(least_suggested) : "") +
                    (exclude.empty() ? "" : " --exclude " + shell_word(exclude)) + " --report summary";
  profile.command = settings.profile_command;
  if (const auto place = profile.command.find('\n'); place != std::string::npos)
    profile.command.replace(place, 1, " " + profile.options + " ");
}

// The largest error that a bound permits, as a share of the range.
double promised(std::size_t bound) {
  const std::string text = sample_bounds[bound];
  return bound == lossless_bound ? 0 : std::strtod(text.c_str() + text.find(':') + 1, nullptr);
}

}  // namespace

double ExpectedWith::psnr() const { return rms > 0 ? -20 * std::log10(rms) : INFINITY; }

std::optional<std::size_t> choose_bound(const Profile& profile, const Goal& goal) {
  if (goal.kind == Goal::Kind::none) return usual_bound;
  const auto reaches = [&](std::size_t b) {
    switch (goal.kind) {
      case Goal::Kind::error: return promised(b) <= goal.value;
      case Goal::Kind::psnr: return profile.expected[b].psnr() >= goal.value;
      default: return 100 * static_cast<double>(profile.saved[b]) >= goal.value * static_cast<double>(profile.included);
    }
  };
  std::optional<std::size_t> found;
  for (std::size_t b = 0; b < sample_bounds.size(); ++b) {
    if (!reaches(b)) continue;
    if (goal.kind != Goal::Kind::saved) return b;
    found = b;
  }
  return found;
}

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
  look_at_bytes(profile, min_bytes);
  unsigned readings = 0;
  for (const ProfiledCalls& c : profile.calls) readings |= c.needs.readings;
  for (const Needs& some : {Needs{true, false, false, false, 0},
                            {true, true, false, false, 0},
                            {true, false, true, false, 0},
                            {true, true, true, false, 0},
                            {true, false, false, true, 0},
                            {true, true, true, true, 0}})
    profile.alone.push_back({"", text_of(some), bytes_within(profile.calls, some)});
  if (const Needs all{true, true, true, true, readings}; readings != 0)
    profile.alone.push_back({"", text_of(all), bytes_within(profile.calls, all)});
  profile.plain = lasting_bytes(profile.calls);
  look_at_contents(profile, pooled);
  suggest(profile, settings);
  return profile;
}

}  // namespace laconic::dropin
